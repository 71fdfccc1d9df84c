package commands

import (
	"context"
	"fmt"

	"heddle/bot/conversation"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// Responses returns recorded answers; store.Responses does.
type Responses interface {
	// ByReplies returns the responses that messages show. Messages that show none are
	// not in the map.
	ByReplies(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Response, error)
}

// Readers decides who may read what was said before in a channel; guilds.Permissions
// does.
type Readers interface {
	MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error)
}

// History reads messages; fetch.History does.
type History interface {
	Mention(place fetch.Place) *fetch.Mention
}

// Previewer returns what a message would be answered from, without what a person may
// not read; answer.Answers does.
type Previewer interface {
	Preview(ctx context.Context, q conversation.Question) (*graph.Graph, error)
}

// why explains what answers were made from, and why.
type why struct {
	responses Responses
	readers   Readers
	history   History
	previews  Previewer
	people    People
	gate      Gate
}

// permits reports whether heddle answers the person, and so explains what it answers.
func (w *why) permits(use *Use) bool {
	return use.permitted(w.gate)
}

// explanation explains what an answer was made from, to one person, without what they
// may not read.
type explanation struct {
	guild    graph.GuildID
	question graph.Message
	response *store.Response // nil if nothing was answered yet
	// conversation and background are in the order in which they were said.
	conversation, background []reason
	unseen                   int // messages that are gone, or that the person may not read
	left                     map[string]int
	stops                    []store.Stop
}

// reason is a message and why it was chosen.
type reason struct {
	message graph.Message
	because store.Because
	from    string // the author of the message that because is about; empty if unknown
	same    bool   // both are by the same person
	asked   bool   // that message is the question
}

// explain explains a message in a channel. An answer of heddle's is explained by its
// record, any other message by what heddle would answer it from now.
func (w *why) explain(ctx context.Context, use *Use, message graph.MessageID) (explanation, error) {
	found, err := w.responses.ByReplies(ctx, use.Place.Scope, []graph.MessageID{message})
	if err != nil {
		return explanation{}, fmt.Errorf("read what message %s shows: %w", message, err)
	}
	if response, ok := found[message]; ok && response.Context != nil && response.Channel == use.Channel {
		return w.recorded(ctx, use, &response)
	}
	g, err := w.previews.Preview(ctx, conversation.Question{
		Guild: use.Guild, Channel: use.Channel, ID: message, Place: use.Place, Asker: use.User.ID,
	})
	if err != nil {
		return explanation{}, fmt.Errorf("choose what message %s would be answered from: %w", message, err)
	}
	return preview(use.Guild, g), nil
}

// recorded explains a recorded answer. It reads what people wrote again, so that
// nothing is shown that was deleted, or that the person may not read.
func (w *why) recorded(ctx context.Context, use *Use, r *store.Response) (explanation, error) {
	e := explanation{guild: use.Guild, response: r, left: map[string]int{}, stops: r.Context.Stops}
	messages, err := w.read(ctx, use, r)
	if err != nil {
		return e, err
	}
	for i, because := range r.Context.Because {
		source := &r.Sources[i]
		switch m, ok := messages[source.Message]; {
		case source.Message == r.Trigger:
			e.question = m
		case !ok:
			e.unseen++
		default:
			one := reason{message: m, because: because}
			if at := because.From - 1; at >= 0 && at < len(r.Sources) {
				from, known := messages[r.Sources[at].Message]
				one.asked = r.Sources[at].Message == r.Trigger
				if known {
					one.from, one.same = from.Name, from.Author == m.Author
				}
			}
			into := &e.conversation
			if source.Position == 0 {
				into = &e.background
			}
			*into = append(*into, one)
		}
	}
	for _, left := range r.Context.Left {
		e.left[left.Why]++
	}
	return e, nil
}

// read reads the messages that a response was made from, except for those that the
// person may not read.
func (w *why) read(ctx context.Context, use *Use, r *store.Response) (map[graph.MessageID]graph.Message, error) {
	readable := map[graph.ChannelID]bool{}
	var lookups []graph.Lookup
	for i := range min(len(r.Context.Because), len(r.Sources)) {
		channel := r.Sources[i].Channel
		may, asked := readable[channel]
		if !asked {
			var err error
			if may, err = w.readers.MayRead(ctx, use.Guild, channel, use.User.ID); err != nil {
				return nil, fmt.Errorf("find out who may read channel %s: %w", channel, err)
			}
			readable[channel] = may
		}
		if may {
			lookups = append(lookups, graph.Lookup{Channel: channel, Message: r.Sources[i].Message})
		}
	}
	source := w.history.Mention(fetch.Place{
		Channel: r.Channel, Trigger: r.Trigger, NoHistory: use.Place.NoHistory,
		Readable: func(channel graph.ChannelID) bool { return readable[channel] },
	}).Source(ctx)
	reading, err := source.Read(graph.Batch{Lookups: lookups})
	if err != nil {
		return nil, fmt.Errorf("read what answer %s was made from: %w", r.ID, err)
	}
	messages := make(map[graph.MessageID]graph.Message, len(lookups))
	for i, found := range reading.Found {
		// In place of a message by somebody who opted out, the source returns another
		// one.
		if found.State == graph.ReferenceResolved && found.Message.Holds(lookups[i].Message) {
			messages[lookups[i].Message] = found.Message
		}
	}
	return messages, nil
}

// preview explains what a message would be answered from.
func preview(guild graph.GuildID, g *graph.Graph) explanation {
	e := explanation{guild: guild, question: g.Trigger}
	messages := map[graph.MessageID]*graph.Message{g.Trigger.ID: &g.Trigger}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background} {
		for i := range nodes {
			messages[nodes[i].Message.ID] = nodes[i].Message
		}
	}
	explained := func(nodes []graph.Node) (all []reason) {
		for i := range nodes {
			n := &nodes[i]
			because, about := store.BecauseOf(n)
			one := reason{message: *n.Message, because: because, asked: about == g.Trigger.ID}
			if from := messages[about]; from != nil {
				one.from, one.same = from.Name, from.Author == n.Message.Author
			}
			all = append(all, one)
		}
		return all
	}
	e.conversation, e.background = explained(g.Conversation), explained(g.Background)
	for i := range g.Seals {
		e.stops = append(e.stops, store.Stop{Direction: g.Seals[i].Direction, Why: g.Seals[i].Why, Gap: store.Seconds(g.Seals[i].Gap)})
	}
	return e
}
