package seal

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// counting returns a key of consecutive bytes, beginning with first.
func counting(first byte) *Key {
	k := new(Key)
	for i := range k.secret {
		k.secret[i] = first + byte(i)
	}
	return k
}

// TestStoredFormsStayReadable compares with what an earlier version stored. If it
// fails, existing stores have become unreadable.
func TestStoredFormsStayReadable(t *testing.T) {
	k := counting(1)
	s := New(k)
	const fingerprint = "fae880dca2f408b1"
	if k.Text() != "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=" || k.Print() != fingerprint {
		t.Errorf("the key is %s with the fingerprint %s, want that of before, %s", k.Text(), k.Print(), fingerprint)
	}
	for what, test := range map[string]struct{ got, want string }{
		"a name":        {s.Name("g1", "turn"), "7448c0b70307de761cd08f4f3a38fac585"},
		"a value":       {s.Value("g1", "turn", "value"), "3ee6ff07041d39fa77073f1f2e54cd0415d741a1c7bde5fdc7fe"},
		"a member":      {s.Member("g1", "set", "member"), "bd0838b2f6fbdc126344d7d4f83ce625961cf8132b21e144356f"},
		"an open value": {New(nil).Value("g1", "turn", "value"), "fb18ff1af705a55d11d34b1b0bdccac746f3d7a2b8efb9528795"},
	} {
		if got := hex.EncodeToString([]byte(test.got)); got != test.want {
			t.Errorf("%s is %s, want %s", what, got, test.want)
		}
	}
}

// TestWhatIsSealedOpensInItsPlaceAlone opens a value and a member where they were sealed,
// and elsewhere.
func TestWhatIsSealedOpensInItsPlaceAlone(t *testing.T) {
	for name, s := range map[string]*Sealer{"with a key": New(counting(1)), "without": New(nil)} {
		sealed := []byte(s.Value("g1", "turn", "value"))
		if at, value, err := s.OpenValue("g1", s.Name("g1", "turn"), sealed); err != nil || at != "turn" || string(value) != "value" {
			t.Errorf("%s, a value opens as %q of %q, %v", name, value, at, err)
		}
		for _, elsewhere := range [][2]string{{"g2", "turn"}, {"g1", "tool"}, {"g1t", "urn"}, {"", "turn"}} {
			if _, value, err := s.OpenValue(elsewhere[0], s.Name(elsewhere[0], elsewhere[1]), sealed); err == nil {
				t.Errorf("%s, a value opens as %q in %q, want an error", name, value, elsewhere)
			}
		}
		for at := range sealed {
			flipped := append([]byte(nil), sealed...)
			flipped[at] ^= 1
			if _, value, err := s.OpenValue("g1", s.Name("g1", "turn"), flipped); err == nil {
				t.Errorf("%s, a value that is damaged at %d opens as %q", name, at, value)
			}
		}
		member := s.Member("g1", "set", "member")
		if set, opened, err := s.OpenMember("g1", s.Name("g1", "set"), member); err != nil || set != "set" || opened != "member" {
			t.Errorf("%s, a member opens as %q of %q, %v", name, opened, set, err)
		}
		if again := s.Member("g1", "set", "member"); again != member {
			t.Errorf("%s, a member that is sealed again differs", name)
		}
	}
	s, sealed := New(counting(1)), New(counting(1)).Member("g1", "set", "member")
	if _, member, err := s.OpenMember("g1", s.Name("g1", "other"), sealed); err == nil {
		t.Errorf("a member opens as %q of another set", member)
	}
	if _, _, err := New(counting(2)).OpenMember("g1", s.Name("g1", "set"), sealed); err == nil {
		t.Error("a member opens with another key")
	}
}

func TestAMasterKeyIsReadInEveryUsualForm(t *testing.T) {
	k := counting(0xE0)
	standard := k.Text()
	for _, text := range []string{
		standard, standard + "\n", strings.TrimRight(standard, "="), hex.EncodeToString(k.secret[:]),
		strings.NewReplacer("+", "-", "/", "_").Replace(standard),
	} {
		if read, err := ParseKey(text); err != nil || read.secret != k.secret {
			t.Errorf("%q is read with %v, want the same key and no error", text, err)
		}
	}
	for _, text := range []string{"", "swordfish", standard[1:], standard + standard, strings.Repeat("0", 63)} {
		if _, err := ParseKey(text); !errors.Is(err, errKey) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q is read with %v, want %v that does not repeat it", text, err, errKey)
		}
	}
}

// TestAKeyFileAppearsWholeOrNotAtAll has several make the same file while others read it. Nobody
// reads a part of a key, all get the same one, and nothing else stays in the folder. A reader of a
// file that is written after it was created meets it in part.
func TestAKeyFileAppearsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for range 25 {
		dir := t.TempDir()
		name := filepath.Join(dir, "heddle.key")
		const makers = 4
		keys := make([]string, makers)
		var all sync.WaitGroup
		for i := range makers {
			all.Go(func() {
				key, _, err := MakeFile(name)
				if err != nil {
					t.Error(err)
					return
				}
				keys[i] = key.Text()
			})
			all.Go(func() {
				for err := fs.ErrNotExist; errors.Is(err, fs.ErrNotExist); {
					if _, err = ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("a reader meets %v, want a whole key or none", err)
					}
				}
			})
		}
		all.Wait()
		if different := slices.Compact(keys); len(different) != 1 {
			t.Errorf("the makers get %d keys, want one", len(different))
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("%d files are left, %v, want one", len(files), err)
		}
	}
}

// TestAPartOfAKeyIsReplaced has files that a kill, a full disk or a loss of power left, and others
// that somebody wrote, which stay.
func TestAPartOfAKeyIsReplaced(t *testing.T) {
	t.Parallel()
	whole := counting(1).Text()
	for text, replaced := range map[string]bool{
		"": true, "\n": true, whole[:20]: true, strings.Repeat("\x00", 45): true,
		whole: false, whole + whole: false, "correct horse, battery staple": false, "<html>": false,
	} {
		name := filepath.Join(t.TempDir(), "heddle.key")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, made, err := MakeFile(name)
		left, _ := os.ReadFile(name)
		switch {
		case made != replaced || replaced == (string(left) == text):
			t.Errorf("a file with %q is replaced: %t, want %t", text, made, replaced)
		case !replaced && text != whole && !errors.Is(err, errKey):
			t.Errorf("a file with %q is read with %v, want %v", text, err, errKey)
		}
	}
}

// FuzzOpen checks that arbitrary bytes in a store are refused without a panic.
func FuzzOpen(f *testing.F) {
	s := New(counting(1))
	f.Add([]byte(s.Value("g1", "turn", "value")))
	f.Add([]byte(s.Member("g1", "set", "member")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if name, value, err := s.OpenValue("g1", s.Name("g1", "turn"), b); err == nil && (name != "turn" || string(value) != "value") {
			t.Errorf("%x opens as %q, want an error", b, value)
		}
		if set, member, err := s.OpenMember("g1", s.Name("g1", "set"), string(b)); err == nil && (set != "set" || member != "member") {
			t.Errorf("%x opens as the member %q, want an error", b, member)
		}
		_, _, _ = New(nil).OpenValue("g1", "turn", b)
	})
}
