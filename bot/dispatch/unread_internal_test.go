package dispatch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
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
	for u.takeLocked() { // the reads without a pause
	}
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

// rooms lets every request pass at once, or none.
type rooms struct{ none bool }

func (r rooms) AwaitRoom(ctx context.Context, most time.Duration) {
	if r.none {
		_ = wait.For(ctx, most)
	}
}

// overdueChannels returns what is to be read when channels 1 to n are overdue. People asked
// lately in as many of them as are used, which lie equally far apart.
func overdueChannels(n, used graph.ChannelID) *unread {
	u := newUnread()
	for u.takeLocked() { // the reads without a pause
	}
	for id := range n {
		if id%(n/used) == 0 {
			u.use(id + 1)
		}
		u.add(overdue{channel: id + 1, last: 1})
	}
	return u
}

// TestTenThousandChannelsAreReadInTime catches 10,000 channels up, by a clock of the test's,
// while Discord has room and while it has none. People asked lately in 100 of them, which
// come first and need no room.
func TestTenThousandChannelsAreReadInTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		room rooms
		most time.Duration
	}{
		"Discord has room":    {rooms{}, 8*time.Minute + 20*time.Second},
		"Discord has no room": {rooms{none: true}, 33*time.Minute + 20*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const channels, used = 10_000, 100
				u := overdueChannels(channels, used)
				ctx, stop := context.WithCancel(t.Context())
				began, read := time.Now(), 0
				prepare := func(context.Context) bool { return true }
				u.run(ctx, test.room, prepare, func(o overdue) {
					if read++; read == used && time.Since(began) > used*readApart {
						t.Errorf("where people asked lately was read after %s, want at most %s", time.Since(began), used*readApart)
					}
					if read <= used && (o.channel-1)%(channels/used) != 0 {
						t.Errorf("channel %s is number %d to be read, want the %d in which people asked lately first", o.channel, read, used)
					}
					if read == channels {
						stop()
					}
				})
				t.Logf("%s for %d channels", time.Since(began), channels)
				if took := time.Since(began); took > test.most {
					t.Errorf("%d channels took %s, want %s at most", channels, took, test.most)
				}
			})
		})
	}
}

// TestWhatCanWaitIsDoneLastAndSeldom adds more work that can wait than is done in its time,
// together with overdue channels. These are read first. What is more is never done, and
// later there is room for more.
func TestWhatCanWaitIsDoneLastAndSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const channels = 50
		u := overdueChannels(channels, 1)
		read, done := 0, 0
		add := func() {
			for range 3 * mostListed {
				u.last(func() {
					if done++; read < channels {
						t.Errorf("after %d of %d channels other work is done, want it last", read, channels)
					}
				})
			}
			u.wake()
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*listedIn)
		defer stop()
		add()
		time.AfterFunc(listedIn/2, add)
		time.AfterFunc(listedIn+listedIn/2, add)
		u.run(ctx, rooms{}, func(context.Context) bool { return true }, func(overdue) { read++ })
		if read != channels || done != 2*mostListed {
			t.Errorf("%d channels were read and %d times other work was done, want %d and %d", read, done, channels, 2*mostListed)
		}
	})
}
