// Package bot receives the gateway's events and routes each one to the packages below
// that handle it:
//
//	gateway event → history (the channel's log stays true) → guilds → questions
//	questions (queue, attempts) → answer (claim, look, decide, ask, keep)
//
// The gateway's goroutine only updates what is held in memory and enqueues; everything
// that waits runs in the queues' goroutines. Run starts every goroutine of the bot and
// returns when all have ended.
package bot

import (
	"context"
	"errors"
	"sync"
	"time"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// Bot answers questions. New makes one.
type Bot struct {
	deps     Deps
	settings Settings
	guilds   *guilds.Cache
	people   *guilds.People
	names    *guilds.Names
	gate     *questions.Gate
	leases   *answer.Leases
	writes   *store.Erasing
	files    *conversation.Files

	preparer *conversation.Preparer
	answers  *answer.Answerer
	commands *commands.Commands
}

// Stats returns the counts of requests and of where their answers came from.
func (b *Bot) Stats() answer.Stats { return b.answers.Stats() }

// meetTimeout bounds how long connecting waits for the store.
const meetTimeout = 2 * time.Second

// meet reads who opted out, before any message is heard.
func (b *Bot) meet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, meetTimeout)
	defer cancel()
	if err := b.people.Refresh(ctx); err != nil {
		b.deps.Log.DebugContext(ctx, "who opted out could not be read, this is tried again", "error", err)
	}
}

// Run connects and answers until ctx ends. It then gives the answers in progress at most
// Settings.Grace to finish, ends the others within a short time more, and returns nil. It
// returns an error only if retrying cannot help, for example after a wrong token.
func (b *Bot) Run(ctx context.Context) error {
	joined, leave := context.WithCancel(context.WithoutCancel(ctx))
	var joining sync.WaitGroup
	defer joining.Wait()
	defer leave()
	joining.Go(func() { b.leases.Follow(joined, b.deps.Log) })
	application, err := introduce(ctx, b.deps.REST, b.deps.Log)
	if err != nil {
		return err
	}
	return b.serve(ctx, application, b.deps.Gateway.Run)
}

// serve is Run once Discord has told which application heddle is. receive passes it events until
// ctx ends.
func (b *Bot) serve(ctx context.Context, application graph.UserID, receive func(context.Context, gateway.Handler) error) error {
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	b.meet(ctx)
	events := b.receive(working)

	var background, writing sync.WaitGroup
	writing.Go(func() { b.writes.Run(context.WithoutCancel(ctx)) })
	writing.Go(func() {
		for erased := range b.writes.Results() {
			events.erased(erased)
		}
	})
	writing.Go(func() { b.deps.Limits.Run(context.WithoutCancel(ctx)) })
	writing.Go(func() { b.names.Run(working) })
	background.Go(func() { b.askNames(working) })
	background.Go(func() { b.people.Follow(working) })
	background.Go(func() { b.preparer.Warm(working) })
	if b.settings.Deaf > 0 {
		background.Go(func() { questions.Listen(working, events.questions, b.deps.Gateway, b.settings.Deaf) })
	}
	background.Go(func() { b.commands.KeepRegistered(working, application) })
	leaving, leave := context.WithCancel(ctx)
	defer leave()
	background.Go(func() {
		<-leaving.Done()
		if wait.For(working, b.settings.Grace) == nil {
			stop(answer.ErrShutdown)
		}
	})

	var checking sync.WaitGroup
	checking.Go(func() {
		for found := range events.checker.Findings(leaving) {
			events.found(found)
		}
	})
	err := receive(ctx, events)
	leave() // needed if the gateway ended by itself
	events.questions.Stop()
	checking.Wait()
	b.writes.Close()
	stop(nil)
	b.deps.Log.InfoContext(ctx, "where answers came from", "counts", b.Stats())
	background.Wait()
	b.deps.Limits.Close() // by now nobody asks the model any more
	writing.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// askEvery is the least time between two requests for members. A shard may send 120 payloads in
// a minute, heartbeats included.
const askEvery = time.Second

// askNames asks Discord for the people whose names nobody knows, until ctx ends. No answer waits
// for that.
func (b *Bot) askNames(ctx context.Context) {
	for {
		guild, people, err := b.names.Wanted(ctx)
		if err != nil {
			return
		}
		if b.guilds.IsIn(guild) && !b.deps.Gateway.RequestMembers(guild, people) {
			b.names.Refused(store.Retry)
		}
		if wait.For(ctx, askEvery) != nil {
			return
		}
	}
}
