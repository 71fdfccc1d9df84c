package explain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/export"
	"heddle/internal/selection"
)

// The numbers of messages that are held: before the trigger, more than any strategy
// reads; on either side of a reference, as many as the bot would read.
const (
	heldBefore = 400
	heldAround = 49
)

// reading is a source of messages: exports, or the world of the playground.
type reading interface {
	// gather returns the wanted messages with their neighbours, without messages after
	// limit. It leaves out wanted messages that do not exist.
	gather(ctx context.Context, wants []want, limit graph.MessageID, self graph.UserID) ([]fetch.Stretch, error)
}

// conversation holds the part of a channel around one trigger.
type conversation struct {
	from    reading
	home    export.Info
	parent  graph.ChannelID // of a thread, else zero
	self    graph.UserID    // zero for nobody
	trigger graph.Message
	record  *fetch.Record
	held    map[graph.MessageID]graph.Message // of the trigger's channel
	// settled holds the messages that need no further pass, because they are held with
	// their neighbours or are not in the files.
	settled map[graph.Lookup]bool
}

// begin returns a conversation with the trigger and the messages before it.
func begin(ctx context.Context, s survey, self graph.UserID) (*conversation, error) {
	if err := s.mixed(); err != nil {
		return nil, err
	}
	if !s.trigger.Type.Conversational() {
		return nil, wrong("message %s is a notice of Discord's own, which asks nothing; choose one that somebody wrote", s.trigger.ID)
	}
	c := &conversation{
		from: files(s.files), home: s.files[s.at].head, self: cmp.Or(self, mentionedBot(&s.trigger)),
	}
	if c.self == s.trigger.Author.ID {
		return nil, wrong("message %s is by heddle itself; choose the question that it answers", s.trigger.ID)
	}
	c.trigger = fetch.Render(s.trigger, c.self)
	return c.open(ctx)
}

// open reads the messages around the trigger. The caller must close the record of the
// conversation.
func (c *conversation) open(ctx context.Context) (*conversation, error) {
	c.held, c.settled = map[graph.MessageID]graph.Message{}, map[graph.Lookup]bool{}
	if c.home.Thread {
		c.parent = c.home.Parent
	}
	record, err := fetch.NewRecord()
	if err != nil {
		return nil, fmt.Errorf("hold what is read: %w", err)
	}
	c.record = record
	err = c.load(ctx, []want{{at: graph.Lookup{Channel: c.home.Channel, Message: c.trigger.ID}, older: heldBefore}})
	if err == nil {
		err = c.addStarter(ctx)
	}
	if err != nil {
		record.Close()
		return nil, err
	}
	return c, nil
}

// mentionedBot returns the first bot that a message mentions, or zero.
func mentionedBot(m *discord.Message) graph.UserID {
	for _, u := range m.Mentions {
		if u.Bot {
			return u.ID
		}
	}
	return 0
}

// addStarter adds to the trigger a reference to the message that its thread was started
// from, as the bot does. In a forum that is the first message of the thread, and
// elsewhere a message of the parent channel.
func (c *conversation) addStarter(ctx context.Context) error {
	if c.parent == 0 {
		return nil
	}
	first := graph.MessageID(c.home.Channel)
	own := want{at: graph.Lookup{Channel: c.home.Channel, Message: first}, older: heldAround, newer: heldAround}
	if err := c.load(ctx, []want{own}); err != nil {
		return err
	}
	starter := graph.Reference{Kind: graph.ReferenceStarter, Channel: c.parent, Message: first}
	if _, inForum := c.held[first]; inForum {
		starter.Channel = c.home.Channel
	}
	if first != c.trigger.ID {
		c.trigger.References = append(slices.Clip(c.trigger.References), starter)
	}
	return nil
}

// load reads the wanted messages. It ignores those that do not exist.
func (c *conversation) load(ctx context.Context, wants []want) error {
	stretches, err := c.from.gather(ctx, wants, c.trigger.ID, c.self)
	if err != nil {
		return err
	}
	for _, w := range wants {
		c.settled[w.at] = true
	}
	for _, s := range stretches {
		c.record.Add(s)
		c.settle(s)
	}
	return nil
}

// settle marks as settled the messages of a stretch that have all neighbours that the
// bot would read.
func (c *conversation) settle(s fetch.Stretch) {
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Channel == c.home.Channel {
			c.held[m.ID] = *m
		}
		if (i >= heldAround || s.Start) && (len(s.Messages)-1-i >= heldAround || s.End) {
			c.settled[graph.Lookup{Channel: m.Channel, Message: m.ID}] = true
		}
	}
}

// source returns a source that reads like the bot. It makes another pass over the files
// if references lead to messages that are not held.
func (c *conversation) source(ctx context.Context) graph.SourceFunc {
	mention := c.record.Mention(fetch.Place{
		Channel: c.home.Channel, Trigger: c.trigger.ID,
		Readable: func(channel graph.ChannelID) bool { return channel == c.parent },
	}).Source(ctx)
	return func(batch graph.Batch) (graph.Reading, error) {
		if err := c.follow(ctx, batch.Lookups); err != nil {
			return graph.Reading{}, err
		}
		return mention(batch)
	}
}

// follow loads the messages that are looked up, with their neighbours.
func (c *conversation) follow(ctx context.Context, lookups []graph.Lookup) error {
	var wants []want
	for _, l := range lookups {
		if !c.settled[l] && !slices.ContainsFunc(wants, func(w want) bool { return w.at == l }) {
			wants = append(wants, want{at: l, older: heldAround, newer: heldAround})
		}
	}
	if len(wants) == 0 {
		return nil
	}
	return c.load(ctx, wants)
}

// expand returns the graph that heddle would answer from.
func (c *conversation) expand(ctx context.Context, options graph.Options) (*graph.Graph, error) {
	options.Parent = c.parent
	g, err := graph.Expand(c.source(ctx), c.trigger, options)
	if err != nil {
		return nil, fmt.Errorf("read the conversation before %s: %w", c.trigger.ID, err)
	}
	return g, nil
}

// sight returns the held messages of the trigger's channel.
func (c *conversation) sight() selection.Sight {
	before := slices.SortedFunc(maps.Values(c.held), func(a, b graph.Message) int { return cmp.Compare(a.ID, b.ID) })
	at, _ := slices.BinarySearchFunc(before, c.trigger.ID, func(m graph.Message, id graph.MessageID) int { return cmp.Compare(m.ID, id) })
	return selection.Sight{Before: before[:at], Trigger: c.trigger}
}
