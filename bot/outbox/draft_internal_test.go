package outbox

import "testing"

// TestWhatEndedBeforeItWasShownIsNotSent has what was being done end between the look
// for something to show and the call that shows it.
func TestWhatEndedBeforeItWasShownIsNotSent(t *testing.T) {
	t.Parallel()
	d := &draft{outbox: New(nil, Config{}), doing: "Looking…"} // without REST: a call would panic
	if some, _ := d.pending(); !some {
		t.Fatal("there is nothing to show")
	}
	d.doing = ""
	if err := d.grow(t.Context()); err != nil || len(d.sent) != 0 {
		t.Errorf("%d messages were sent, %v", len(d.sent), err)
	}
}
