package explain

import (
	"context"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/export"
)

// Place is a channel whose messages can be previewed.
type Place struct {
	Channel graph.ChannelID
	Parent  graph.ChannelID // the channel of a thread, else zero
	Self    graph.UserID    // heddle
	// Near returns a message of a channel with at most older and newer neighbours on
	// its two sides. start and end report whether there are no messages beyond them. A
	// message that does not exist is left out.
	Near func(channel graph.ChannelID, message graph.MessageID, older, newer int) (near []discord.Message, start, end bool)
}

// Previewed is what heddle would answer a message from.
type Previewed struct {
	Graph *graph.Graph
	// Beside holds what the other strategies take, in the order of names.
	Beside []Beside
}

// Beside is what another strategy takes, oldest first.
type Beside struct {
	Strategy   string
	Messages   []graph.Message
	Characters int
}

// Preview returns what heddle would answer a message of a place from, with the given
// options, and what the named strategies would take. It sets options.Parent. An error
// in its arguments is an InputError.
func Preview(ctx context.Context, at Place, trigger discord.Message, options graph.Options, names []string) (Previewed, error) {
	strategies, err := parseStrategies(names, options)
	if err != nil {
		return Previewed{}, err
	}
	if !trigger.Type.Conversational() {
		return Previewed{}, wrong("that is a notice of Discord's own, which asks nothing; choose a message that somebody wrote")
	}
	if trigger.Author.ID == at.Self {
		return Previewed{}, wrong("that message is by heddle itself; choose the question that it answers")
	}
	c := &conversation{
		from: at, self: at.Self, trigger: fetch.Render(trigger, at.Self),
		home: export.Info{Channel: at.Channel, Parent: at.Parent, Thread: at.Parent != 0},
	}
	if c, err = c.open(ctx); err != nil {
		return Previewed{}, err
	}
	defer c.record.Close()
	var p Previewed
	if p.Graph, err = c.expand(ctx, options); err != nil {
		return Previewed{}, err
	}
	all, err := c.compare(ctx, strategies, options)
	if err != nil {
		return Previewed{}, err
	}
	for _, t := range all {
		p.Beside = append(p.Beside, Beside{t.Strategy, t.held, characters(t.held)})
	}
	return p, nil
}

// gather implements reading.
func (p Place) gather(ctx context.Context, wants []want, limit graph.MessageID, self graph.UserID) ([]fetch.Stretch, error) {
	var stretches []fetch.Stretch
	for _, w := range wants {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.at.Channel != p.Channel && w.at.Channel != p.Parent {
			continue
		}
		near, start, end := p.Near(w.at.Channel, w.at.Message, w.older, w.newer)
		s, found := fetch.Stretch{Start: start, End: end}, false
		for _, m := range near {
			if m.ID > limit {
				s.End = true
				break
			}
			found = found || m.ID == w.at.Message
			s.Messages = append(s.Messages, fetch.Render(m, self))
		}
		if found {
			stretches = append(stretches, s)
		}
	}
	return stretches, nil
}
