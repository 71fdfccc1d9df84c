package shared_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/shared"
)

// serve serves an empty store, and returns the name of its socket.
func serve(t *testing.T, engine func(*bolt.DB) shared.Engine) (*shared.Server, string) {
	t.Helper()
	db, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
	must(t, err)
	dir, err := redistest.ShortDir("heddle")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	file := filepath.Join(dir, "socket")
	server, err := shared.Serve(t.Context(), engine(db), file)
	must(t, err)
	return server, file
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func itself(db *bolt.DB) shared.Engine { return db } //nolint:ireturn // as serve takes it

func TestTheSocketIsOfItsUserAlone(t *testing.T) {
	t.Parallel()
	server, file := serve(t, itself)
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v, want 0600", info.Mode())
	}
	must(t, server.Close())
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking for the socket afterwards returns %v, want %v", err, os.ErrNotExist)
	}
	if _, err := shared.Dial(t.Context(), file); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("dialling nobody returns %v, want %v", err, store.ErrUnavailable)
	}
}

// stuck is an engine whose reads return only when their context ends.
type stuck struct {
	shared.Engine

	began chan struct{}
}

func (s stuck) Get(ctx context.Context, _ ...store.Key) ([][]byte, error) {
	s.began <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestACallEndsWithItsContext cancels a call at the client, and ends another by closing
// the server.
func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	server, file := serve(t, func(db *bolt.DB) shared.Engine { return stuck{db, began} })
	client, err := shared.Dial(t.Context(), file)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	ask := func(ctx context.Context) {
		_, err := client.Get(ctx, store.Key{Scope: "g1", Name: "t"})
		ended <- err
	}
	go ask(ctx)
	<-began
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is cancelled returns %v, want %v", err, context.Canceled)
	}
	go ask(t.Context())
	<-began
	must(t, server.Close())
	if err := <-ended; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a call to a store that is closed returns %v, want %v", err, store.ErrUnavailable)
	}
}

// TestKindsOfErrorsCross checks that callers of a Client can distinguish errors as
// callers of the engine can.
func TestKindsOfErrorsCross(t *testing.T) {
	t.Parallel()
	server, file := serve(t, func(db *bolt.DB) shared.Engine { return broken{db} })
	defer func() { must(t, server.Close()) }()
	client, err := shared.Dial(t.Context(), file)
	must(t, err)
	for _, kind := range []error{store.ErrFull, store.ErrUnavailable, store.ErrCorrupt} {
		_, err := client.Apply(t.Context(), store.Change{Scope: store.Scope(kind.Error())})
		if !errors.Is(err, kind) || errors.Is(err, store.ErrFull) != (kind == store.ErrFull) { //nolint:errorlint // one of three
			t.Errorf("%q arrives as %v, want the same kind of error", kind, err)
		}
	}
}

// broken is an engine whose changes fail with the error that the scope names.
type broken struct{ shared.Engine }

func (broken) Apply(_ context.Context, changes ...store.Change) ([]int, error) {
	for _, kind := range []error{store.ErrFull, store.ErrUnavailable, store.ErrCorrupt} {
		if string(changes[0].Scope) == kind.Error() {
			return nil, kind
		}
	}
	return nil, nil
}
