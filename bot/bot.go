// Package bot knows Discord and the flow of a mention:
//
//	gateway event → history (the channel's log stays true) → does it ask heddle? →
//	the channel's queue → claim → graph → path → answered before? → model → outbox
//
// The gateway's goroutine only updates what is held in memory and enqueues; all
// waiting happens in the queues' goroutines. Run starts every goroutine of the bot
// and returns when all have ended.
package bot

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"heddle/bot/deferred"
	"heddle/bot/work"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// recentTriggers is how many triggers a process remembers without the store's help.
const recentTriggers = 4096

// Bot answers mentions. New makes one.
type Bot struct {
	rest      *discord.REST
	gateway   Gateway
	history   *fetch.History
	outbox    *outbox.Outbox
	model     Model
	responses Responses
	standing  Standing
	offers    Offers
	deletions Deletions
	claims    Claims
	waiting   Waiting
	directs   Directs
	ranks     Ranks
	ratings   Ratings
	files     Files
	loop      *tools.Loop
	settings  Settings
	observer  Observer
	log       *slog.Logger
	now       func() time.Time

	guilds      *guilds.Cache
	permissions *guilds.Permissions
	recent      *recent
	writes      *deferred.Writes
	later       *later
	blind       *blind
	flights     *flights
	inflight    *work.Inflight
	leases      *work.Leases
	holding     *holding
	behind      *behind
	contents    *contents
	counts      counts
	meter       *meter
	sight       *sight

	connected atomic.Bool // set by the receiver
}

// New checks what a bot needs and makes one. It connects to nothing yet.
func New(deps Deps) (*Bot, error) {
	if err := deps.check(); err != nil {
		return nil, err
	}
	deps.Settings.setDefaults()
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Observer == nil {
		deps.Observer = unobserved{}
	}
	cache, leases := guilds.New(), work.NewLeases(deps.Store.Claims, deps.Settings.Lease, deps.Now)
	return &Bot{
		rest: deps.REST, gateway: deps.Gateway, history: deps.History, outbox: deps.Outbox, model: deps.Model,
		responses: deps.Store.Responses, standing: deps.Store.Displays, offers: deps.Store.Displays, deletions: deps.Store.Deletions, claims: deps.Store.Claims,
		waiting: deps.Store.Backlog, directs: deps.Store.Backlog, ranks: deps.Store.Measures, ratings: deps.Store.Ratings, files: deps.Files, loop: tools.NewLoop(deps.Model, deps.Tools, deps.Settings.Tools, deps.Log), contents: newContents(),
		settings: deps.Settings, observer: deps.Observer, log: deps.Log, now: deps.Now,
		guilds: cache, permissions: guilds.NewPermissions(deps.REST, cache), recent: newRecent(recentTriggers), writes: deferred.New(deps.Log), later: newLater(), blind: newBlind(), flights: newFlights(), sight: newSight(deps.Settings.Sight, deps.Sight), meter: newMeter(deps.Store.Measures, deps.Model.Model()), inflight: work.NewInflight(), leases: leases, holding: newHolding(), behind: newBehind(),
	}, nil
}

// Connected says whether events come from Discord at the moment.
func (b *Bot) Connected() bool { return b.connected.Load() }

// Run connects and answers until ctx ends; then it lets the answers under way end,
// for at most Settings.Grace and a moment for their last words, and returns nil. An
// error is one that no waiting cures, such as a wrong token.
func (b *Bot) Run(ctx context.Context) error {
	if err := b.introduce(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	queues := newQueues(working, b.settings.Parallel, b.settings.Waiting, b.answerWaiting)
	presses := newQueues(working, b.settings.Parallel, 1, func(graph.ChannelID) job { return job{run: func(context.Context) {}} })

	var background, writing sync.WaitGroup
	writing.Go(func() { b.writes.Run(context.WithoutCancel(ctx)) })
	background.Go(func() { b.later.run(working, queues.push) })
	background.Go(func() { b.followForgotten(working) })
	leaving, leave := context.WithCancel(ctx)
	defer leave()
	background.Go(func() {
		<-leaving.Done()
		if wait.For(working, b.settings.Grace) == nil {
			stop(work.ErrShutdown)
		}
	})

	err := b.gateway.Run(ctx, &receiver{bot: b, queues: queues, presses: presses})
	leave() // without a gateway, whatever ended it
	presses.close()
	queues.close()
	b.writes.Close()
	writing.Wait()
	stop(nil)
	b.log.InfoContext(ctx, "where answers came from", "counts", b.Stats())
	background.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err //nolint:wrapcheck // a sentence for the operator
}
