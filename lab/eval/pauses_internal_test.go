package eval

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// shortTalk is a talk out of a small channel, and a question about it.
type shortTalk struct {
	messages []graph.Message
	question graph.Message
}

// shortTalks returns the talks of two to nine messages out of which small channels were made.
func shortTalks(channels []channel) []shortTalk {
	var talks []shortTalk
	for _, c := range channels {
		for _, q := range c.questions {
			s := shortTalk{question: q.trigger}
			for i, talk := range c.talks {
				if talk == q.talk {
					s.messages = append(s.messages, c.log.Messages[i])
				}
			}
			if len(s.messages) >= 2 && len(s.messages) <= 9 {
				talks = append(talks, s)
			}
		}
	}
	return talks
}

// say adds a talk to a channel, a pause after what was said before, and then the question
// about it. The talk keeps its gaps up to ten minutes, and has the people of the channel, if
// the channel has as many.
func (c *channel) say(name string, talk *shortTalk, pause time.Duration) {
	var before, now []graph.UserID
	at := time.Unix(1_770_000_000, 0)
	for i := range c.log.Messages {
		at = c.log.Messages[i].Time
		if author := c.log.Messages[i].Author; !slices.Contains(before, author) {
			before = append(before, author)
		}
	}
	at = at.Add(pause)
	rest := func(m graph.Message, gap time.Duration) graph.Message {
		at = at.Add(min(gap, 10*time.Minute))
		person := slices.Index(now, m.Author)
		if person < 0 {
			person = len(now)
			now = append(now, m.Author)
		}
		if person < len(before) {
			m.Author, m.Name = before[len(before)-1-person], ""
		}
		m.ID, m.Time = evaluation.MessageID(len(c.log.Messages)), at
		return m
	}
	for i := range talk.messages {
		gap := time.Duration(0)
		if i > 0 {
			gap = talk.messages[i].Time.Sub(talk.messages[i-1].Time)
		}
		c.log.Messages, c.talks = append(c.log.Messages, rest(talk.messages[i], gap)), append(c.talks, name)
	}
	c.questions = []question{{name, rest(talk.question, time.Minute)}}
}

// TestAPauseEndsASmallTalk lets the same people talk about one thing and, hours or days
// later, about another, and asks about the second. Nothing else was said in the channel. The
// bounds are what was reached so far.
func TestAPauseEndsASmallTalk(t *testing.T) {
	strategy := heddle(t)
	type bound struct {
		pause time.Duration
		f1    float64
	}
	for half, bounds := range map[string][]bound{
		"tuned": {{10 * time.Minute, 0.72}, {time.Hour, 0.78}, {8 * time.Hour, 0.87}, {48 * time.Hour, 0.91}},
		"kept":  {{10 * time.Minute, 0.68}, {time.Hour, 0.75}, {8 * time.Hour, 0.82}, {48 * time.Hour, 0.855}},
	} {
		talks := shortTalks(readChannels(t, filepath.Join("testdata", "channels", half+".txt")))
		for _, after := range bounds {
			var all parting
			for i := range talks {
				for _, next := range []int{1, 2, 3, 5, 7} {
					c := channel{log: &chatlog.Log{}}
					c.say("first", &talks[i], 0)
					c.say("second", &talks[(i+next)%len(talks)], after.pause)
					chosen := errtest.Must(strategy.Select(evaluation.Sight{Before: c.log.Messages, Trigger: c.questions[0].trigger}))(t)
					all.judge(&c, "second", chosen.Conversation)
				}
			}
			t.Logf("%s, after %v: %v", half, after.pause, &all)
			if f1 := all.f1 / float64(all.questions); f1 < after.f1 {
				t.Errorf("%s, after %v: %v; want F1 %.3f", half, after.pause, &all, after.f1)
			}
		}
	}
}
