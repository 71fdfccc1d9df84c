package graph_test

import (
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
)

// counted is an affinity that counts the windows that it judges.
type counted struct {
	graph.Affinity
	windows int
}

func (c *counted) Links(window []*graph.Message) graph.Links {
	c.windows++
	return c.Affinity.Links(window)
}

// apart is how many messages stand between two replies of a chain, in minutes as well.
const apart = 120

// chain is a world with a chain of so many replies, which ends with its last message, in
// which links point to messages between the replies.
func chain(length, links int) (w *world, last graph.Message) {
	w = newWorld()
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range length*apart + 1 {
		last = person(graph.MessageID(i+1), "text")
		last.Time = at.Add(time.Duration(i) * time.Minute)
		if i > 0 && i%apart == 0 {
			last.References = []graph.Reference{{Channel: last.Channel, Message: graph.MessageID(i + 1 - apart)}}
		}
		for k := range links {
			if i == length*apart {
				last.References = append(last.References, graph.Reference{Kind: graph.ReferenceLink, Channel: last.Channel, Message: graph.MessageID(apart*(2+k) + apart/2)})
			}
		}
		w.add(last)
	}
	w.fold()
	return w, last
}

// A chain of replies costs one read and one round for each reply that is not held, and one
// read for the neighbours of all; it is judged once.
func TestAChainIsReadBeforeItIsJudged(t *testing.T) {
	const length = 25
	w, last := chain(length, 0)
	s := &source{world: w, order: inOrder}
	options := graph.DefaultOptions()
	affinity := &counted{Affinity: dice(1)}
	options.Affinity = affinity
	g := errtest.Must(graph.Expand(s, last, options))(t)
	if most := length + 4; s.batches > most || g.Rounds < length || affinity.windows > 1+length {
		t.Errorf("%d reads, %d rounds and %d windows, want at most %d, at least %d, and one window and one for each reply", s.batches, g.Rounds, affinity.windows, most, length)
	}
	if len(g.Conversation) < length {
		t.Errorf("the conversation has %d messages, want at least the %d of the chain", len(g.Conversation), length)
	}
}

// The neighbours of replied-to messages are explored up to a bound, whatever refers to them,
// and a few of each that the question itself refers to.
func TestTheNeighboursOfAChainAreBounded(t *testing.T) {
	const length = 25
	for _, links := range []int{0, 12, 20} {
		w, last := chain(length, links)
		options := graph.DefaultOptions()
		options.Affinity = dice(1)
		g := errtest.Must(graph.Expand(&source{world: w, order: inOrder}, last, options))(t)
		const before, around, beside = 100, 100, 2 * 3 // the question, any messages, and each that the question refers to
		n := len(g.Conversation) + len(g.Background) + len(g.Explored)
		if most := before + length + links + around + beside*(links+1); n > most {
			t.Errorf("with %d links %d messages are explored, want at most %d", links, n, most)
		}
	}
}
