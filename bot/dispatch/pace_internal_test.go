package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
)

// TestAFewChannelsAreReadAtOnceAndMoreInTime has many channels become overdue at the same
// time, and some later.
func TestAFewChannelsAreReadAtOnceAndMoreInTime(t *testing.T) {
	t.Parallel()
	b, now := &burst{}, time.Now()
	for _, step := range []struct {
		pause time.Duration
		want  int
	}{{0, readAtOnce}, {readLater - 1, 0}, {1, 1}, {3 * readLater, 3}, {time.Hour, readAtOnce}} {
		now = now.Add(step.pause)
		got := 0
		for b.take(now) {
			got++
		}
		if got != step.want {
			t.Errorf("%s later %d channels are read at once, want %d", step.pause, got, step.want)
		}
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
func overdueChannels(n, used graph.ChannelID) *pace {
	p := newPace()
	for id := range n {
		if id%(n/used) == 0 {
			p.unread.use(id + 1)
		}
		p.unread.add(overdue{channel: id + 1, last: 1})
	}
	return p
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
				p := overdueChannels(channels, used)
				ctx, stop := context.WithCancel(t.Context())
				began, read := time.Now(), 0
				prepare := func(context.Context) bool { return true }
				p.run(ctx, test.room, prepare, func(o overdue) {
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

// TestExtraReadsAreDoneLastAndSeldom adds more extra reads than are done in their time,
// together with overdue channels. These are read first. What is more is never done, and
// later there is room for more.
func TestExtraReadsAreDoneLastAndSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const channels = 50
		p := overdueChannels(channels, 1)
		read, done := 0, 0
		add := func() {
			for range 3 * mostExtra {
				p.extra.add(func() {
					if done++; read < channels {
						t.Errorf("after %d of %d channels an extra read is done, want it last", read, channels)
					}
				})
			}
			p.wake()
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*extraIn)
		defer stop()
		add()
		time.AfterFunc(extraIn/2, add)
		time.AfterFunc(extraIn+extraIn/2, add)
		p.run(ctx, rooms{}, func(context.Context) bool { return true }, func(overdue) { read++ })
		if read != channels || done != 2*mostExtra {
			t.Errorf("%d channels were read and %d extra reads were done, want %d and %d", read, done, channels, 2*mostExtra)
		}
	})
}
