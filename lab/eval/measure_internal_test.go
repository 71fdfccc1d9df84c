package eval

import (
	"math"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// These tests reach the measures themselves, which no other package needs.

// marked returns a log whose messages belong to the given conversations; 0 stands for a
// message that is not annotated. Every message answers the one before it in its
// conversation.
func marked(conversations ...int) *chatlog.Log {
	log := &chatlog.Log{Log: evaluation.Log{Name: "log"}}
	last := map[int]int{}
	for i, c := range conversations {
		g := chatlog.Gold{Annotated: c != 0, Conversation: c, Characters: 10}
		if before, ok := last[c]; ok && c != 0 {
			g.Parents = []int{before}
		}
		last[c] = i
		log.Gold = append(log.Gold, g)
		log.IDs = append(log.IDs, string(rune('a'+i)))
		log.Messages = append(log.Messages, graph.Message{ID: evaluation.MessageID(i), Channel: evaluation.LogChannel, Author: graph.UserID(c + 1), Time: time.Unix(int64(60*i), 0)})
	}
	return log
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestAScoreCountsWhatWasAnnotated(t *testing.T) {
	log := marked(1, 2, 0, 1, 1, 2, 1)
	if so := soFar(log); !slices.Equal(so, []int{0, 0, 0, 1, 2, 1, 3}) {
		t.Errorf("so far %v, want %v", so, []int{0, 0, 0, 1, 2, 1, 3})
	}
	s := score(log, 6, 3, []int{1, 2, 3, 4}, nil)
	if !near(s.Precision, 2.0/3) || !near(s.Recall, 2.0/3) || !near(s.F1, 2.0/3) || s.Characters != 30 || s.Wasted != 10 {
		t.Errorf("the score is %+v, want precision, recall and F1 of 2/3, and 10 of 30 characters wasted", s)
	}
	if s := score(log, 6, 3, []int{2}); s.F1 != 0 || s.Wasted != 0 {
		t.Errorf("messages without annotations are counted: %+v, want F1 0 and Wasted 0", s)
	}
	if s := score(log, 6, 3, []int{3}, []int{0, 4}); s.F1 != 1 {
		t.Errorf("with the background: %+v, want F1 1", s)
	}
}

func TestRecallIsOfThirtyMessagesAtMost(t *testing.T) {
	log := marked(slices.Repeat([]int{1}, 51)...)
	all := make([]int, 50)
	for i := range all {
		all[i] = i
	}
	for n, want := range map[int]float64{15: 0.5, 30: 1, 50: 1} {
		if s := score(log, 50, 50, all[50-n:]); !near(s.Recall, want) {
			t.Errorf("recall of %d messages: %v, want %v", n, s.Recall, want)
		}
	}
}

func TestPerfectLinksPartALogPerfectly(t *testing.T) {
	log := marked(1, 2, 1, 0, 2, 1)
	l := links{log: log, parent: map[int]int{0: 0, 1: 1, 2: 0, 4: 1, 5: 2}}
	if d := l.disentangled(); !near(d.LinkF1, 1) || !near(d.OneToOne, 1) || !near(d.VI, 1) {
		t.Errorf("got %+v, want 1 everywhere", d)
	}
	l.parent[4] = 2
	// Now {0,2,4,5} and {1} stand for {0,2,5} and {1,4}.
	d := l.disentangled()
	vi := 0.0
	for _, p := range [][3]float64{{3, 4, 3}, {1, 4, 2}, {1, 1, 2}} { // both, group, conversation
		vi -= p[0] / 5 * (math.Log2(p[0]/p[1]) + math.Log2(p[0]/p[2]))
	}
	if !near(d.LinkF1, 0.8) || !near(d.OneToOne, 0.8) || !near(d.VI, 1-vi/math.Log2(5)) {
		t.Errorf("%+v, want VI %v", d, 1-vi/math.Log2(5))
	}
}
