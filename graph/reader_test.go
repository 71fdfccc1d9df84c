package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
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
		choice.Helps = append(choice.Helps, false)
		choice.Talk = append(choice.Talk, slices.Contains(c.talk, m.ID))
	}
	return choice, c.needed != nil
}

// TestAReaderChooses has message 9 ask. It replies to 3. 7 is heddle's, the newest two are
// seeds, and the affinity takes 1 and 2 as needed in doubt.
func TestAReaderChooses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options                  graph.Options
		reader                   choosing
		conversation, background []graph.MessageID
		byReader                 []graph.MessageID
	}{
		"nothing is needed": {graph.Options{}, choosing{needed: []graph.MessageID{}}, []graph.MessageID{3}, []graph.MessageID{7, 8}, nil},
		"what is needed of the talk is conversation": {
			graph.Options{}, choosing{needed: []graph.MessageID{2, 5}, talk: []graph.MessageID{4, 5, 8}},
			[]graph.MessageID{3, 5, 8}, []graph.MessageID{2, 7}, []graph.MessageID{2, 5},
		},
		"as far as there is room": {
			graph.Options{MaxTotal: 2, Background: 250}, choosing{needed: []graph.MessageID{1, 2, 4, 5, 6}, talk: []graph.MessageID{4, 5, 6}},
			[]graph.MessageID{3, 6}, []graph.MessageID{5, 7, 8}, []graph.MessageID{5, 6},
		},
		"who does not read changes nothing": {graph.Options{}, choosing{}, []graph.MessageID{3}, []graph.MessageID{1, 2, 4, 5, 6, 7, 8}, nil},
	} {
		w := newWorld()
		for i := range 9 {
			m := person(graph.MessageID(i+1), strings.Repeat("x", 100))
			m.Time = time.Unix(int64(60*i), 0)
			switch m.ID {
			case 7:
				m.Origin = graph.OriginSelf
			case 9:
				m.References = []graph.Reference{{Kind: graph.ReferenceReply, Channel: m.Channel, Message: 3}}
			}
			w.add(m)
		}
		w.fold()
		o := c.options
		o.MinLinear, o.Affinity, o.Reader = 2, needing{0.9, 0.9}, c.reader.read
		if o.MaxTotal == 0 {
			o.MaxTotal, o.Background = 30, 1000
		}
		g := must(graph.Expand(&source{world: w, order: inOrder}, w.byID[9], o))(t)
		if got := ids(g.Conversation); !slices.Equal(got, c.conversation) {
			t.Errorf("%s: the conversation is %v, want %v", name, got, c.conversation)
		}
		if got := ids(g.Background); !slices.Equal(got, c.background) {
			t.Errorf("%s: the background is %v, want %v", name, got, c.background)
		}
		var by []graph.MessageID
		for _, n := range slices.Concat(g.Conversation, g.Background) {
			if slices.ContainsFunc(n.Reasons, func(r graph.Reason) bool { return r.Kind == graph.ReasonRead && r.By == "somebody" }) {
				by = append(by, n.Message.ID)
			}
		}
		slices.Sort(by)
		if !slices.Equal(by, c.byReader) {
			t.Errorf("%s: the reader is said to have chosen %v, want %v", name, by, c.byReader)
		}
		if (g.Read != nil) != (c.reader.needed != nil) {
			t.Errorf("%s: the graph has the choice %v", name, g.Read)
		}
		if want := []graph.MessageID{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(c.reader.lines, want) {
			t.Errorf("%s: the reader was given %v, want %v", name, c.reader.lines, want)
		}
	}
}

// TestAReaderIsGivenAHundredLines asks after 150 messages, of which the affinity is in
// doubt about three.
func TestAReaderIsGivenAHundredLines(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 151 {
		m := person(graph.MessageID(i+1), strings.Repeat("x", 100))
		m.Time = time.Unix(int64(60*i), 0)
		w.add(m)
	}
	w.fold()
	for _, c := range []struct {
		needs needing
		doubt int
	}{{nil, 0}, {needing{0.9, 0, 0.9, 0, 0.9}, 300}} {
		var r choosing
		must(graph.Expand(&source{world: w, order: inOrder}, w.byID[151], graph.Options{MaxTotal: 150, Background: 5000, Affinity: c.needs, Reader: r.read}))(t)
		if len(r.lines) != 100 || r.lines[0] != 51 || r.lines[99] != 150 || r.doubt != c.doubt {
			t.Errorf("it was given %d lines from %v and a doubt of %d, want 100 from 51 and %d", len(r.lines), r.lines[:1], r.doubt, c.doubt)
		}
	}
}
