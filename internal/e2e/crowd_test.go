package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// crowd is a number of people who all ask at once. The first person of a channel asks
// three times, everybody else once.
type crowd struct {
	*scene

	in    []graph.ChannelID
	asked []question // by their numbers
	ids   map[graph.MessageID]int
	all   chan struct{} // closed when heddle has heard all questions
}

// question is a question of a crowd.
type question struct {
	channel, person int
	text            string
}

// newCrowd creates the channels and people of a crowd. Nobody has asked yet.
func newCrowd(s *scene, people, channels int) *crowd {
	c := &crowd{scene: s, ids: make(map[graph.MessageID]int), all: make(chan struct{})}
	for i := range channels {
		c.in = append(c.in, s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: fmt.Sprintf("room-%d", i)}))
	}
	for person := range people {
		times := 1
		if person < channels {
			times = 3
		}
		for range times {
			q := question{channel: person % channels, person: person}
			q.text = fmt.Sprintf("what is number %d, then?", len(c.asked))
			c.asked = append(c.asked, q)
		}
	}
	return c
}

// ask posts all questions. The model answers none before heddle has heard all. As it
// hears one after the other, that is so when it asks the model the last question, which
// has a channel of its own.
func (c *crowd) ask() {
	c.t.Helper()
	defer close(c.all)
	people := make(map[int]graph.UserID)
	for n, q := range c.asked {
		if _, known := people[q.person]; !known {
			people[q.person] = c.discord.People.AddUser(fmt.Sprintf("person%d", q.person), c.guild)
		}
		c.ids[c.postIn(c.in[q.channel], people[q.person], discordtest.Draft{Content: c.mention(q.text)})] = n
	}
	c.post(c.ann, discordtest.Draft{Content: c.mention("has everybody asked?")})
	if _, err := c.model.Await(c.ctx, len(c.in)+1); err != nil {
		c.t.Fatalf("the first question of each channel and the last of all reach the model: %v", err)
	}
}

// asks finds the number of a question in its text.
var asks = regexp.MustCompile(`what is number (\d+), then\?`)

// answerTo returns the answer to a question, in the pieces that the model sends.
func answerTo(n int) []string {
	return []string{fmt.Sprintf("Number %d is ", n), "the one after ", "the one before."}
}

// replies answers the questions. The model says no more before Discord shows what it has
// said, so that each answer takes one message and at least two edits.
func (c *crowd) replies(seen *sync.WaitGroup) func(openaitest.Request) *openaitest.Reply {
	return func(r openaitest.Request) *openaitest.Reply {
		messages := r.Chat.Messages
		found := asks.FindStringSubmatch(messages[len(messages)-2].Text())
		if found == nil {
			last := openaitest.Answer("Everybody has.")
			return &last
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			return nil
		}
		pieces := answerTo(n)
		reply := openaitest.Answer(pieces...)
		reply.Wait = c.all
		first, second := make(chan struct{}), make(chan struct{})
		reply.Chunks[1].Wait, reply.Chunks[2].Wait = first, second
		seen.Go(func() {
			defer close(second)
			c.seen(n, pieces[0])
			close(first)
			c.seen(n, pieces[0]+pieces[1])
		})
		return &reply
	}
}

// seen waits until the answer to a question begins with a text, or the test ends.
func (c *crowd) seen(n int, text string) {
	text = strings.TrimSpace(text)
	_, err := c.discord.Chat.AwaitMessage(c.ctx, c.in[c.asked[n].channel], func(m discordtest.Message) bool {
		return m.Author == c.heddle.User && strings.HasPrefix(m.Content, text)
	})
	if err != nil {
		c.t.Errorf("no answer begins with %q: %v", text, err)
	}
}

// answered waits for all answers and returns the numbers of the questions of each
// channel in the order in which they were answered.
func (c *crowd) answered() [][]int {
	c.t.Helper()
	for id, n := range c.ids {
		m := c.answer(c.in[c.asked[n].channel], id, strings.Join(answerTo(n), ""))
		c.standsIn(m, m.Content, row)
	}
	order := make([][]int, len(c.in))
	for i, channel := range c.in {
		c.oneEach(channel)
		for _, m := range c.discord.Chat.Messages(channel) {
			if m.Author == c.heddle.User && m.Reference != nil {
				order[i] = append(order[i], c.ids[m.Reference.Message])
			}
		}
	}
	return order
}

// TestFiftyPeopleInTwentyChannelsWithinDiscordsLimits has 50 people ask at once under the
// limits that were observed on Discord. Everybody has their answers in the order of their
// questions. Nobody waits for more than the answer that is being made and one for each of
// the others. Discord refuses no request, as none is made before there is room for it.
func TestFiftyPeopleInTwentyChannelsWithinDiscordsLimits(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{Limits: discordtest.DefaultLimits()})
	c := newCrowd(s, 50, 20)
	var seen sync.WaitGroup
	s.scripted(c.replies(&seen))
	s.start()
	c.ask()
	longest := 0
	for channel, order := range c.answered() {
		longest = max(longest, c.inTurn(channel, order))
	}
	seen.Wait()
	c.requests(longest)
}

// inTurn checks the order in which a channel's questions were answered. It returns how
// many answers came before somebody's first.
func (c *crowd) inTurn(channel int, order []int) (longest int) {
	c.t.Helper()
	newest := make(map[int]int) // by person: the newest of their questions that is answered
	for turn, n := range order {
		person := c.asked[n].person
		if before, known := newest[person]; !known {
			longest = max(longest, turn)
		} else if before > n {
			c.t.Errorf("question %d of person %d is answered after question %d, want them in order", n, person, before)
		}
		newest[person] = n
	}
	if people := len(newest); longest > people {
		c.t.Errorf("in channel %d of %d people, somebody waited for %d answers, want fewer: people take turns", channel, people, longest)
	}
	return longest
}

// requests checks that Discord refused no request, and logs how many it had.
func (c *crowd) requests(longest int) {
	c.t.Helper()
	all := make(map[string]int)
	for _, r := range c.discord.Record.Requests(nil) {
		all[r.Route]++
		if r.Status == http.StatusTooManyRequests {
			c.t.Errorf("at %s Discord refused %s in channel %s, as it was one too many", r.At.Format(time.StampMilli), r.Route, r.Channel())
		}
	}
	c.t.Logf("%d questions; before somebody's first answer came %d others at most", len(c.asked), longest)
	for _, route := range slices.Sorted(maps.Keys(all)) {
		c.t.Logf("%4d %s", all[route], route)
	}
}
