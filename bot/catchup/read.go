package catchup

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// The bounds of reading each channel. Discord returns 100 messages with each read.
const (
	mostMessages = 3000
	mostReads    = 32
	mostBack     = 30 * 24 * time.Hour // if no time is given, and the person wrote nothing
	lead         = 64                  // messages before the stretch, which help to part it
)

// Query is what somebody wants to catch up on, with who asks, and where.
type Query struct {
	conversation.Question

	Language phrases.Language
	Public   bool            // everybody in the channel reads the answer
	Since    time.Time       // zero: since they last wrote in each channel
	Until    graph.MessageID // only messages before this one
	Channels []graph.ChannelID
}

// stretch is what was said in some channels, parted into talks, for one person to read.
type stretch struct {
	Query

	talks    []*talk   // in the order in which they are listed
	messages int       // without those that lead up to it
	began    time.Time // the earliest time that was read
	cut      bool      // there are more messages than were read
	found    bool      // the talks are search results
	trouble  error     // why the model could not describe some of the talks
	lacks    bool      // messages of heddle's are left out: see conversation.Past.LacksRecords
}

// read reads and parts what a query is about. It fails with a phrases.RefusedError if the asker
// may not read one of the channels, or if it may not be shown where they ask.
func (c *Catchup) read(ctx context.Context, q Query) (*stretch, error) {
	people := c.deps.People
	_ = people.Refresh(ctx) // after an error, the previous list remains in force
	if !people.Known() {
		return nil, phrases.Refused("no_memory", nil)
	}
	for _, channel := range q.Channels {
		if err := c.check(ctx, &q, channel); err != nil {
			return nil, err
		}
	}
	c.deps.Writes.Await(ctx, q.Place.Scope) // so that nothing is read that was deleted before
	s := &stretch{Query: q}
	for _, channel := range q.Channels {
		if err := c.readChannel(ctx, s, channel); err != nil {
			return nil, fmt.Errorf("read channel %s: %w", channel, err)
		}
	}
	s.sort()
	return s, nil
}

// threadOf returns the thread that was started from a message of a talk, or 0. A thread that
// is archived may not be known.
func (c *Catchup) threadOf(t *talk) graph.ChannelID {
	for i := range t.Messages {
		thread := graph.ChannelID(t.Messages[i].ID) // one id on Discord
		if c.deps.Guilds.GuildOf(thread) != 0 {
			return thread
		}
	}
	return 0
}

// check fails with a phrases.RefusedError if the messages of a channel may not be shown to the
// asker. If everybody will read the answer, or the channel is age-restricted, the
// channel must have the same scope as the one where they ask. Only those who may read
// the channel are told what heddle itself lacks.
func (c *Catchup) check(ctx context.Context, q *Query, channel graph.ChannelID) error {
	place, hidden := c.deps.Guilds.Place(channel, q.Guild), phrases.Refused("catchup_no_channel", nil)
	if channel != q.Channel && c.deps.Guilds.GuildOf(channel) != q.Guild || place.Scope != q.Place.Scope && (q.Public || place.AgeRestricted) {
		return hidden
	}
	may, err := c.deps.Guilds.MayRead(ctx, q.Guild, channel, q.Asker)
	switch {
	case err != nil:
		return fmt.Errorf("find out who may read channel %s: %w", channel, err)
	case !may:
		return hidden
	case place.NoHistory:
		return phrases.Refused("catchup_lacks", phrases.Values{"Missing": q.Language.Permissions(place.LacksToRead())})
	}
	return nil
}

// readChannel adds the talks of a channel.
func (c *Catchup) readChannel(ctx context.Context, s *stretch, channel graph.ChannelID) error {
	var messages []graph.Message // newest first
	since, before := s.Since, 0
	oldest := s.Until.Time().Add(-mostBack)
	by := conversation.Asker{Person: s.Asker, Guild: s.Guild, Scope: c.deps.Guilds.Place(channel, s.Guild).Scope, Self: c.deps.Guilds.Self().ID}
	past := c.deps.Preparer.Past(by)
	reached, err := past.Older(ctx, fetch.Back{
		Channel: channel, Before: s.Until, Reads: mostReads, Pages: mostMessages/100 + 2,
	}, func(m *graph.Message) bool {
		if since.IsZero() && (m.Author == s.Asker || m.Time.Before(oldest)) {
			since = m.Time.Add(1)
		}
		if !since.IsZero() && m.Time.Before(since) {
			before++
		}
		messages = append(messages, *m)
		return before < lead && len(messages) < mostMessages+lead
	})
	if err != nil {
		return err
	}
	s.lacks = s.lacks || past.LacksRecords()
	own := len(messages) - before
	if own == 0 {
		return nil
	}
	first := messages[own-1].Time
	s.cut = s.cut || before == 0 && !reached.All
	if s.began.IsZero() || first.Before(s.began) {
		s.began = first
	}
	s.messages += own
	slices.Reverse(messages)
	from := messages[before].Position()
	for _, parted := range graph.Part(messages, graph.Options{Affinity: c.settings.Affinity, TimeThreshold: graph.AutoThreshold}) {
		if t := newTalk(parted, from, s.Asker); t != nil {
			t.scope, t.sources = by.Scope, past.Of(t.Messages...)
			t.thread = c.threadOf(t)
			s.talks = append(s.talks, t)
		}
	}
	return nil
}

