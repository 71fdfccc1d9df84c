package chaos_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/limittest"
	"heddle/internal/wait"
	"heddle/store/bolt"
)

// dice is the source of random choices of one goroutine that breaks things. Each
// goroutine has its own, so that a seed repeats the choices.
type dice struct{ *rand.Rand }

// pause waits for a random time of less than most.
func (d dice) pause(ctx context.Context, most time.Duration) {
	_ = wait.For(ctx, time.Duration(d.Int64N(int64(most)))) // the caller notices if ctx has ended
}

// breaks breaks processes and Discord, one thing after another, until ctx ends. It
// repairs each before the next.
func (r *run) breaks(ctx context.Context) {
	d := dice{rand.New(rand.NewPCG(r.seed, 1))}
	for ctx.Err() == nil {
		p := r.all[d.IntN(len(r.all))]
		switch d.IntN(10) {
		case 0:
			r.kills.Add(1)
			p.end(syscall.SIGKILL)
			d.pause(ctx, time.Second)
			r.must(p.start())
		case 1:
			r.kills.Add(1)
			p.end(syscall.SIGTERM)
			r.must(p.start())
		case 2:
			p.signal(syscall.SIGSTOP)
			d.pause(ctx, 5*time.Second)
			p.signal(syscall.SIGCONT)
		default:
			r.breaksDiscord(ctx, d)
		}
		r.faults.Add(1)
		d.pause(ctx, 700*time.Millisecond)
	}
}

// breaksDiscord makes Discord fail once, at accepting a request or at sending events.
func (r *run) breaksDiscord(ctx context.Context, d dice) {
	switch d.IntN(7) {
	case 0:
		fault := discordtest.BadGateway(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage))
		fault.After, fault.Times = d.IntN(2) == 0, 1+d.IntN(6)
		r.discord.Faults.Inject(fault)
	case 1:
		create := discordtest.On(discordtest.RouteCreateMessage)
		r.discord.Faults.Inject(discordtest.TooMany(create, discordtest.ScopeUser, time.Duration(d.IntN(4000))*time.Millisecond))
	case 2:
		r.discord.Gateway.CloseSockets(1006)
	case 3:
		r.discord.Gateway.Invalidate()
	case 4:
		r.twists(ctx, d, discordtest.Doubled)
	case 5:
		r.twists(ctx, d, discordtest.Swapped)
		r.discord.Gateway.Invalidate() // an event that Swapped still keeps is lost
	default:
		r.twists(ctx, d, discordtest.Dropped)
		r.discord.Gateway.Invalidate() // Discord loses events when it loses sessions
	}
}

// twists changes the events about messages for a while.
func (r *run) twists(ctx context.Context, d dice, how func(events ...string) func(discordtest.Event) []discordtest.Event) {
	remove := r.discord.Events.Intercept(how("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE"))
	d.pause(ctx, 2*time.Second)
	remove()
}

// breaksStores breaks Redis, disks and the connections to them until ctx ends, and
// repairs each before the next. It runs beside breaks. Each round makes other choices.
func (r *run) breaksStores(ctx context.Context, round int) {
	d := dice{rand.New(rand.NewPCG(r.seed, uint64(round)<<8|4))}
	for ctx.Err() == nil {
		d.pause(ctx, 5*time.Second)
		p := r.all[d.IntN(len(r.all))]
		if r.redis == nil {
			r.fillsDisk(ctx, p, d)
		} else {
			r.breaksRedis(ctx, p, d)
		}
		r.faults.Add(1)
	}
}

// fillsDisk fills the disk of a process for a while, so that either every write fails,
// or only writes beyond the current size of the store's file.
func (r *run) fillsDisk(ctx context.Context, p *process, d dice) {
	var room int64
	if d.IntN(2) == 0 {
		if info, err := os.Stat(filepath.Join(p.dir, bolt.FileName)); err == nil {
			room = info.Size()
		}
	}
	p.room(room)
	d.pause(ctx, 6*time.Second)
	p.room(limittest.Unlimited)
}

// breaksRedis takes Redis away from one or all processes for a while, or removes its
// contents.
func (r *run) breaksRedis(ctx context.Context, p *process, d dice) {
	switch d.IntN(6) {
	case 0:
		r.must(r.redis.Pause())
		d.pause(ctx, 3*time.Second)
		r.must(r.redis.Resume())
	case 1:
		r.redis.Kill()
		d.pause(ctx, 2*time.Second)
		r.must(r.redis.Restart(context.WithoutCancel(ctx)))
	case 2:
		_, err := r.redis.Do(context.WithoutCancel(ctx), "FLUSHALL")
		r.must(err)
		r.emptied.Store(time.Now().UnixNano())
	default:
		mend, err := p.redis.Trouble(ctx, d.Rand)
		if err != nil {
			r.t.Error(err)
			return
		}
		d.pause(ctx, 4*time.Second)
		mend()
	}
}
