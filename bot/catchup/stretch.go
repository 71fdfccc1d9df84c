package catchup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// The bounds of reading each channel. Discord returns 100 messages with each read.
const (
	mostMessages = 3000
	mostReads    = 32
	mostBack     = 30 * 24 * time.Hour // if no time is given, and the person wrote nothing
	lead         = 64                  // messages before the stretch, which help to part it
)

var (
	errNoChannel = errors.New("the channel may not be read")
	errUnknown   = errors.New("it is not known yet who opted out")
)

// lackError is the errNoChannel for a channel whose history heddle may not read.
type lackError struct{ missing discord.Permissions }

func (e *lackError) Error() string { return "heddle may not read the history of the channel" }

// Unwrap returns errNoChannel.
func (e *lackError) Unwrap() error { return errNoChannel }

// query is what somebody wants to catch up on.
type query struct {
	since    time.Time       // zero: since they last wrote in each channel
	until    graph.MessageID // only messages before this one
	channels []graph.ChannelID
}

// asker is the person who asks, and where.
type asker struct {
	person  graph.UserID
	guild   graph.GuildID
	channel graph.ChannelID
	scope   store.Scope
	public  bool // everybody in the channel reads the answer
}

// stretch is what was said in some channels, parted into talks.
type stretch struct {
	talks    []*talk
	messages int       // without those that lead up to it
	since    time.Time // the earliest time that was read
	cut      bool      // there are more messages than were read
	reads    int
}

// reader reads stretches.
type reader struct {
	history History
	guilds  Guilds
	members Members
	people  People
	writes  Flusher
	options graph.Options
}

// read reads and parts what a query is about. It fails with errNoChannel if the asker
// may not read one of the channels, or if it may not be shown where they ask.
func (r *reader) read(ctx context.Context, by asker, q query) (*stretch, error) {
	_ = r.people.Refresh(ctx) // after an error, the previous list remains in force
	if !r.people.Known() {
		return nil, errUnknown
	}
	for _, channel := range q.channels {
		if err := r.check(ctx, by, channel); err != nil {
			return nil, err
		}
	}
	r.writes.Flush(ctx) // so that nothing is read that was deleted before
	s := &stretch{}
	for _, channel := range q.channels {
		if err := r.readChannel(ctx, s, by, channel, q); err != nil {
			return nil, fmt.Errorf("read channel %s: %w", channel, err)
		}
	}
	return s, nil
}

// threadOf returns the thread that was started from a message of a talk, or 0. A thread that
// is archived may not be known.
func (r *reader) threadOf(t *talk) graph.ChannelID {
	for i := range t.Messages {
		thread := graph.ChannelID(t.Messages[i].ID) // one id on Discord
		if r.guilds.GuildOf(thread) != 0 {
			return thread
		}
	}
	return 0
}

// check fails with errNoChannel if the messages of a channel may not be shown to the
// asker. If everybody will read the answer, or the channel is age-restricted, the
// channel must have the same scope as the one where they ask. Only those who may read
// the channel are told what heddle itself lacks.
func (r *reader) check(ctx context.Context, by asker, channel graph.ChannelID) error {
	place := r.guilds.Place(channel, by.guild)
	switch {
	case channel != by.channel && r.guilds.GuildOf(channel) != by.guild:
		return errNoChannel
	case place.Scope != by.scope && (by.public || place.AgeRestricted):
		return errNoChannel
	}
	may, err := r.members.MayRead(ctx, by.guild, channel, by.person)
	switch {
	case err != nil:
		return fmt.Errorf("find out who may read channel %s: %w", channel, err)
	case !may:
		return errNoChannel
	case place.NoHistory:
		return &lackError{place.LacksToRead()}
	}
	return nil
}

// readChannel adds the talks of a channel.
func (r *reader) readChannel(ctx context.Context, s *stretch, by asker, channel graph.ChannelID, q query) error {
	var messages []graph.Message // newest first
	since, before := q.since, 0
	oldest := q.until.Time().Add(-mostBack)
	reached, err := r.history.Older(ctx, fetch.Back{
		Channel: channel, Before: q.until, Reads: mostReads, Pages: mostMessages/100 + 2,
	}, func(m *graph.Message) bool {
		if q.since.IsZero() && since.IsZero() && (m.Author == by.person || m.Time.Before(oldest)) {
			since = m.Time.Add(1)
		}
		if !since.IsZero() && m.Time.Before(since) {
			before++
		}
		messages = append(messages, *m)
		return before < lead && len(messages) < mostMessages+lead
	})
	s.reads += reached.Reads
	if err != nil {
		return err
	}
	own := len(messages) - before
	if own == 0 {
		return nil
	}
	first := messages[own-1].Time
	s.cut = s.cut || before == 0 && !reached.All
	if s.since.IsZero() || first.Before(s.since) {
		s.since = first
	}
	s.messages += own
	slices.Reverse(messages)
	from := messages[before].Position()
	for _, parted := range graph.Part(messages, r.options) {
		if t := newTalk(parted, from, by.person); t != nil {
			t.scope = r.guilds.Place(channel, by.guild).Scope
			t.thread = r.threadOf(t)
			s.talks = append(s.talks, t)
		}
	}
	return nil
}
