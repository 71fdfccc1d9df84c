package dispatch

import (
	"slices"
	"testing"

	"heddle/graph"
)

// TestWhereManyAskIsForgottenInTime has people ask in more channels than are remembered.
func TestWhereManyAskIsForgottenInTime(t *testing.T) {
	u := newUnread()
	for id := range graph.ChannelID(3 * mostUsed) {
		u.use(1, id+2)
	}
	if n := u.used.Len(); n != mostUsed {
		t.Errorf("%d channels are remembered, want %d", n, mostUsed)
	}
	if !u.used.Contains(1) {
		t.Error("a channel in which people ask all the time is forgotten, want it remembered")
	}
}

// TestAChannelThatIsUsedWhileItWaitsComesFirst has people ask in channels before and after
// these became overdue, and in some of them again.
func TestAChannelThatIsUsedWhileItWaitsComesFirst(t *testing.T) {
	u := newUnread()
	u.use(3)
	for id := range graph.ChannelID(5) {
		u.add(overdue{channel: id + 1, last: 1})
	}
	u.use(5, 3, 5)
	var order []graph.ChannelID
	for o, ok := u.next(); ok; o, ok = u.next() {
		order = append(order, o.channel)
	}
	if want := []graph.ChannelID{3, 5, 1, 2, 4}; !slices.Equal(order, want) {
		t.Errorf("the channels are read in the order %v, want %v", order, want)
	}
}

// TestAChannelThatWaitsIsReadOnceForEverythingMissed has messages missed in a channel that
// waits already.
func TestAChannelThatWaitsIsReadOnceForEverythingMissed(t *testing.T) {
	t.Parallel()
	u := newUnread()
	if o := (overdue{channel: 1, from: 5, last: 6}); u.widen(o) {
		t.Error("a channel is widened that does not wait, want that it is not")
	}
	u.add(overdue{channel: 1, from: 5, last: 6})
	u.add(overdue{channel: 1, from: 3, last: 4})
	if !u.widen(overdue{channel: 1, from: 7, last: 8}) {
		t.Error("a channel that waits is not widened, want that it is")
	}
	if o, ok := u.next(); !ok || o.from != 3 || o.last != 8 {
		t.Errorf("the channel is read from %d to %d, %t, want from 3 to 8", o.from, o.last, ok)
	}
	if o, ok := u.next(); ok {
		t.Errorf("%+v is read, too, want nothing more", o)
	}
}
