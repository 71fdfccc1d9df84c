package why

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/evaluation"
)

// The numbers of messages that are held: before the trigger, more than any strategy
// reads; on either side of a reference, as many as the bot would read.
const (
	heldBefore = 400
	heldAround = 49
)

// Place is a channel in which a message asks.
type Place struct {
	Channel graph.ChannelID
	Parent  graph.ChannelID // the channel of a thread, else zero
	Self    graph.UserID    // heddle; zero for nobody
	// Near returns a message of a channel with at most older and newer neighbours on
	// its two sides. start and end report whether there are no messages beyond them. A
	// message that does not exist is left out.
	Near func(channel graph.ChannelID, message graph.MessageID, older, newer int) (near []discord.Message, start, end bool)
}

// Choice is what heddle would answer a message from, and what other strategies would take.
type Choice struct {
	Graph  *graph.Graph
	Beside []Beside // in the order of names
}

// Preview returns what heddle would answer a message of a place from, with the given
// options, and what the named strategies would take. It reads as the bot does, through the
// same windows before the trigger and around references. It sets options.Parent. An error
// in its arguments is an InputError.
func (p Place) Preview(ctx context.Context, trigger discord.Message, options graph.Options, names []string) (Choice, error) {
	strategies, err := parseStrategies(names, options)
	switch {
	case err != nil:
		return Choice{}, err
	case !trigger.Type.Conversational():
		return Choice{}, wrong("message %s is a notice of Discord's own, which asks nothing; choose one that somebody wrote", trigger.ID)
	case trigger.Author.ID == p.Self:
		return Choice{}, wrong("message %s is by heddle itself; choose the question that it answers", trigger.ID)
	}
	r := reading{
		Place: p, trigger: fetch.Render(trigger, p.Self), record: fetch.NewRecord(),
		held: map[graph.MessageID]graph.Message{}, read: map[graph.Lookup]bool{},
	}
	r.load(graph.Lookup{Channel: p.Channel, Message: trigger.ID}, heldBefore, 0)
	r.addStarter()
	options.Parent = p.Parent
	var c Choice
	if c.Graph, err = r.expand(ctx, options); err != nil {
		return Choice{}, err
	}
	for _, s := range strategies {
		taken, err := r.choose(ctx, s, options)
		if err != nil {
			return Choice{}, err
		}
		c.Beside = append(c.Beside, besideOf(s.name, taken))
	}
	return c, nil
}

// reading holds the part of a channel around one trigger.
type reading struct {
	Place

	trigger graph.Message
	record  *fetch.Record
	held    map[graph.MessageID]graph.Message // of the trigger's channel
	read    map[graph.Lookup]bool
}

// addStarter adds to the trigger a reference to the message that its thread was started
// from, as the bot does. In a forum that is the first message of the thread, and
// elsewhere a message of the parent channel.
func (r *reading) addStarter() {
	first := graph.MessageID(r.Channel)
	if r.Parent == 0 || first == r.trigger.ID {
		return
	}
	r.load(graph.Lookup{Channel: r.Channel, Message: first}, heldAround, heldAround)
	starter := graph.Reference{Kind: graph.ReferenceStarter, Channel: r.Parent, Message: first}
	if _, inForum := r.held[first]; inForum {
		starter.Channel = r.Channel
	}
	r.trigger.References = append(slices.Clip(r.trigger.References), starter)
}

// load reads a message with its neighbours, without messages after the trigger. It
// ignores a message that does not exist.
func (r *reading) load(at graph.Lookup, older, newer int) {
	if r.read[at] || at.Channel != r.Channel && at.Channel != r.Parent {
		return
	}
	r.read[at] = true
	near, start, end := r.Near(at.Channel, at.Message, older, newer)
	if !slices.ContainsFunc(near, func(m discord.Message) bool { return m.ID == at.Message }) {
		return
	}
	s := fetch.Stretch{Start: start, End: end}
	for i := range near {
		if near[i].ID > r.trigger.ID {
			s.End = true
			break
		}
		m := fetch.Render(near[i], r.Self)
		s.Messages = append(s.Messages, m)
		if at.Channel == r.Channel {
			r.held[m.ID] = m
		}
	}
	r.record.Add(s)
}

