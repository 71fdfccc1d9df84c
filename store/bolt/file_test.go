package bolt_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// written creates a file with some responses and returns its directory and content.
func written(t *testing.T, n graph.MessageID) (dir string, content []byte) {
	t.Helper()
	dir = t.TempDir()
	db, err := bolt.Open(bolt.Options{Dir: dir})
	errtest.None(t, err)
	s := store.New(db, store.Options{})
	for trigger := range n {
		errtest.None(t, s.Responses.Save(t.Context(), storetest.Example("g1", trigger+1)))
	}
	errtest.None(t, db.Close())
	content = errtest.Must(os.ReadFile(filepath.Join(dir, bolt.FileName)))(t)
	return dir, content
}

func TestADirectoryThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	errtest.None(t, os.WriteFile(file, nil, 0o600))
	errtest.None(t, os.Mkdir(filepath.Join(dir, bolt.FileName), 0o700))
	for _, dir := range []string{filepath.Join(file, "data"), dir, "/proc/heddle"} {
		if _, err := bolt.Open(bolt.Options{Dir: dir}); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), dir) {
			t.Errorf("opening in %s ends with %v, want %v that names the folder", dir, err, store.ErrUnavailable)
		}
	}
}

func TestTheFileIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir, _ := written(t, 1)
	info := errtest.Must(os.Stat(filepath.Join(dir, bolt.FileName)))(t)
	if mode := info.Mode(); mode != 0o600 {
		t.Errorf("its mode is %v, want %v", mode, 0o600)
	}
}

// use opens a file with this content and looks up everything that it might hold. A
// look-up may find the right response, find nothing or fail. It must not crash or find
// anything else.
func use(t *testing.T, content []byte, n graph.MessageID) (found int) {
	t.Helper()
	dir := t.TempDir()
	errtest.None(t, os.WriteFile(filepath.Join(dir, bolt.FileName), content, 0o600))
	db, err := bolt.Open(bolt.Options{Dir: dir})
	if err != nil {
		if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrForeign) { // the last if the name of a bucket is flipped
			t.Fatalf("opening ends with %v, want %v, %v or %v", err, store.ErrCorrupt, store.ErrUnavailable, store.ErrForeign)
		}
		return 0
	}
	s := store.New(db, store.Options{})
	for trigger := range n {
		want := storetest.Example("g1", trigger+1)
		responses, err := storetest.ByPath(t.Context(), s, want)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Fatalf("looking up ends with %v, want no error or %v", err, store.ErrCorrupt)
		}
		for _, r := range responses {
			if r.Text != want.Text {
				t.Fatalf("%q is found instead of %q", r.Text, want.Text)
			}
			found++
		}
	}
	return found
}

func TestFlippedBytesNeverChangeWhatIsRead(t *testing.T) {
	t.Parallel()
	const n = 10
	dir, content := written(t, n)
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		flipped := append([]byte(nil), content...)
		for range 8 {
			flipped[random.IntN(len(flipped))] ^= byte(1 + random.IntN(255))
		}
		use(t, flipped, n)
	}
	errtest.None(t, os.WriteFile(filepath.Join(dir, bolt.FileName), []byte(strings.Repeat("no database ", 5000)), 0o600))
	if _, err := bolt.Open(bolt.Options{Dir: dir}); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("opening a file of another kind ends with %v, want %v and %q in it", err, store.ErrCorrupt, "backup")
	}
}

var errBug = errors.New("a bug")

// TestAPanicInATransactionIsItsCallersAlone panics in transactions beside others. A panic of
// bbolt would quarantine the file.
func TestAPanicInATransactionIsItsCallersAlone(t *testing.T) {
	t.Parallel()
	db := open(t, bolt.Options{Dir: t.TempDir(), Quarantined: func(q bolt.Quarantine) { t.Errorf("the file is quarantined: %v", q) }})
	done := make(chan error, 40)
	for i := range cap(done) {
		go func() {
			defer func() {
				if reason := recover(); reason != nil {
					done <- reason.(error) //nolint:forcetypeassert // errBug is the only one
				}
			}()
			done <- db.Update(t.Context(), store.Change{Scope: "g1", Make: func(store.Reader) ([]store.Write, error) {
				if i%2 == 0 {
					panic(errBug)
				}
				return []store.Write{{Kind: store.WriteAdd, Name: "set", Member: string(rune(i)), TTL: time.Hour}}, nil
			}})
		}()
	}
	panicked := 0
	for range cap(done) {
		if err := <-done; errors.Is(err, errBug) {
			panicked++
		} else if err != nil {
			t.Error(err)
		}
	}
	var members [][]string
	err := db.Read(t.Context(), "g1", func(read store.Reader) (err error) {
		members, err = read.Members("set")
		return err
	})
	if err != nil || panicked != cap(done)/2 || len(members[0]) != cap(done)/2 {
		t.Errorf("%d callers panic, and %d writes are stored, %v, want half of both", panicked, len(members[0]), err)
	}
}

