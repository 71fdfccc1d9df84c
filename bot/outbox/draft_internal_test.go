package outbox

import (
	"strings"
	"testing"
)

// TestWhatEndedBeforeItWasShownIsNotSent has what was being done end between the look
// for something to show and the call that shows it.
func TestWhatEndedBeforeItWasShownIsNotSent(t *testing.T) {
	t.Parallel()
	d := &draft{outbox: New(nil, Config{}), text: source{doing: "Looking…"}} // without REST: a call would panic
	if some, _ := d.pending(); !some {
		t.Fatal("there is nothing to show")
	}
	d.text.doing = ""
	if err := d.grow(t.Context()); err != nil || len(d.sent) != 0 {
		t.Errorf("%d messages were sent, %v, want 0 and no error", len(d.sent), err)
	}
}

// TestASpoilerIsHiddenWhileItGrows shows an answer word by word: what is to be hidden never
// stands in the open.
func TestASpoilerIsHiddenWhileItGrows(t *testing.T) {
	t.Parallel()
	d := &draft{outbox: New(nil, Config{})}
	for _, step := range []struct{ more, shown string }{
		{"It was ", "It was"},
		{"||", "It was"},
		{"the butler", "It was ||the butler||"},
		{" with a rope", "It was ||the butler with a rope||"},
		{"||.", "It was ||the butler with a rope||."},
	} {
		d.text.tail += step.more
		if got := d.text.unfinished(DefaultIndicator); got != step.shown+DefaultIndicator {
			t.Errorf("after %q it shows %q, want %q", step.more, got, step.shown)
		}
	}
	d.text.tail = "a || b"
	if got := d.next().text; got != "a || b" {
		t.Errorf("in the end it says %q, want %q", got, "a || b")
	}
}

// TestASpoilerIsHiddenHoweverFullTheMessageIs shows an answer letter by letter up to the
// limit of a message and beyond: no shown text opens a spoiler that it does not close.
func TestASpoilerIsHiddenHoweverFullTheMessageIs(t *testing.T) {
	t.Parallel()
	for from := Limit - 40; from < Limit; from++ {
		d := &draft{outbox: New(nil, Config{})}
		d.text.tail = strings.Repeat("x", from) + "||"
		for range 80 {
			d.text.tail += "y"
			if c := d.next(); c.more {
				d.text.skip(c)
			}
			shown := d.text.unfinished(DefaultIndicator)
			if n := strings.Count(shown, veil); n%2 != 0 || units(shown) > Limit {
				t.Fatalf("%d characters with %d bars are shown, want at most %d and every spoiler closed: …%q", units(shown), 2*n, Limit, shown[max(0, len(shown)-60):])
			}
		}
	}
}