// spans matches how long ago something was, such as 3h or 1d12h.
var spans = regexp.MustCompile(`^(?:(\d{1,4})w)?(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m(?:in)?)?$`)

// ParseSince parses the time from which somebody wants to catch up, in UTC: how long ago;
// a day, or a day and a time; or a time of the last 24 hours. It fails with a
// phrases.RefusedError.
func ParseSince(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	since, known := parseMoment(text, now)
	switch {
	case !known:
		return time.Time{}, phrases.Refused("catchup_no_time", nil)
	case since.After(now):
		return time.Time{}, phrases.Refused("catchup_to_come", nil)
	}
	return since, nil
}

// parseMoment returns the time that text names, which may be to come, and reports
// whether it names one.
func parseMoment(text string, now time.Time) (time.Time, bool) {
	if span := spans.FindStringSubmatch(strings.ToLower(strings.ReplaceAll(text, " ", ""))); span != nil && text != "" {
		ago := time.Duration(0)
		for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute} {
			n, _ := strconv.Atoi(span[i+1]) // "" counts as 0
			ago += time.Duration(n) * unit
		}
		return now.Add(-ago), ago >= time.Minute
	}
	if clock, err := time.Parse("15:04", text); err == nil {
		today := now.UTC().Truncate(24 * time.Hour).Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
		if today.After(now) {
			today = today.Add(-24 * time.Hour)
		}
		return today, true
	}
	for _, layout := range []string{"2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// talk is a talk of a stretch together with its description.
type talk struct {
	graph.Talk

	scope    store.Scope       // of its channel
	sources  []store.SourceRef // of what is made from it
	fresh    int               // index of the first message within the stretch; earlier ones lead up to it
	concerns bool              // it names or answers the asker
	thread   graph.ChannelID   // that was started from a message of the talk; 0 for none
	made     []store.SourceRef // what the description was made from, of this talk and others
	described
}

// described is the model's description of a talk. It is zero if there is none.
type described struct {
	Title string `json:"title"`
	About string `json:"about"`
	Open  string `json:"open"`
}

// newTalk returns a talk for a person to read, or nil if all of its messages are before
// from. Messages of heddle's alone, such as an earlier list of talks, are no talk either.
func newTalk(parted graph.Talk, from graph.Position, person graph.UserID) *talk {
	t := &talk{Talk: parted, fresh: -1}
	byID := make(map[graph.MessageID]graph.UserID, len(parted.Messages))
	for i := range t.Messages {
		m := &t.Messages[i]
		byID[m.ID] = m.Author
		if m.Position().Compare(from) < 0 {
			continue
		}
		if t.fresh < 0 {
			t.fresh = i
		}
		for _, r := range m.References {
			names := r.Kind == graph.ReferenceAddress && r.User == person
			answers := r.Kind == graph.ReferenceReply && byID[r.Message] == person
			t.concerns = t.concerns || m.Author != person && (names || answers)
		}
	}
	people := func(m graph.Message) bool { return m.Origin != graph.OriginSelf }
	if t.fresh < 0 || !slices.ContainsFunc(t.Messages, people) {
		return nil
	}
	return t
}

// from returns the message that the talk's link leads to, which is the first of the
// stretch.
func (t *talk) from() *graph.Message { return &t.Messages[t.fresh] }

// messagesNew returns the number of the talk's messages in the stretch.
func (t *talk) messagesNew() int { return len(t.Messages) - t.fresh }

// isAside reports whether the talk is a single message that nobody answered.
func (t *talk) isAside() bool { return len(t.Messages) == 1 && !t.concerns }

// sort orders talks: those that concern the person first, then by how much was said, then
// by when they began. What nobody answered comes last.
func (s *stretch) sort() {
	class := func(t *talk) int {
		switch {
		case t.concerns:
			return 0
		case t.isAside():
			return 2
		}
		return 1
	}
	slices.SortStableFunc(s.talks, func(a, b *talk) int {
		return cmp.Or(
			cmp.Compare(class(a), class(b)),
			cmp.Compare(b.messagesNew(), a.messagesNew()),
			a.from().Position().Compare(b.from().Position()),
		)
	})
}
