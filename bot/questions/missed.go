package questions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	// mostDirects bounds the direct messages that are caught up on, the latest first, as each
	// costs a request.
	mostDirects = 250
	// mostHeard bounds the channels whose last heard message is remembered.
	mostHeard = 1 << 17
	// mostUsed bounds the channels of which it is remembered that people ask there.
	mostUsed = 1 << 15
	// reordered bounds how much later than a newer message's event a message's event may
	// come. A message that is older than the newest one heard by no more than this counts
	// as not heard.
	reordered = 10 * time.Second
	// mostHeardOf bounds the channels that are read each minute although everything in them was
	// heard: somebody may have edited what they said there into a question.
	mostHeardOf = 20
	// readApart is the pause between two channels that are read, for 20 a second, and readLater
	// that after one in which nobody asked lately. Discord grants 50 requests a second, which
	// several processes may share.
	readApart, readLater = time.Second / 20, time.Second / 10
)

// overdue is a channel in which something may have been said or edited unheard.
type overdue struct {
	guild   graph.GuildID
	channel graph.ChannelID
	from    graph.MessageID // messages before it were heard, or are too old
	since   time.Time       // by Discord's clock: when it became overdue
}

// unread holds the channels that wait to be read as heddle may have missed something there. Those in
// which people asked lately come first, and are read even if nothing was said there, as a question
// may have been edited.
//
// mu guards the fields below it; it is never held over I/O.
type unread struct {
	heard *lru.Cache[graph.ChannelID, heard]    // what was heard
	used  *lru.Cache[graph.ChannelID, struct{}] // where people asked
	more  wait.Signal                           // there is more to read

	mu      sync.Mutex
	waiting map[graph.ChannelID]overdue
	arrived map[graph.GuildID]bool // guilds whose used channels are yet to be looked up; 0: direct messages
	since   time.Time              // the end of the latest gap in the events
	again   time.Time              // the minute in which heardOf channels were read
	heardOf int                    // channels that were read although everything in them was heard
}

// heard is what was heard in a channel: the newest message, and how many.
type heard struct {
	last  graph.MessageID
	count int
}

func newUnread() *unread {
	said, _ := lru.New[graph.ChannelID, heard](mostHeard) // the size is positive
	used, _ := lru.New[graph.ChannelID, struct{}](mostUsed)
	return &unread{
		heard: said, used: used, more: wait.NewSignal(),
		waiting: make(map[graph.ChannelID]overdue), arrived: make(map[graph.GuildID]bool),
	}
}

// add adds a channel, or widens what is to be read in it.
func (u *unread) add(o overdue) {
	u.mu.Lock()
	if before, waits := u.waiting[o.channel]; waits {
		o.from = min(o.from, before.from)
	}
	u.waiting[o.channel] = o
	u.mu.Unlock()
	u.more.Set()
}

// arrives queues the look-up of the channels of guilds in which people asked.
func (u *unread) arrives(guilds ...graph.GuildID) {
	u.mu.Lock()
	for _, guild := range guilds {
		u.arrived[guild] = true
	}
	u.mu.Unlock()
	u.more.Set()
}

// note notes a message that was heard. It ignores messages from the future: a damaged id
// would otherwise make everything until then count as heard.
func (u *unread) note(m *discord.Message, now time.Time) {
	if before, _ := u.heard.Get(m.Channel); before.last < m.ID && !m.ID.Time().After(now.Add(discord.ClockError)) {
		u.heard.Add(m.Channel, heard{m.ID, before.count + 1})
	}
}

// mayHaveMissed reports whether something that was said in a channel soon before a message may have
// been missed.
func (u *unread) mayHaveMissed(said *discord.Message) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, _ := u.heard.Peek(said.Channel)
	isNext := before.last < said.ID && before.last.Time().After(u.since)
	return !isNext && said.ID.Time().Sub(u.since) <= partFor+discord.ClockError
}

// uses remembers that people ask in a channel. For a thread, its channel counts as used, too.
func (qs *Questions) uses(guild graph.GuildID, channel graph.ChannelID, place guilds.Place) {
	qs.unread.used.Add(channel, struct{}{})
	for _, used := range []graph.ChannelID{channel, place.Parent} {
		if used != 0 {
			qs.records.Add(func(ctx context.Context) error {
				return qs.Store.Backlog.Use(ctx, store.UsedChannel{Guild: guild, Channel: used})
			})
		}
	}
}

// CatchUp answers the missed questions that can be found without a guild: those that the
// store holds, and those in direct messages. CatchUpChannels answers those of guilds.
func (qs *Questions) CatchUp() {
	qs.CatchUpChannels(0, nil)
	qs.room.Set()
	qs.unread.arrives(0)
}

// CatchUpGuild answers the questions that were missed in the channels and threads of a
// guild, including threads in which people had asked and that were archived in the meantime.
func (qs *Questions) CatchUpGuild(guild *discord.Guild) {
	qs.CatchUpChannels(guild.ID, guild.Channels)
	qs.CatchUpChannels(guild.ID, guild.Threads)
	qs.unread.arrives(guild.ID)
	qs.room.Set()
}

