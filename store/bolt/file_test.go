package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heddle/graph"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// written creates a file with some responses and returns its directory and content.
func written(t *testing.T, n graph.MessageID) (dir string, content []byte) {
	t.Helper()
	dir = t.TempDir()
	db, err := bolt.Open(bolt.Options{Dir: dir})
	must(t, err)
	s := store.New(db, store.Options{})
	for trigger := range n {
		must(t, s.Responses.Save(t.Context(), storetest.Example("g1", trigger+1)))
	}
	must(t, db.Close())
	content, err = os.ReadFile(filepath.Join(dir, bolt.FileName))
	must(t, err)
	return dir, content
}

func TestADirectoryThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Mkdir(filepath.Join(dir, bolt.FileName), 0o700))
	for _, dir := range []string{filepath.Join(file, "data"), dir, "/proc/heddle"} {
		if _, err := bolt.Open(bolt.Options{Dir: dir}); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), dir) {
			t.Errorf("opening in %s ends with %v, want %v that names the folder", dir, err, store.ErrUnavailable)
		}
	}
}

func TestTheFileIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir, _ := written(t, 1)
	info, err := os.Stat(filepath.Join(dir, bolt.FileName))
	must(t, err)
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
	must(t, os.WriteFile(filepath.Join(dir, bolt.FileName), content, 0o600))
	db, err := bolt.Open(bolt.Options{Dir: dir})
	if err != nil {
		if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("opening ends with %v, want %v or %v", err, store.ErrCorrupt, store.ErrUnavailable)
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

func TestAFileThatIsCutShortIsRefused(t *testing.T) {
	t.Parallel()
	const n = 20
	_, content := written(t, n)
	for size := len(content) - 4096; size > 0; size -= 4096 + 100 {
		if found := use(t, content[:size], n); found != 0 && found != n { // the part that was cut off may have been free
			t.Errorf("in a file of %d bytes, cut to %d, %d responses are found, want all or none", len(content), size, found)
		}
	}
	if found := use(t, content, n); found != n {
		t.Errorf("in the whole file %d responses are found, want %d", found, n)
	}
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
	must(t, os.WriteFile(filepath.Join(dir, bolt.FileName), []byte(strings.Repeat("no database ", 5000)), 0o600))
	if _, err := bolt.Open(bolt.Options{Dir: dir}); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("opening a file of another kind ends with %v, want %v and %q in it", err, store.ErrCorrupt, "backup")
	}
}

// TestAPageThatLeadsBackIsRefused makes each element of each branch page lead to the
// page itself.
func TestAPageThatLeadsBackIsRefused(t *testing.T) {
	t.Parallel()
	page := os.Getpagesize() // the page size of a new bbolt file
	_, content := written(t, 100)
	tried := 0
	for at := 0; at < len(content); at += page {
		header := content[at : at+16] // the page's number, its kind and the number of elements
		if binary.NativeEndian.Uint16(header[8:]) != 1 || binary.NativeEndian.Uint64(header) != uint64(at/page) {
			continue
		}
		for i := range int(binary.NativeEndian.Uint16(header[10:])) {
			looped := slices.Clone(content)
			copy(looped[at+16+16*i+8:], header[:8])
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, bolt.FileName), looped, 0o600))
			db, err := bolt.Open(bolt.Options{Dir: dir})
			if err == nil { // the page is no longer in use
				must(t, db.Close())
				continue
			}
			tried++
			if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "backup") {
				t.Errorf("page %d, element %d: opening ends with %v, want %v and %q in it", at/page, i, err, store.ErrCorrupt, "backup")
			}
		}
	}
	if tried == 0 {
		t.Error("no page leads to others")
	}
}

func TestAFileThatIsMostlyFreeIsPacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	db, err := bolt.Open(bolt.Options{Dir: dir, Now: func() time.Time { return now }})
	must(t, err)
	big := strings.Repeat("x", 1<<20)
	var ops []store.Op
	for i := range 24 {
		ops = append(ops, store.Op{Kind: store.OpPut, Name: string(rune('a' + i)), Value: big, TTL: time.Minute})
	}
	ops = append(ops, store.Op{Kind: store.OpPut, Name: "kept", Value: "small", TTL: time.Hour})
	_, err = db.Apply(t.Context(), store.Change{Scope: "g1", Ops: ops})
	must(t, err)
	now = now.Add(2 * time.Minute)
	removed, err := db.Sweep(t.Context())
	must(t, err)
	if removed != 24 {
		t.Fatalf("%d entries were swept, want more", removed)
	}
	must(t, db.Close())
	db = open(t, bolt.Options{Dir: dir})
	info, err := os.Stat(filepath.Join(dir, bolt.FileName))
	must(t, err)
	if info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, want at most %d", info.Size(), 1<<20)
	}
	values, err := db.Get(t.Context(), store.Key{Scope: "g1", Name: "kept"})
	must(t, err)
	if string(values[0]) != "small" {
		t.Errorf("what was kept is %q, want %q", values[0], "small")
	}
}

func TestCallsShareAWrite(t *testing.T) {
	t.Parallel()
	db := open(t, bolt.Options{Dir: t.TempDir()})
	errs := make(chan error, 200)
	for i := range cap(errs) {
		go func() {
			_, err := db.Apply(t.Context(), store.Change{Scope: "g1", Ops: []store.Op{
				{Kind: store.OpAdd, Name: "set", Value: string(rune(i)), TTL: time.Hour},
			}})
			errs <- err
		}()
	}
	for range cap(errs) {
		must(t, <-errs)
	}
	members, err := db.Follow(t.Context(), "g1", store.Query{Set: "set"}, store.Query{Set: "set", Limit: 3})
	must(t, err)
	if len(members[0]) != cap(errs) || len(members[1]) != 3 {
		t.Errorf("%d and %d members are found, want all that were added", len(members[0]), len(members[1]))
	}
}

// TestAFileOfAnotherProgramIsLeftAsItIs opens a store where another program keeps a database
// of the same kind.
func TestAFileOfAnotherProgramIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, bolt.FileName)
	db, err := bbolt.Open(file, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("recipes"))
		return err
	}))
	must(t, db.Close())
	content, err := os.ReadFile(file)
	must(t, err)
	_, err = bolt.Open(bolt.Options{Dir: dir, Quarantined: func(r bolt.Quarantine) { t.Errorf("the file is quarantined: %v, want it left as it is", r) }})
	if kept, reading := os.ReadFile(file); !errors.Is(err, store.ErrForeign) || reading != nil || !bytes.Equal(kept, content) {
		t.Errorf("opening ends with %v, want %v and the file as it was", err, store.ErrForeign)
	}
}