// TestAFileThatIsNotReadIsLeftAsItIs opens a store where another program keeps a database of
// the same kind, and one that a newer version wrote.
func TestAFileThatIsNotReadIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	foreign := filepath.Join(t.TempDir(), "recipes")
	db := errtest.Must(bbolt.Open(foreign, 0o600, nil))(t)
	errtest.None(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("recipes"))
		return err
	}))
	errtest.None(t, db.Close())
	_, newer := written(t, 1)
	const version, page = 16 + 4, 4096
	newer[version], newer[page+version] = 3, 3
	for want, content := range map[error][]byte{store.ErrForeign: errtest.Must(os.ReadFile(foreign))(t), store.ErrSchema: newer} {
		dir := t.TempDir()
		file := filepath.Join(dir, bolt.FileName)
		errtest.None(t, os.WriteFile(file, content, 0o600))
		_, err := bolt.Open(bolt.Options{Dir: dir, Quarantined: func(r bolt.Quarantine) { t.Errorf("the file is quarantined: %v, want it left as it is", r) }})
		if kept, reading := os.ReadFile(file); !errors.Is(err, want) || reading != nil || !bytes.Equal(kept, content) {
			t.Errorf("opening ends with %v, want %v and the file as it was", err, want)
		}
	}
}

// quarantined is a store over a file with some content. A damaged file is quarantined.
type quarantined struct {
	*store.Store

	dir  string
	seen []bolt.Quarantine
}

func newQuarantined(t *testing.T, content []byte) *quarantined {
	t.Helper()
	r := &quarantined{dir: t.TempDir()}
	errtest.None(t, os.WriteFile(filepath.Join(r.dir, bolt.FileName), content, 0o600))
	db := errtest.Must(bolt.Open(bolt.Options{Dir: r.dir, Quarantined: func(told bolt.Quarantine) { r.seen = append(r.seen, told) }}))(t)
	r.Store = store.New(db, store.Options{})
	return r
}

// works fails the test if a call fails or returns something that was not stored.
func (r *quarantined) works(t *testing.T, n graph.MessageID) {
	t.Helper()
	look := func(want store.Response) int {
		responses := errtest.Must(storetest.ByPath(t.Context(), r.Store, want))(t)
		for _, response := range responses {
			if response.Text != want.Text {
				t.Fatalf("%q is found instead of %q", response.Text, want.Text)
			}
		}
		return len(responses)
	}
	for trigger := range n {
		look(storetest.Example("g1", trigger+1))
	}
	lease := errtest.Must(r.Claims.Claim(t.Context(), store.TriggerClaim(1), time.Minute))(t)
	errtest.None(t, r.Responses.Save(t.Context(), storetest.Example("g2", 1)))
	errtest.None(t, r.Claims.Done(t.Context(), lease, "answered"))
	if look(storetest.Example("g2", 1)) != 1 {
		t.Error("what was saved since is not found")
	}
}

// TestWhicheverPageIsLostEveryCallWorks overwrites each page in turn, as a failing disk
// might.
func TestWhicheverPageIsLostEveryCallWorks(t *testing.T) {
	t.Parallel()
	const n, size = 10, 4096
	_, content := written(t, n)
	renewed := 0
	for at := 0; at < len(content); at += size {
		lost := bytes.Clone(content)
		clear(lost[at : at+size])
		if bytes.Equal(lost, content) {
			continue
		}
		r := newQuarantined(t, lost)
		r.works(t, n)
		errtest.None(t, r.Close())
		renewed += len(r.seen)
		for _, seen := range r.seen {
			aside, err := os.ReadFile(seen.Moved)
			if errtest.None(t, err); !bytes.Equal(aside, lost) || r.Stats().Quarantined != 1 {
				t.Errorf("of %d bytes %d are quarantined, and %d quarantines are counted; want the same bytes and 1", len(lost), len(aside), r.Stats().Quarantined)
			}
		}
	}
	if renewed == 0 {
		t.Error("no page mattered, want at least one quarantine")
	}
}