// expand returns the graph that heddle would answer from.
func (r *reading) expand(ctx context.Context, options graph.Options) (*graph.Graph, error) {
	mention := r.record.Mention(fetch.Place{
		Channel: r.Channel, Trigger: r.trigger.ID,
		Readable: func(channel graph.ChannelID) bool { return channel == r.Parent },
	}).Source(ctx)
	g, err := graph.Expand(graph.SourceFunc(func(batch graph.Batch) (graph.Reading, error) {
		for _, l := range batch.Lookups {
			r.load(l, heldAround, heldAround)
		}
		return mention(batch)
	}), r.trigger, options)
	if err != nil {
		return nil, fmt.Errorf("read the conversation before %s: %w", r.trigger.ID, err)
	}
	return g, nil
}

// sight returns the held messages of the trigger's channel.
func (r *reading) sight() evaluation.Sight {
	before := slices.SortedFunc(maps.Values(r.held), func(a, b graph.Message) int { return cmp.Compare(a.ID, b.ID) })
	at, _ := slices.BinarySearchFunc(before, r.trigger.ID, func(m graph.Message, id graph.MessageID) int { return cmp.Compare(m.ID, id) })
	return evaluation.Sight{Before: before[:at], Trigger: r.trigger}
}

// windowLength is how far back the strategy "window" looks.
const windowLength = 10 * time.Minute

// strategy is a strategy to compare heddle with.
type strategy struct {
	name   string
	choose evaluation.Strategy // nil for the plain algorithm
}

// parseStrategies parses names of strategies: those that heddle eval shows, and simpler
// ones.
func parseStrategies(names []string, options graph.Options) ([]strategy, error) {
	var strategies []strategy
	for _, name := range names {
		s := strategy{name: name}
		count, last := strings.CutPrefix(name, "last-")
		n, err := strconv.Atoi(count)
		switch {
		case last && err == nil && n >= 1 && n <= heldBefore:
			s.choose = evaluation.Last(n)
		case name == "window" || name == "10-min":
			s.choose = evaluation.Window(windowLength, options.MaxTotal)
		case name == "reply-chain" || name == "chain":
			s.choose = evaluation.ReplyChain(options.MaxTotal)
		case name == "plain":
		default:
			return nil, wrong("there is no strategy %q to compare with; choose from last-10, last-30 (or any number to %d), window, reply-chain, plain", name, heldBefore)
		}
		strategies = append(strategies, s)
	}
	return strategies, nil
}

// choose returns what a strategy chooses from the messages that heddle read.
func (r *reading) choose(ctx context.Context, s strategy, options graph.Options) ([]graph.Message, error) {
	if s.choose == nil {
		options.Affinity = nil
		g, err := r.expand(ctx, options)
		if err != nil {
			return nil, err
		}
		return messagesOf(g.Conversation), nil
	}
	sight := r.sight()
	chosen, err := s.choose.Select(sight)
	if err != nil {
		return nil, fmt.Errorf("choose as %s does: %w", s.name, err)
	}
	messages := make([]graph.Message, 0, len(chosen.Conversation))
	for _, at := range chosen.Conversation {
		messages = append(messages, sight.Before[at])
	}
	return messages, nil
}

func besideOf(name string, messages []graph.Message) Beside {
	b := Beside{Strategy: name, Messages: []graph.MessageID{}}
	for i := range messages {
		b.Messages = append(b.Messages, messages[i].ID)
		b.Characters += utf8.RuneCountInString(messages[i].Text)
	}
	return b
}

func messagesOf(nodes []graph.Node) []graph.Message {
	messages := make([]graph.Message, len(nodes))
	for i := range nodes {
		messages[i] = *nodes[i].Message
	}
	return messages
}
