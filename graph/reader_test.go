package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
)

// choosing is a Reader by name that needs some lines, of which some are of the talk, and
// remembers what it was given.
type choosing struct {
	needed, talk []graph.MessageID

	lines []graph.MessageID
	doubt int
}

func (c *choosing) read(_ *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
	choice := graph.Choice{By: "somebody"}
	c.lines, c.doubt = nil, doubt
	for _, m := range lines {
		c.lines = append(c.lines, m.ID)
		choice.Needed = append(choice.Needed, slices.Contains(c.needed, m.ID))
		choice.Talk = append(choice.Talk, slices.Contains(c.talk, m.ID))
	}
	return choice, c.needed != nil
}

// readable returns what was said before message 9 asks: it replies to 3, and 7 is heddle's.
func readable() *world {
	w := newWorld()
	for _, m := range minutes(9, 100).raw {
		switch m.ID {
		case 7:
			m.Origin = graph.OriginSelf
		case 9:
			m.References = []graph.Reference{{Kind: graph.ReferenceReply, Channel: m.Channel, Message: 3}}
		}
		w.add(m)
	}
	w.fold()
	return w
}

// TestAReaderChooses has the newest five as seeds, and an affinity that takes 1 and 2 for
// needed.
func TestAReaderChooses(t *testing.T) {
	t.Parallel()
	type list = []graph.MessageID
	for name, c := range map[string]struct {
		most, background                   int
		reader                             choosing
		conversation, beside, toldByReader list
	}{
		"nothing is needed": {30, 1000, choosing{needed: list{}}, list{3}, list{4, 5, 6, 7, 8}, nil},
		"what is needed of the talk is conversation": {
			30, 1000, choosing{needed: list{2, 5}, talk: list{4, 5, 8}}, list{3, 4, 5, 8}, list{2, 6, 7}, list{2, 5},
		},
		"as far as there is room": {
			2, 450, choosing{needed: list{1, 2, 4, 5, 6}, talk: list{4, 5, 6}}, list{3, 6}, list{5, 7, 8}, list{5, 6},
		},
		"who does not read changes nothing": {30, 1000, choosing{}, list{3}, list{1, 2, 4, 5, 6, 7, 8}, nil},
	} {
		w := readable()
		o := graph.Options{MinLinear: 5, MaxTotal: c.most, Background: c.background, Affinity: needing{0.9, 0.9}, Reader: c.reader.read}
		g := errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[9], o))(t)
		if got := ids(g.Conversation); !slices.Equal(got, c.conversation) {
			t.Errorf("%s: the conversation is %v, want %v", name, got, c.conversation)
		}
		if got := ids(g.Background); !slices.Equal(got, c.beside) {
			t.Errorf("%s: beside it is %v, want %v", name, got, c.beside)
		}
		var told list
		for _, n := range slices.Concat(g.Conversation, g.Background) {
			if slices.ContainsFunc(n.Reasons, func(r graph.Reason) bool { return r.Kind == graph.ReasonRead && r.By == "somebody" }) {
				told = append(told, n.Message.ID)
			}
		}
		if slices.Sort(told); !slices.Equal(told, c.toldByReader) || (g.Read != nil) != (c.reader.needed != nil) {
			t.Errorf("%s: the reader is said to have chosen %v (%v), want %v", name, told, g.Read, c.toldByReader)
		}
		if want := (list{1, 2, 3, 4, 5, 6, 7, 8}); !slices.Equal(c.reader.lines, want) {
			t.Errorf("%s: the reader was given %v, want %v", name, c.reader.lines, want)
		}
	}
}

// TestAReaderIsGivenAHundredLines asks after 150 messages, of which the affinity is in
// doubt about three.
func TestAReaderIsGivenAHundredLines(t *testing.T) {
	t.Parallel()
	w := minutes(151, 100)
	for _, c := range []struct {
		needs needing
		doubt int
	}{{nil, 0}, {needing{0.9, 0, 0.9, 0, 0.9}, 300}} {
		var r choosing
		errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[151], graph.Options{MaxTotal: 150, Background: 5000, Affinity: c.needs, Reader: r.read}))(t)
		if len(r.lines) != 100 || r.lines[0] != 51 || r.lines[99] != 150 || r.doubt != c.doubt {
			t.Errorf("it was given %d lines from %v and a doubt of %d, want 100 from 51 and %d", len(r.lines), r.lines[:1], r.doubt, c.doubt)
		}
	}
}

