package bot

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"heddle/bot/commands"
	"heddle/bot/gateway"
	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// receiver handles the gateway's events in order, on one goroutine. It updates what is
// held in memory, passes each event to the rooms that it concerns, and never waits.
type receiver struct {
	*Bot

	questions *questions.Questions
	ratings   *commands.Ratings
	checker   *questions.Checker
	caughtUp  bool // direct messages and stored questions were caught up once
}

// Connected handles a new connection. Unless the session was resumed, events may have
// been missed: the channels' logs may then have gaps, and what was missed is caught up.
func (r *receiver) Connected(c gateway.Connected) {
	r.answers.Flows(r.deps.Gateway.Status().Flow())
	log := r.deps.Log
	if c.Shard.Count > 1 {
		log = log.With("shard", c.Shard.ID, "shards", c.Shard.Count)
	}
	if c.Resumed {
		log.Info("connected to Discord again, no event was missed")
		return
	}
	log.Info("connected to Discord", "user", c.Ready.User.ID, "guilds", len(c.Ready.Guilds))
	r.guilds.Ready(c.Ready)
	r.deps.History.SetSelf(c.Ready.User.ID)
	r.deps.History.Gap(func(channel graph.ChannelID) bool {
		guild := r.guilds.GuildOf(channel)
		return guild == 0 || c.Shard.Has(guild)
	})
	r.checker.Gap(c.Shard)
	if !r.caughtUp || c.Shard.Has(0) {
		r.caughtUp = true
		r.questions.CatchUp()
	}
}

// back handles the channels, all of one guild, that heddle can read again. It catches up on
// what was asked there in the meantime.
func (r *receiver) back(channels []discord.Channel) {
	if len(channels) == 0 {
		return
	}
	r.deps.History.Gap(func(channel graph.ChannelID) bool {
		return slices.ContainsFunc(channels, func(back discord.Channel) bool { return back.ID == channel })
	})
	r.checker.GapIn(channels[0].Guild)
	r.questions.CatchUpChannels(channels[0].Guild, channels)
}

// Disconnected notes that no events of a shard arrive until Connected is called for it
// again.
func (r *receiver) Disconnected() {
	r.answers.Flows(r.deps.Gateway.Status().Flow())
	r.deps.Log.Info("disconnected from Discord")
}

// Event handles one dispatch.
func (r *receiver) Event(name string, data json.RawMessage) {
	if err := r.take(name, data); err != nil {
		r.deps.Log.Warn("an event could not be read and is ignored", "event", name, "error", err)
	}
}

// take decodes an event and passes it to the method for its kind. Events that it does
// not name are about guilds and channels.
func (r *receiver) take(name string, data json.RawMessage) error {
	switch name {
	case "MESSAGE_CREATE":
		return decoded(data, r.created)
	case "MESSAGE_UPDATE":
		return decoded(data, r.updated)
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		return decoded(data, r.deleted)
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "MESSAGE_REACTION_REMOVE_EMOJI", "MESSAGE_REACTION_REMOVE_ALL":
		return decoded(data, func(reaction discord.Reaction) { r.reacted(name, &reaction) })
	case "THREAD_LIST_SYNC":
		return decoded(data, r.synced)
	case "INTERACTION_CREATE":
		return decoded(data, r.interacted)
	case "GUILD_MEMBERS_CHUNK":
		return decoded(data, r.membersCame)
	case "RATE_LIMITED":
		return decoded(data, func(limited discord.RateLimited) {
			r.names.Refused(time.Duration(min(max(limited.After, 0), 3600) * float64(time.Second)))
		})
	case "GUILD_MEMBER_UPDATE":
		_ = decoded(data, func(update discord.MemberUpdate) { r.names.Heard(update.Guild, 0, update.Member.User) })
	}
	return r.surroundings(name, data)
}

// membersCame handles members that were asked for. Messages that waited for their names get them.
func (r *receiver) membersCame(chunk discord.MembersChunk) {
	r.names.HeardMembers(&chunk)
	fetch.Rename(r.deps.History)
}

// decoded decodes an event and passes its value to take.
func decoded[T any, P discord.Decodable[T]](data json.RawMessage, take func(T)) error {
	value, err := discord.Decode[T, P](data)
	if err == nil {
		take(value)
	}
	return err
}

// created handles a new message. The channel's log holds it before anything asks for
// it.
func (r *receiver) created(m discord.Message) {
	r.guilds.Met(m.Guild, m.Channel, m.Author.ID, m.Member)
	r.names.HeardMessage(&m)
	r.deps.History.Create(&m)
	r.questions.Message(&m)
}

