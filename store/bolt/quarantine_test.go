package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// quarantined is a store over a file with some content. A damaged file is quarantined.
type quarantined struct {
	*store.Store

	dir  string
	seen []bolt.Quarantine
}

func newQuarantined(t *testing.T, content []byte) *quarantined {
	t.Helper()
	r := &quarantined{dir: t.TempDir()}
	must(t, os.WriteFile(filepath.Join(r.dir, bolt.FileName), content, 0o600))
	db, err := bolt.Open(bolt.Options{Dir: r.dir, Quarantined: func(told bolt.Quarantine) { r.seen = append(r.seen, told) }})
	must(t, err)
	r.Store = store.New(db, store.Options{})
	return r
}

// works fails the test if a call fails or returns something that was not stored. It
// returns how many of n earlier responses are found, and how many of those that works
// itself saves.
func (r *quarantined) works(t *testing.T, n graph.MessageID) (found, kept int) {
	t.Helper()
	look := func(want store.Response) int {
		responses, err := storetest.ByPath(t.Context(), r.Store, want)
		must(t, err)
		for _, response := range responses {
			if response.Text != want.Text {
				t.Fatalf("%q is found instead of %q", response.Text, want.Text)
			}
		}
		return len(responses)
	}
	for trigger := range n {
		found += look(storetest.Example("g1", trigger+1))
	}
	lease, err := r.Claims.Claim(t.Context(), store.TriggerClaim(1), time.Minute)
	must(t, err)
	must(t, r.Responses.Save(t.Context(), storetest.Example("g2", 1)))
	must(t, r.Claims.Done(t.Context(), lease, "answered"))
	kept = look(storetest.Example("g2", 1))
	_, done, err := r.Claims.IsDone(t.Context(), store.TriggerClaim(1))
	must(t, err)
	if done {
		kept++
	}
	scopes, err := r.Archive.Scopes(t.Context())
	must(t, err)
	if slices.Contains(scopes, "g2") {
		kept++
	}
	return found, kept
}

func TestAFileThatIsCutShortIsQuarantined(t *testing.T) {
	t.Parallel()
	const n, kept = 20, 3
	_, content := written(t, n)
	for size := len(content) - 4096; size >= 0; size -= min(4096+100, max(size, 1)) {
		r := newQuarantined(t, content[:size])
		found, all := r.works(t, n)
		if found == n && all == kept && len(r.seen) == 0 {
			continue // the part that was cut off was not in use
		}
		if len(r.seen) != 1 || found != 0 || all != kept {
			t.Fatalf("in a file of %d bytes, cut to %d, %d responses are found, then %d; reported is %v, want 0, %d and one of them", len(content), size, found, all, r.seen, kept)
		}
		aside, err := os.ReadFile(r.seen[0].Moved)
		must(t, err)
		if !bytes.Equal(aside, content[:size]) || r.Stats().Quarantined != 1 {
			t.Errorf("of %d bytes %d are quarantined, and %d quarantines are counted; want the same bytes and 1", size, len(aside), r.Stats().Quarantined)
		}
		must(t, r.Close())
	}
	r := newQuarantined(t, content)
	if found, all := r.works(t, n); found != n || all != kept || len(r.seen) != 0 {
		t.Errorf("in a whole file %d responses are found, then %d; reported is %v, want %d, %d and none", found, all, r.seen, n, kept)
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
		must(t, r.Close())
		if renewed += len(r.seen); len(r.seen) > 1 {
			t.Errorf("after the loss of the page at %d the reports are %v, want at most 1 of them", at, r.seen)
		}
	}
	if renewed == 0 {
		t.Error("no page mattered, want at least one quarantine")
	}
}

// TestADamagedFileIsNotHeld opens each damaged file twice. The second attempt must fail
// because of the damage and not because the file is locked.
func TestADamagedFileIsNotHeld(t *testing.T) {
	t.Parallel()
	_, content := written(t, 20)
	for size := len(content) - 4096; size > 0; size -= 4096 {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, bolt.FileName), content[:size], 0o600))
		for range 2 {
			db, err := bolt.Open(bolt.Options{Dir: dir})
			if errors.Is(err, store.ErrLocked) {
				t.Errorf("a file of %d bytes that is cut to %d stays locked, want it free", len(content), size)
			}
			if err == nil {
				must(t, db.Close())
			}
		}
	}
}

func TestDamagedFilesGetNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seen := make(map[string]bool)
	for range 3 {
		must(t, os.WriteFile(filepath.Join(dir, bolt.FileName), []byte("no database"), 0o600))
		db, err := bolt.Open(bolt.Options{
			Dir: dir, Now: func() time.Time { return now },
			Quarantined: func(r bolt.Quarantine) { seen[filepath.Base(r.Moved)] = true },
		})
		must(t, err)
		must(t, db.Close())
	}
	for _, name := range []string{"", "-2", "-3"} {
		if !seen["heddle.db.damaged-20260102T030405Z"+name] {
			t.Errorf("the names of the quarantined files are %v, want different ones", seen)
		}
	}
}

func TestAFileOfANewerVersionIsNotQuarantined(t *testing.T) {
	t.Parallel()
	dir, content := written(t, 1)
	const version, page = 16 + 4, 4096
	content[version], content[page+version] = 3, 3
	file := filepath.Join(dir, bolt.FileName)
	must(t, os.WriteFile(file, content, 0o600))
	_, err := bolt.Open(bolt.Options{Dir: dir, Quarantined: func(r bolt.Quarantine) { t.Errorf("the file is quarantined: %v, want it left as it is", r) }})
	if kept, reading := os.ReadFile(file); !errors.Is(err, store.ErrSchema) || reading != nil || !bytes.Equal(kept, content) {
		t.Errorf("opening ends with %v, want %v and the file as it was", err, store.ErrSchema)
	}
}