// minutes returns a world of n messages, a minute apart, of so many characters.
func minutes(n, length int) *world {
	w := newWorld()
	for i := range n {
		m := person(graph.MessageID(i+1), strings.Repeat("x", length))
		m.Time = time.Unix(int64(60*i), 0)
		w.add(m)
	}
	w.fold()
	return w
}

// needing is an affinity by which nothing answers anything, and the last message needs each
// older one with the probability that stands at its place.
type needing []float32

func (n needing) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	links.Needs, links.Asks = n[:min(len(n), len(window)-1)], 1000
	return links
}

// doubting is a needing by which the last message just as likely needs nothing.
type doubting struct{ needing }

func (d doubting) Links(window []*graph.Message) graph.Links {
	links := d.needing.Links(window)
	links.Asks = 1
	return links
}

// linked is a needing by which the message at one place surely answers an older one.
type linked struct {
	needing

	from, to int
}

func (l linked) Links(window []*graph.Message) graph.Links {
	links := l.needing.Links(window)
	links.Row(l.from)[l.to] = 1
	return links
}

// TestWhatTheQuestionMayNeedIsBackground asks after messages of a hundred characters.
func TestWhatTheQuestionMayNeedIsBackground(t *testing.T) {
	for name, c := range map[string]struct {
		needs  graph.Affinity
		room   int
		length int
		want   []graph.MessageID
	}{
		"what is likely needed":       {needing{0.9, 0, 0.2, 0}, 1000, 100, []graph.MessageID{1, 3}},
		"the likeliest within bounds": {needing{0.3, 0.2, 0.9, 0.1}, 250, 100, []graph.MessageID{1, 3}},
		"nothing without room":        {needing{0.9, 0.9, 0.9, 0.9}, 0, 100, nil},
		"long ones are worth less":    {needing{1, 1, 0.004, 1}, 9000, 1000, []graph.MessageID{1, 2, 4}},
		"short ones are worth it":     {needing{1, 1, 0.004, 1}, 9000, 100, []graph.MessageID{1, 2, 3, 4}},
		"less where none may be":      {doubting{needing{0.05, 0, 0.004, 0.3}}, 9000, 100, []graph.MessageID{4}},
		"what answers it with it":     {linked{needing{0.9, 0, 0, 0}, 2, 0}, 1000, 100, []graph.MessageID{1, 3}},
		"what it answers with it":     {linked{needing{0, 0, 0.9, 0}, 2, 0}, 1000, 100, []graph.MessageID{1, 3}},
		"an affinity that tells none": {needing(nil), 9000, 100, nil},
	} {
		w := minutes(5, c.length)
		g := errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[5], graph.Options{MaxTotal: 30, Background: c.room, Affinity: c.needs}))(t)
		if got := ids(g.Background); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is background, want %v", name, got, c.want)
		}
		for i := range g.Background {
			if because := g.Background[i].Because(); because[0].Kind != graph.ReasonNeeded {
				t.Errorf("%s: %v is there by %s, want it needed", name, g.Background[i].Message.ID, because[0].Kind)
			}
		}
	}
}

// TestTheNearestTakeRoomOfTheBackground asks after messages of a hundred characters, of which
// the newest is sent in any case.
func TestTheNearestTakeRoomOfTheBackground(t *testing.T) {
	w := minutes(5, 100)
	for room, want := range map[int][]graph.MessageID{150: {4}, 250: {1, 4}, 350: {1, 2, 4}} {
		g := errtest.Must(graph.Expand((&source{world: w}).Read, w.byID[5], graph.Options{MinLinear: 1, MaxTotal: 30, Background: room, Affinity: needing{0.9, 0.8, 0, 0}}))(t)
		if got := ids(g.Background); !slices.Equal(got, want) {
			t.Errorf("with %d characters %v is background, want %v", room, got, want)
		}
	}
}