// CatchUpChannels answers the questions that were missed in channels of a guild. It
// reads only channels with messages within Settings.CatchUp that this process did not
// hear, those in which people asked, and a few others. Claims keep answered questions from being answered
// again. What waits there for another attempt is tried at once.
func (qs *Questions) CatchUpChannels(guild graph.GuildID, channels []discord.Channel) {
	now := qs.REST.Now()
	since := now.Add(-qs.catchUp)
	qs.unread.mu.Lock()
	qs.unread.since = now
	qs.unread.mu.Unlock()
	for _, channel := range channels {
		o := overdue{guild: guild, channel: channel.ID, from: graph.FirstMessageID(since), since: now}
		known, _ := qs.unread.heard.Get(channel.ID)
		switch {
		case !channel.Last.Time().After(since), channel.Type.HasOnlyThreads():
			continue
		case qs.unread.used.Contains(channel.ID):
		case min(channel.Last, graph.FirstMessageID(now.Add(discord.ClockError))) <= known.last:
			if !qs.unread.mayReadHeard(now) {
				continue
			}
		case known.last > 0:
			o.from = max(o.from, graph.FirstMessageID(known.last.Time().Add(-reordered)))
		}
		qs.unread.add(o)
	}
	for _, t := range qs.tasks.hurry(channels) {
		qs.queue(t)
	}
}

// mayReadHeard reports whether a channel in which everything was heard may be read, and counts it.
func (u *unread) mayReadHeard(now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now.Sub(u.again) > time.Minute {
		u.again, u.heardOf = now, 0
	}
	u.heardOf++
	return u.heardOf <= mostHeardOf
}

// readMissed has the waiting channels read, one after the other, until ctx ends. However many
// there are, they leave room for other requests.
func (qs *Questions) readMissed(ctx context.Context) {
	for ctx.Err() == nil {
		qs.lookUpUsed(ctx)
		used, ok := qs.readNext()
		if !ok {
			_ = wait.Until(ctx, qs.unread.more, time.Hour) // the loop notices that ctx has ended
			continue
		}
		pause := readLater
		if used {
			pause = readApart
		}
		_ = wait.For(ctx, pause)
	}
}

// readNext queues the reading of a channel, if any waits, and reports whether people asked there
// lately. Whoever looks meanwhile finds the channel either waiting or queued.
func (qs *Questions) readNext() (used, ok bool) {
	qs.unread.mu.Lock()
	defer qs.unread.mu.Unlock()
	var next overdue
	for channel, o := range qs.unread.waiting {
		next, used, ok = o, qs.unread.used.Contains(channel), true
		if used {
			break
		}
	}
	if ok {
		delete(qs.unread.waiting, next.channel)
		qs.read(next)
	}
	return used, ok
}

// lookUpUsed looks up in which channels of the guilds that arrived people asked lately, so that
// those are read first. Threads among them that Discord no longer lists were archived. They are
// read as well, and so are direct messages, which Discord does not list either.
func (qs *Questions) lookUpUsed(ctx context.Context) {
	qs.unread.mu.Lock()
	arrived := qs.unread.arrived
	qs.unread.arrived = make(map[graph.GuildID]bool)
	qs.unread.mu.Unlock()
	if len(arrived) == 0 || qs.catchUp == 0 {
		return
	}
	used, err := qs.Store.Backlog.Used(ctx)
	if err != nil {
		qs.Log.Log(ctx, store.LogLevel(err), "where people asked lately could not be read, this is tried again", "error", err)
		time.AfterFunc(store.Retry, func() { qs.unread.arrives(slices.Collect(maps.Keys(arrived))...) })
		return
	}
	now, directs := qs.REST.Now(), 0
	for _, at := range used {
		if at.Guild == 0 {
			if directs++; directs > mostDirects {
				continue
			}
		}
		qs.unread.used.Add(at.Channel, struct{}{})
		if arrived[at.Guild] && (at.Guild == 0 || !qs.Guilds.Knows(at.Channel)) {
			qs.unread.add(overdue{guild: at.Guild, channel: at.Channel, from: graph.FirstMessageID(now.Add(-qs.catchUp)), since: now})
		}
	}
}

// read catches up on one channel. While Discord is away it tries again, until the
// questions would be too old.
func (qs *Questions) read(o overdue) {
	err := qs.queues.push(o.channel, job{by: asker{guild: o.guild}, run: func(ctx context.Context) {
		now := qs.REST.Now()
		o.from = max(o.from, graph.FirstMessageID(now.Add(-qs.life())))
		err := qs.find(ctx, o)
		switch {
		case err == nil, discord.IsForbidden(err):
		case reply.MaySucceedLater(err) && now.Sub(o.since) < qs.life():
			qs.Log.InfoContext(ctx, "a channel could not be caught up for now, this is tried again", "channel", o.channel, "error", err)
			time.AfterFunc(store.Retry, func() { qs.unread.add(o) })
		default:
			qs.Log.WarnContext(ctx, "a channel could not be caught up, questions in it may stay unanswered", "channel", o.channel, "error", err)
		}
	}})
	if errors.Is(err, errFull) { // otherwise heddle stops, if it fails
		time.AfterFunc(store.Retry, func() { qs.unread.add(o) })
	}
}

