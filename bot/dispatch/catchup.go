package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// read catches up on one channel. While Discord is away it tries again, until the
// questions would be too old.
func (d *catcher) read(o overdue) {
	err := d.queues.push(o.channel, job{by: asker{guild: o.guild}, run: func(ctx context.Context) {
		now := d.REST.Now()
		o.from = max(o.from, graph.FirstMessageID(now.Add(-d.life())))
		err := d.find(ctx, o)
		switch {
		case err == nil, discord.IsForbidden(err):
		case reply.MaySucceedLater(err) && now.Sub(o.since) < d.life():
			d.Log.InfoContext(ctx, "a channel could not be caught up for now, this is tried again", "channel", o.channel, "error", err)
			time.AfterFunc(store.Retry, func() { d.add(o) })
		default:
			d.Log.WarnContext(ctx, "a channel could not be caught up, questions in it may stay unanswered", "channel", o.channel, "error", err)
		}
	}})
	if errors.Is(err, errFull) { // otherwise heddle stops, if it fails
		time.AfterFunc(store.Retry, func() { d.add(o) })
	}
}

// find reads a channel. It starts the tasks of the questions that were missed in it, of
// questions that were edited since they were answered, of answers that broke off, and of
// answers to questions that were deleted.
func (d *catcher) find(ctx context.Context, o overdue) error {
	known, err := d.meetChannel(ctx, o.guild, o.channel)
	switch {
	case discord.IsNotFound(err), err == nil && !known:
		return nil
	case err != nil:
		return err
	}
	messages, err := d.reader.read(ctx, o.channel, o.from)
	if err != nil {
		return err
	}
	place := d.Guilds.Place(o.channel, o.guild)
	answers := d.reader.answersIn(messages, place.Self.User)
	read := make(map[graph.MessageID]bool)
	for i := range messages {
		m := &messages[i]
		m.Guild = o.guild
		if read[m.ID] = m.ID >= o.from; !read[m.ID] {
			continue
		}
		v := d.judge(m, messages[:i], place)
		if v.Kind == questions.Nothing {
			continue
		}
		if err := d.identify(ctx, o.guild, m); err != nil {
			return err
		}
		d.findOne(ctx, v, m, answers[v.Question.ID], place)
	}
	for answered, stands := range answers {
		question, abandoned := stands.abandoned(answered, o.from)
		if !abandoned || read[question] || !d.isQuestion(ctx, o.channel, question) {
			continue
		}
		t := d.newTask(questionOf(&discord.Message{ID: question, Channel: o.channel, Guild: o.guild}, place), asker{guild: o.guild}, time.Time{})
		t.looks = true
		d.start(t)
	}
	return nil
}

// findOne starts the task of a question in a page, which a message of that page asks, if that is
// needed. stands is its answer.
func (d *catcher) findOne(ctx context.Context, v questions.Verdict, by *discord.Message, stands standing, place guilds.Place) {
	q := *v.Question
	q.Guild, q.Member = by.Guild, by.Member
	d.noteAsked(q.ID, by.ID)
	stays := stands.state >= unclear || d.turnsAway(&q, place)
	switch {
	case stays && q.Edited.IsZero(), v.Kind == questions.Changed && stands.state != half, stands.state != half && d.isDone(ctx, &q):
	case stays:
		d.History.Hold(&q)
		d.ask(&q, by, place)
	default:
		telemetry.Count(ctx, telemetry.CaughtUp)
		t := d.newTask(questionOf(&q, place), askerOf(&q), q.Edited)
		t.news.asked, t.looks = v.Kind == questions.Asks, stands.state != none
		d.start(t)
	}
}

// identify adds the roles of its author to a message that was read rather than heard,
// if they decide whether it is answered. Somebody who has left the guild has no roles.
func (d *answerer) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if !d.Gate.NeedsRoles(d.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := d.Guilds.Member(ctx, guild, m.Author.ID)
	switch {
	case discord.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("find out whether %s may ask: %w", m.Author.ID, err)
	default:
		m.Member = &member
	}
	return nil
}

// isDone reports whether a question is known to be answered as it reads. A bot that is in use for
// a day has answered thousands of edits, which must not be looked at after every gap.
func (d *catcher) isDone(ctx context.Context, m *discord.Message) bool {
	_, done, err := d.Store.Claims.IsDone(ctx, store.TriggerClaim(m.ID).At(m.Edited))
	return done && err == nil // otherwise the attempt meets the error
}

// isQuestion reports whether a message is a question, or no longer exists.
func (d *catcher) isQuestion(ctx context.Context, channel graph.ChannelID, id graph.MessageID) bool {
	m, err := d.reader.message(ctx, channel, id)
	if err != nil {
		return discord.HasCode(err, discord.CodeUnknownMessage)
	}
	return d.judge(&m, nil, d.Guilds.Place(channel, m.Guild)).Kind != questions.Nothing
}

// takeBackForgotten looks on Discord for answers to deleted messages that are older than what
// the store remembers, and takes them back. It reads the page that follows the oldest of them,
// as answers stand close to their questions.
func (d *Dispatcher) takeBackForgotten(deleted discord.Delete) {
	oldest := slices.Min(deleted.Messages)
	_ = d.presses.push(press{message: oldest}, job{by: asker{guild: deleted.Guild}, run: func(ctx context.Context) {
		since, err := d.Store.Backlog.Since(ctx)
		if err != nil || !oldest.Time().Before(since) {
			return
		}
		page, err := discord.ReadPage(ctx, d.REST, deleted.Channel, "after", oldest)
		slices.SortFunc(page.Messages, byID)
		answers := d.reader.answersIn(page.Messages, d.Guilds.Self().ID)
		for _, id := range deleted.Messages {
			if stands := answers[id]; err != nil || len(stands.parts) > 0 { // a task is tried again
				d.takeBack(deleted, id, stands.parts)
			}
		}
	}}) // it fails only if heddle stops
}
