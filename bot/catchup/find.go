package catchup

import (
	"cmp"
	"context"
	"slices"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/recall"
)

const (
	mostFound = 10  // talks
	matches   = 200 // messages that share words
	counted   = 3   // of the messages of a talk that share most
)

// find answers /heddle find: with the talks that share rare words with those that are
// looked for. The model is not asked, but what it said of these talks before is told.
func (c *Catchup) find(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	if refusal := c.refusal(use); refusal != nil {
		return *refusal, nil
	}
	q, err := c.queryOf(use)
	if err != nil {
		return sayError(use, err)
	}
	q.since = time.Unix(1, 0) // as far back as is read
	looked, _ := use.Option(optionWords)
	s, err := c.reader.read(ctx, askerOf(use), q)
	if err != nil {
		return sayError(use, err)
	}
	wanted := &graph.Message{ID: q.until, Channel: use.Channel, Author: use.User.ID, Text: looked}
	found := sharing(s.talks, wanted)
	if len(found) == 0 {
		return use.Say(phrases.FindNothing, phrases.Values{"When": phrases.At(s.since)}), nil
	}
	for _, t := range found {
		c.describer.known.recall(ctx, t)
	}
	s.talks = found
	return (&telling{language: use.Language, guild: use.Guild, stretch: s, query: q, found: true}).page(0, nil), nil
}

// sharing returns the talks that share words with those that are looked for, best first.
// Each begins with the message that shares most.
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
	for _, match := range recall.Find(held, recall.Query{
		Trigger: wanted, Least: func([]graph.Message) float64 { return recall.LeastOwn }, Most: matches,
	}) { // best first
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
