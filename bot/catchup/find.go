package catchup

import (
	"cmp"
	"context"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/recall"
)

const (
	mostFound = 10  // talks
	matches   = 200 // the exchanges that match
	counted   = 3   // the matches of a talk that count, the best ones
)

// Find returns the talks that share words with a text, rare ones if there are any. It does not
// ask the model, but shows descriptions that are stored. It fails with a phrases.RefusedError if
// there are none.
func (c *Catchup) Find(ctx context.Context, q Query, words string) (Shown, error) {
	q.Since = time.Unix(1, 0) // as far back as possible
	s, err := c.read(ctx, q)
	if err != nil {
		return Shown{}, err
	}
	wanted := &graph.Message{ID: q.Until, Channel: q.Channel, Author: q.Asker, Text: words}
	s.talks, s.found = best(s.talks, sharing(s.talks, wanted)), true
	if len(s.talks) == 0 {
		return Shown{}, phrases.Refused("find_nothing", phrases.Values{"When": phrases.On(s.began)})
	}
	for _, t := range s.talks {
		c.recall(ctx, s, t)
	}
	return s.page(0), nil
}

// sharing returns the exchanges of talks that share words with wanted, best first.
func sharing(talks []*talk, wanted *graph.Message) []recall.Scored {
	search := recall.NewSearch(recall.WordsOf(wanted))
	for _, t := range talks {
		for i := range t.Messages {
			search.Add(&t.Messages[i])
		}
	}
	if rare := search.Find(recall.LeastOwn); len(rare) > 0 {
		return rare
	}
	return search.Holding() // who looks for a word that is common here means it all the same
}

// best returns the talks with the best matches. Each begins with its best one.
func best(talks []*talk, found []recall.Scored) []*talk {
	type beginning struct {
		talk *talk
		at   int // of its messages
	}
	of := make(map[graph.MessageID]beginning)
	for _, t := range talks {
		for i := range t.Messages {
			if anchor := t.Messages[i].Position().Anchor; of[anchor].talk == nil {
				of[anchor] = beginning{t, i}
			}
		}
	}
	scores, shares := make(map[*talk]float64), make(map[*talk]int)
	var matching []*talk
	for _, match := range found[:min(len(found), matches)] {
		begins := of[match.Anchor]
		t := begins.talk
		if shares[t] == 0 {
			matching = append(matching, t)
			t.fresh = begins.at
		}
		if shares[t]++; shares[t] <= counted {
			scores[t] += match.Score
		}
	}
	slices.SortStableFunc(matching, func(a, b *talk) int { return cmp.Compare(scores[b], scores[a]) })
	return matching[:min(len(matching), mostFound)]
}
