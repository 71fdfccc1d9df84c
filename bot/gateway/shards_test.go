package gateway_test

import (
	"errors"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func TestOneProcessRunsAllShards(t *testing.T) {
	t.Parallel()
	w := newTown(t, 12, discordtest.Options{Shards: 4, MaxConcurrency: 2})
	p := w.start(nil)
	w.awaitShards(4)
	w.said("hello", p)
	direct := w.discord.World.OpenDM(w.ann, w.bot.User)
	errtest.Must(w.discord.Chat.Post(direct, w.ann, discordtest.Draft{Content: "in private"}))(t)
	w.await("in private", p)
	p.mu.Lock()
	defer p.mu.Unlock()
	for text, n := range p.messages {
		if n != 1 {
			t.Errorf("%q came %d times, want once", text, n)
		}
	}
	for id, guilds := range p.reported {
		for guild := range guilds {
			if !(gateway.Shard{ID: id, Count: 4}).Has(guild) {
				t.Errorf("the guild %s came from shard %d, want the one to which it belongs", guild, id)
			}
		}
	}
	if s := p.shards.Status(); s.Connected != 4 || s.Apart != 0 {
		t.Errorf("the status is %+v, want 4 connected shards", s)
	}
}

func TestProcessesDivideShardsAsTheyComeAndGo(t *testing.T) {
	t.Parallel()
	w := newTown(t, 12, discordtest.Options{Shards: 6, MaxConcurrency: 6})
	w.shared()
	first := w.start(nil)
	w.awaitShards(6)
	second, third := w.start(nil), w.start(nil)
	w.settled([]*process{first, second, third}, 2, 2, 2)
	w.awaitShards(6)
	third.end()
	w.settled([]*process{first, second}, 3, 3)
	w.awaitShards(6)
	first.end()
	w.settled([]*process{second}, 6)
	w.awaitShards(6)
	w.said("after", second)
}

// TestMoreShardsAreBegunIfDiscordWantsThem has Discord close a shard as the bot has grown: its
// process ends, and begins more shards once it is started again.
func TestMoreShardsAreBegunIfDiscordWantsThem(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"alone": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, 12, discordtest.Options{Shards: 1, MaxConcurrency: 8})
			if shared {
				w.shared()
			}
			ended := w.start(nil)
			w.awaitShards(1)
			var processes []*process
			if shared {
				processes = append(processes, w.start(nil))
			}
			w.discord.Gateway.Recommend(4)
			w.discord.Gateway.CloseSockets(4011)
			select {
			case <-ended.done:
			case <-w.ctx.Done():
				t.Fatal("waited for a process to end that needs more shards")
			}
			if !errors.Is(ended.err, gateway.ErrShard) {
				t.Errorf("the process ends with %v, want %v", ended.err, gateway.ErrShard)
			}
			processes = append(processes, w.start(nil))
			w.awaitShards(4)
			w.said("after", processes...)
		})
	}
}

// TestIdentifiesOfOneKeyAreFiveSecondsApart starts 64 shards in three processes.
// Discord's clock runs ten times as fast, so that half a second counts as five.
func TestIdentifiesOfOneKeyAreFiveSecondsApart(t *testing.T) {
	t.Parallel()
	const processes, count, concurrency, faster = 3, 64, 16, 10
	began := time.Now()
	w := newTown(t, 64, discordtest.Options{
		Shards: count, MaxConcurrency: concurrency,
		Clock: func() time.Time { return began.Add(faster * time.Since(began)) },
	})
	w.shared()
	var all []*process
	for range processes {
		all = append(all, w.start(func(c *gateway.ShardsConfig) {
			c.Every, c.Lease = 5*time.Second/faster, 10*time.Second
		}))
	}
	w.settled(all, 21, 21, 22)
	w.awaitShards(count)
	last := make(map[int]time.Time)
	identifies := 0
	for _, h := range w.discord.Gateway.Handshakes() {
		if h.Resume {
			continue
		}
		identifies++
		key := h.Shard[0] % concurrency
		if apart := h.At.Sub(last[key]); apart < 5*time.Second {
			t.Errorf("shard %d identified %s after another with the same key, want at least 5s by Discord's clock", h.Shard[0], apart)
		}
		last[key] = h.At
	}
	t.Logf("%d identifies for %d shards", identifies, count)
	w.said("hello", all...)
}