// find reads a channel. It starts the tasks of the questions that were missed in it, of
// questions that were edited since they were answered, of answers that broke off, and of
// answers to questions that were deleted.
func (qs *Questions) find(ctx context.Context, o overdue) error {
	known, err := qs.Guilds.Find(ctx, o.guild, o.channel)
	switch {
	case discord.IsNotFound(err), err == nil && !known:
		return nil
	case err != nil:
		return err
	}
	messages, err := qs.reader.read(ctx, o.channel, o.from)
	if err != nil {
		return err
	}
	place := qs.Guilds.Place(o.channel, o.guild)
	asked := qs.questionsIn(messages, o.guild, place)
	answers := qs.Answers.Standings(messages, place.Self.User, messagesOf(asked))
	read := make(map[graph.MessageID]bool)
	for i := range messages {
		read[messages[i].ID] = messages[i].ID >= o.from
	}
	for _, q := range asked {
		if q.last.ID < o.from {
			continue
		}
		if err := qs.identify(ctx, o.guild, q.last); err != nil {
			return err
		}
		read[q.first.ID], q.missed = true, true
		qs.findOne(ctx, q, answers[q.first.ID], place)
	}
	for answered, stands := range answers {
		question, abandoned := stands.Abandoned(answered, o.from)
		if !abandoned || read[question] || !qs.isQuestion(ctx, o.channel, question) {
			continue
		}
		t := qs.newTask(questionOf(&discord.Message{ID: question, Channel: o.channel, Guild: o.guild}, place), asker{guild: o.guild}, time.Time{})
		t.looks = true
		qs.start(t)
	}
	return nil
}

// messagesOf returns which question each of the messages belongs to.
func messagesOf(asked []*said) map[graph.MessageID]graph.MessageID {
	of := make(map[graph.MessageID]graph.MessageID)
	for _, q := range asked {
		for _, m := range q.messages {
			of[m.ID] = q.first.ID
		}
	}
	return of
}

// findOne starts the task of a question in a page if that is needed. stands is its answer.
func (qs *Questions) findOne(ctx context.Context, q *said, stands answer.Standing, place guilds.Place) {
	asks := q.asks()
	qs.parts.note(q)
	stays := stands.State >= answer.Unclear || qs.isAway(q, place)
	switch {
	case q.copied != 0:
		qs.replace(q.first, stands.Parts)
	case stays && q.version.IsZero(), q.kind == Changed && stands.State != answer.Half, stands.State != answer.Half && qs.isDone(ctx, q):
	case stays:
		for _, m := range q.messages {
			qs.History.Hold(ctx, m)
		}
		qs.ask(q, place)
	default:
		telemetry.Count(ctx, telemetry.CaughtUp)
		t := qs.newTask(questionOf(&asks, place), askerOf(&asks), q.version)
		t.news.asked, t.looks, t.missed = q.kind == Asks, stands.State != answer.Nothing, true
		qs.start(t)
	}
}

// identify adds the roles of its author to a message that was read rather than heard,
// if they decide whether it is answered. Somebody who has left the guild has no roles.
func (r *runner) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if !r.Gate.NeedsRoles(r.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := r.Guilds.Member(ctx, guild, m.Author.ID)
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
func (qs *Questions) isDone(ctx context.Context, q *said) bool {
	_, done, err := qs.Store.Claims.IsDone(ctx, store.TriggerClaim(q.first.ID).At(q.version))
	return done && err == nil // otherwise the attempt meets the error
}

// isQuestion reports whether a message is a question, or no longer exists.
func (qs *Questions) isQuestion(ctx context.Context, channel graph.ChannelID, id graph.MessageID) bool {
	m, err := qs.reader.message(ctx, channel, id)
	if err != nil {
		return discord.HasCode(err, discord.CodeUnknownMessage)
	}
	return qs.judge(&m, nil, qs.Guilds.Place(channel, m.Guild)).Kind != Nothing
}

// takeBackForgotten looks on Discord for answers to deleted messages that are older than what
// the store remembers, and takes them back. It reads the page that follows the oldest of them,
// as answers stand close to their questions.
func (qs *Questions) takeBackForgotten(deleted discord.Delete) {
	oldest := slices.Min(deleted.Messages)
	_ = qs.presses.push(press{message: oldest}, job{by: asker{guild: deleted.Guild}, run: func(ctx context.Context) {
		since, err := qs.Store.Backlog.Since(ctx)
		if err != nil || !oldest.Time().Before(since) {
			return
		}
		page, err := discord.ReadPage(ctx, qs.REST, deleted.Channel, "after", oldest)
		slices.SortFunc(page.Messages, byID)
		answers := qs.Answers.Standings(page.Messages, qs.Guilds.Self().ID, nil)
		for _, id := range deleted.Messages {
			if stands := answers[id]; err != nil || len(stands.Parts) > 0 { // a task is tried again
				qs.takeBack(deleted, id, stands.Parts)
			}
		}
	}}) // it fails only if heddle stops
}
