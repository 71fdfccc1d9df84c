package path_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// recalling returns a tail that quotes what ann and bob said.
func recalling() path.Tail {
	said := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	return path.Tail{Now: said.Add(100 * time.Hour), Recalled: []path.Recalled{
		{Turn: user("ann", "the kiln"), Author: 1, Said: said, Link: "https://discord.com/channels/1/2/3"},
		{Turn: user("bob", "the oven"), Author: 2, Said: said, Link: "https://discord.com/channels/1/2/4"},
	}}
}

func TestWhatIsRecalledIsQuotedWithItsDayAndLink(t *testing.T) {
	text := recalling().Text(func(turn path.Turn) string { return turn.Speaker + ": " + turn.PlainText() })
	for _, line := range []string{
		"[heddle: said 2026-11-02 09:30 UTC, https://discord.com/channels/1/2/3]\nann: the kiln\n",
		"[heddle: said 2026-11-02 09:30 UTC, https://discord.com/channels/1/2/4]\nbob: the oven",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("want %q in %q", line, text)
		}
	}
	if text := (path.Tail{}).Text(nil); strings.Contains(text, "Older messages") {
		t.Errorf("nothing is recalled: %q, want no %q in it", text, "Older messages")
	}
}

func TestWhatIsRecalledMustBeEqualInWordsAndPeople(t *testing.T) {
	facts := recalling().Facts(path.Options{})
	for name, test := range map[string]struct {
		change func(*path.Tail)
		equal  bool
	}{
		"at another time": {func(t *path.Tail) { t.Recalled[0].Said = t.Now }, true},
		"elsewhere":       {func(t *path.Tail) { t.Recalled[0].Link = "" }, true},
		"other words":     {func(t *path.Tail) { t.Recalled[0].Turn = user("ann", "the loom") }, false},
		"a namesake":      {func(t *path.Tail) { t.Recalled[1].Author = graph.UserID(3) }, false},
		"in another order": {func(t *path.Tail) {
			t.Recalled[0], t.Recalled[1] = t.Recalled[1], t.Recalled[0]
		}, false},
		"one less": {func(t *path.Tail) { t.Recalled = t.Recalled[:1] }, false},
		"nothing":  {func(t *path.Tail) { t.Recalled = nil }, false},
	} {
		tail := recalling()
		test.change(&tail)
		if got := tail.Facts(path.Options{}) == facts; got != test.equal {
			t.Errorf("%s: equal facts is %t, want %t", name, got, test.equal)
		}
	}
}
