package catchup

import (
	"cmp"
	"context"
	"slices"
	"time"

	"heddle/bot/commands"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/recall"
)

const (
	mostFound = 10  // talks
	matches   = 200 // the messages that share words
	counted   = 3   // the messages of a talk that count, those that share most
)

// find answers /heddle find with the talks that share words with the command, rare
// ones if there are any, or that are similar in meaning. It does not ask the model, but shows
// descriptions that are stored.
func (c *Catchup) find(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	if refusal := c.refusal(ctx, use); refusal != nil {
		return *refusal, nil
	}
	q, err := c.queryOf(use)
	if err != nil {
		return sayError(use, err)
	}
	q.since = time.Unix(1, 0) // as far back as possible
	looked, _ := use.Option(optionWords)
	s, err := c.reader.read(ctx, askerOf(use), q)
	if err != nil {
		return sayError(use, err)
	}
	wanted := &graph.Message{ID: q.until, Channel: use.Channel, Author: use.User.ID, Text: looked}
	found := fused(sharing(s.talks, wanted), c.meaning(ctx, use, q.channels, s.talks, wanted))
	if len(found) == 0 {
		return use.Say(phrases.FindNothing, phrases.Values{"When": phrases.On(s.since)}), nil
	}
	for _, t := range found {
		c.describer.known.recall(ctx, t)
	}
	s.talks = found
	return (&telling{language: use.Language, guild: use.Guild, stretch: s, query: q, found: true}).page(0, nil), nil
}

// meaning returns the talks that are similar in meaning to a text, best first. Each
// begins with its most similar message. Without an embedding model there are none.
func (c *Catchup) meaning(ctx context.Context, use *commands.Use, channels []graph.ChannelID, talks []*talk, wanted *graph.Message) []*talk {
	ctx = limits.With(ctx, c.describer.open(ctx, askerOf(use)))
	type begin struct {
		talk *talk
		at   int // of its messages
	}
	of := make(map[graph.MessageID]begin) // by the anchor of an exchange
	for _, t := range talks {
		for i := range t.Messages {
			if anchor := t.Messages[i].Position().Anchor; of[anchor].talk == nil {
				of[anchor] = begin{t, i}
			}
		}
	}
	var found []*talk
	for _, channel := range channels {
		asked := *wanted
		asked.Channel = channel
		for _, like := range c.meanings.Like(ctx, c.guilds.Place(channel, use.Guild).Scope, &asked) {
			if b := of[like.Anchor]; b.talk != nil && !slices.Contains(found, b.talk) {
				b.talk.fresh = b.at
				found = append(found, b.talk)
			}
		}
	}
	return found
}

// fused merges two lists of talks, each best first, into one.
func fused(a, b []*talk) []*talk {
	if len(b) == 0 {
		return a
	}
	by := make(map[graph.MessageID]*talk)
	list := func(talks []*talk) []recall.Scored {
		scored := make([]recall.Scored, len(talks))
		for i, t := range talks {
			scored[i].Anchor = t.Messages[0].ID
			by[scored[i].Anchor] = t
		}
		return scored
	}
	var all []*talk
	for _, one := range recall.Fuse(list(a), list(b)) {
		all = append(all, by[one.Anchor])
	}
	return all[:min(len(all), mostFound)]
}

// sharing returns the talks that share words with wanted, best first. Each begins with
// the message that shares most.
func sharing(talks []*talk, wanted *graph.Message) []*talk {
	var held []graph.Message
	of := make(map[graph.MessageID]*talk)
	for _, t := range talks {
		held = append(held, t.Messages...)
		for i := range t.Messages {
			of[t.Messages[i].ID] = t
		}
	}
	slices.SortFunc(held, func(a, b graph.Message) int { return a.Position().Compare(b.Position()) })
	scores, shares := make(map[*talk]float64), make(map[*talk]int)
	var found []*talk
	best := recall.Find(held, recall.Query{
		Trigger: wanted, Least: func([]graph.Message) float64 { return recall.LeastOwn }, Most: matches,
	})
	if len(best) == 0 { // who looks for a word that is common here means it all the same
		best = recall.Holding(held, wanted, matches)
	}
	for _, match := range best {
		t := of[held[match.From].ID]
		if shares[t] == 0 {
			found = append(found, t)
			t.fresh = slices.IndexFunc(t.Messages, func(m graph.Message) bool { return m.ID == held[match.From].ID })
		}
		if shares[t]++; shares[t] <= counted {
			scores[t] += match.Score
		}
	}
	slices.SortStableFunc(found, func(a, b *talk) int { return cmp.Compare(scores[b], scores[a]) })
	return found[:min(len(found), mostFound)]
}
