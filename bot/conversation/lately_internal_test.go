package conversation

import (
	"testing"
	"time"

	"heddle/graph"
)

func TestOnlyTheFirstChannelThatIsDueWakes(t *testing.T) {
	t.Parallel()
	l := newLately(time.Hour, func(graph.ChannelID) {})
	woken := func() bool {
		select {
		case <-l.wake:
			return true
		default:
			return false
		}
	}
	l.ask(Question{Channel: 1})
	if !woken() {
		t.Error("the first channel that is due does not wake")
	}
	l.ask(Question{Channel: 2})
	l.add(1)
	if woken() {
		t.Error("a channel that is due after another wakes, want no wake")
	}
	for range 2 {
		if _, in := l.next(time.Now().Add(latelyFor / 2)); in <= 0 {
			t.Error("a channel is examined before it is quiet, want it to wait")
		}
	}
	l.quiet = 0
	for _, want := range []graph.ChannelID{2, 1} { // something was said in 1 since
		if q, in := l.next(time.Now()); in > 0 || q.Channel != want {
			t.Errorf("channel %s is due in %s, want %s now", q.Channel, in, want)
		}
	}
	l.add(2)
	if !woken() {
		t.Error("the next channel that is due does not wake")
	}
}

func TestAChannelThatIsNoLongerWatchedIsNotDue(t *testing.T) {
	t.Parallel()
	l := newLately(0, func(graph.ChannelID) {})
	for channel := range graph.ChannelID(2 * latelyChannels) {
		l.ask(Question{Channel: channel + 1})
	}
	if l.due != latelyChannels {
		t.Errorf("%d channels are due, want %d, as many as are watched", l.due, latelyChannels)
	}
	if _, in := l.next(time.Now().Add(2 * latelyFor)); in <= 0 || l.due != 0 {
		t.Errorf("%d channels are due after all were dropped, want 0", l.due)
	}
}
