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
		t.Error("a channel in which people ask all the time is forgotten")
	}
}

// TestAChannelThatIsUsedWhileItWaitsComesFirst has people ask in channels before and after
// these became overdue, and in some of them again.
func TestAChannelThatIsUsedWhileItWaitsComesFirst(t *testing.T) {
	u := newUnread()
	for u.takeLocked() { // the reads without a pause
	}
	u.use(3)
	for id := range graph.ChannelID(5) {
		u.add(overdue{channel: id + 1, last: 1})
	}
	u.use(5, 3, 5)
	var order []graph.ChannelID
	for o, _, ok := u.next(); ok; o, _, ok = u.next() {
		order = append(order, o.channel)
	}
	if want := []graph.ChannelID{3, 5, 1, 2, 4}; !slices.Equal(order, want) {
		t.Errorf("the channels are read in the order %v, want %v", order, want)
	}
}