// interacted handles a press of a button or a use of a command.
func (r *receiver) interacted(i discord.Interaction) {
	r.guilds.Met(i.Guild, i.Channel, i.User.ID, i.Member)
	if i.Member != nil || i.Guild == 0 {
		r.names.Heard(i.Guild, graph.MessageID(i.ID), i.User)
	}
	for _, other := range i.Others {
		r.names.Heard(i.Guild, graph.MessageID(i.ID), other.User)
	}
	place := r.guilds.PlaceOf(&i)
	r.questions.Interaction(&i, func(ctx context.Context) func(context.Context) { return r.commands.Answer(ctx, i, place) })
}

// updated handles a new version of a message, which need not come from an edit by its
// author.
func (r *receiver) updated(m discord.Message) {
	arrives := r.deps.History.Update(&m)
	if m.Edited.IsZero() {
		return
	}
	r.questions.Edited(&m)
	if arrives {
		return // what was answered from the announcement was not edited
	}
	if held, _ := r.deps.History.Message(m.Channel, m.ID); held.Origin != graph.OriginSelf && m.Author.ID != r.guilds.Self().ID {
		r.edited(&m)
	}
}

// edited erases, soon, what was made from older versions of a message.
func (r *receiver) edited(m *discord.Message) {
	r.files.Forget([]graph.MessageID{m.ID})
	scope := r.guilds.Place(m.Channel, m.Guild).Scope
	r.writes.Edited(scope, store.Edit{Channel: m.Channel, Message: m.ID, At: m.Edited})
}

// deleted removes messages from memory at once, and from the store soon; see erased.
func (r *receiver) deleted(d discord.Delete) {
	r.deps.History.Delete(d)
	r.files.Forget(d.Messages)
	r.answers.Deleted(r.questions.WithQuestions(d.Messages))
	r.writes.Deleted(r.guilds.Place(d.Channel, d.Guild).Scope, d.Channel, d.Messages...)
}

// erased handles that something was erased from the store: answers to deleted questions are
// deleted on Discord, and buttons below other answers corrected. Any goroutine may call it.
func (r *receiver) erased(e store.Erased) {
	guild := e.Scope.Guild()
	if e.Overflown {
		r.checker.GapIn(guild)
		return
	}
	if len(e.Messages) > 0 {
		r.questions.TakeBack(discord.Delete{Guild: guild, Channel: e.Channel, Messages: e.Messages}, e.Answers)
	}
	r.questions.RefreshButtons(e.Stale)
}

// reacted records how people rate answers, once the answers are recorded.
func (r *receiver) reacted(event string, reaction *discord.Reaction) {
	if r.people.OptedOut(reaction.User) {
		return // nothing that they do may be used
	}
	scope := r.guilds.Place(reaction.Channel, reaction.Guild).Scope
	if change := r.ratings.Reacted(event, reaction, scope); change != nil {
		r.questions.After(reaction.Channel, change)
	}
}

// synced handles the active threads of channels that heddle can read from now on. A thread
// that is missing from the list may just be archived, so nothing stored is erased.
func (r *receiver) synced(sync discord.ThreadSync) {
	inactive, back := r.guilds.SetThreads(sync)
	for _, channel := range inactive {
		r.deps.History.Forget(channel)
	}
	r.back(back)
}

// surroundings handles events about guilds and channels.
func (r *receiver) surroundings(name string, data json.RawMessage) error {
	change, about, err := r.guilds.Apply(name, data)
	if !about || err != nil {
		return err
	}
	for _, lost := range change.Lost {
		r.lost(lost)
	}
	r.back(change.Back)
	switch name {
	case "GUILD_CREATE":
		r.questions.CatchUpGuild(&change.Guild)
		if !change.Joined {
			break
		}
		if greet := r.greeting(change.Guild); greet != nil {
			r.questions.Once(change.Guild.ID, store.WelcomeClaim(change.Guild.ID, change.Guild.Joined), greet)
		}
	case "GUILD_DELETE":
		if !change.Guild.Unavailable { // heddle left it
			r.writes.Left(change.Guild.ID) // with channels that were never reported, such as archived threads
		}
	}
	return nil
}

// lost forgets a channel that heddle can no longer read, and erases what was said there.
func (r *receiver) lost(lost guilds.Lost) {
	r.deps.History.Forget(lost.Channel)
	r.files.ForgetAll()
	r.writes.Lost(lost.Scope, lost.Channel)
}

// found handles what a check found out about events that heddle missed. It uses only those parts of
// a receiver that any goroutine may use.
func (r *receiver) found(f questions.Finding) {
	switch {
	case f.Edited != nil:
		f.Edited.Guild = r.guilds.GuildOf(f.Edited.Channel)
		r.edited(f.Edited)
		r.questions.EditMissed(*f.Edited)
	case f.Lost != 0:
		gone := r.guilds.Forget(f.Lost)
		if len(gone) == 0 {
			gone = []guilds.Lost{{Channel: f.Lost, Scope: r.guilds.Place(f.Lost, 0).Scope}}
		}
		for _, lost := range gone {
			r.lost(lost)
		}
	case f.Left != 0:
		r.writes.Left(f.Left)
	default:
		r.deleted(f.Deleted)
	}
}
