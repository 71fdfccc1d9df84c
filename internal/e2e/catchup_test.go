package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// subjects are what talks of a busy channel are about: each has words of its own.
func subjects(n int) [][]string {
	all := [][]string{
		{"printer", "tray", "roller", "toner", "paper"},
		{"climbing", "rope", "harness", "wall", "carabiner"},
		{"dough", "oven", "flour", "yeast", "crust"},
		{"proxy", "port", "gateway", "certificate", "nginx"},
		{"garden", "tomato", "compost", "seedling", "hose"},
		{"guitar", "chord", "fret", "amplifier", "strings"},
		{"bicycle", "chain", "brake", "saddle", "pedal"},
		{"camera", "lens", "tripod", "shutter", "aperture"},
		{"chess", "bishop", "gambit", "endgame", "rook"},
		{"kayak", "paddle", "river", "rapids", "drysuit"},
		{"database", "index", "query", "vacuum", "replica"},
		{"knitting", "needle", "yarn", "sleeve", "stitch"},
		{"telescope", "nebula", "eyepiece", "mirror", "comet"},
		{"coffee", "grinder", "espresso", "filter", "roast"},
		{"sauna", "birch", "stove", "steam", "towel"},
		{"violin", "bow", "rosin", "sonata", "bridge"},
		{"aquarium", "shrimp", "algae", "heater", "gravel"},
		{"passport", "visa", "embassy", "consulate", "stamp"},
		{"drone", "propeller", "battery", "gimbal", "altitude"},
		{"theatre", "rehearsal", "costume", "curtain", "script"},
	}
	return all[:n]
}

// sentence is something that people say about a subject.
func sentence(random *rand.Rand, words []string, opens bool) string { //nolint:revive // the first sentence is another
	fillers := strings.Fields("yesterday maybe cold twice Berlin cheap loud uncle Thursday orange tiny broken market lend upstairs seven green wrong spare heavy " +
		"sister later quick neighbour empty corner winter borrow dusty wooden left shiny old kitchen garage summer")
	said := []string{words[0], words[1+random.IntN(4)], words[1+random.IntN(4)]}
	for range 2 + random.IntN(3) {
		said = append(said, fillers[random.IntN(len(fillers))])
	}
	random.Shuffle(len(said), func(a, b int) { said[a], said[b] = said[b], said[a] })
	if opens {
		said = append(said, "anyone?")
	}
	return strings.Join(said, " ")
}

// crowd posts messages of some talks that take turns, three at a time, each by people of
// its own. It returns what each message is about.
func (p *people) crowd(talks, messages int, end time.Time) map[graph.MessageID]string {
	p.t.Helper()
	random := rand.New(rand.NewPCG(11, 1))
	about := make([]string, messages)
	drafts := make([]discordtest.Draft, messages)
	last := make([]graph.MessageID, talks)
	people := make([][]graph.UserID, talks)
	for k := range people {
		for n := range 3 {
			people[k] = append(people[k], p.discord.People.AddUser(fmt.Sprintf("n%d-%d", k, n), p.guild))
		}
	}
	each := messages / talks
	said := make([]int, talks)
	for i := range drafts {
		var open []int // the first three talks that have not ended
		for k := range talks {
			if said[k] < each && len(open) < 3 {
				open = append(open, k)
			}
		}
		k := open[random.IntN(len(open))]
		words := subjects(talks)[k]
		at := end.Add(time.Duration(i-messages) * 20 * time.Second)
		d := discordtest.Draft{
			At: at, ID: graph.FirstMessageID(at) + graph.MessageID(i+1),
			Author:  people[k][random.IntN(3)],
			Content: sentence(random, words, said[k] == 0),
		}
		if said[k] == 1 || said[k] > 1 && random.IntN(3) > 0 {
			d.ReplyTo = last[k]
		}
		said[k]++
		last[k], about[i], drafts[i] = d.ID, words[0], d
	}
	ids, err := p.discord.Chat.Backfill(p.channel, drafts)
	if err != nil {
		p.t.Fatal(err)
	}
	of := make(map[graph.MessageID]string, len(ids))
	for i, id := range ids {
		of[id] = about[i]
	}
	return of
}

var (
	talkTurn = regexp.MustCompile(`(?s)^\[speaker: talk (\d+)\]\n(.*)$`)
	entry    = regexp.MustCompile(`\*\*(\d+)\. \[(.*?)\]\(<https://discord\.com/channels/\d+/(\d+)/(\d+)>\)\*\* — (.*)`)
)

// describing lets the model describe each talk by what its lines say most.
func (p *provider) describing(with func(title string) string) {
	p.scripted(func(r openaitest.Request) *openaitest.Reply {
		var all []map[string]any
		for _, m := range r.Chat.Messages {
			found := talkTurn.FindStringSubmatch(m.Text())
			if found == nil {
				continue
			}
			counts, best := map[string]int{}, ""
			for word := range strings.FieldsSeq(found[2]) {
				for _, words := range subjects(20) {
					if word == words[0] {
						if counts[word]++; counts[word] > counts[best] {
							best = word
						}
					}
				}
			}
			var number int
			_, _ = fmt.Sscan(found[1], &number)
			all = append(all, map[string]any{"talk": number, "title": with(best), "about": "They talked about the " + best + ".", "open": "who brings the " + best})
		}
		text, _ := json.Marshal(all)
		reply := openaitest.Answer(string(text))
		return &reply
	})
}

// counting has the model report how many tokens it read and wrote, by the tokenizer of
// OpenAI's models, and adds them up.
func (p *provider) counting() (read, written *atomic.Int64) {
	read, written = &atomic.Int64{}, &atomic.Int64{}
	counter, answers := llm.NewCounter("gpt-4o"), *p.script.Load()
	p.scripted(func(r openaitest.Request) *openaitest.Reply {
		reply := answers(r)
		usage := &openaitest.Usage{}
		for _, m := range r.Chat.Messages {
			usage.Prompt += counter.Text(p.ctx, m.Text())
		}
		var said strings.Builder
		for _, chunk := range reply.Chunks {
			said.WriteString(chunk.Text)
		}
		usage.Completion = counter.Text(p.ctx, said.String())
		read.Add(int64(usage.Prompt))
		written.Add(int64(usage.Completion))
		reply.Usage = usage
		return reply
	})
	return read, written
}

// catchesUp has somebody use a command about talks, and returns what they read.
func (c *commands) catchesUp(who graph.UserID, command string, options map[string]any) (discordtest.InteractionID, discordtest.Message) {
	c.t.Helper()
	if _, err := c.discord.Record.AwaitRequest(c.ctx, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteSetCommands && r.Status == 200
	}); err != nil {
		c.t.Fatalf("the commands are registered: %v", err)
	}
	id, err := c.discord.Interactions.Invoke(c.channel, who, c.heddle.User, discordtest.Invocation{Command: command, Options: options})
	if err != nil {
		c.t.Fatal(err)
	}
	return id, c.privately(id, "")
}

// nextPage presses ▶ below the private answer to an interaction of Bob's, and returns what
// it shows then. ok is false if there is no further page.
func (c *commands) nextPage(interaction discordtest.InteractionID, m discordtest.Message) (next discordtest.Message, ok bool) {
	c.t.Helper()
	at := slices.IndexFunc(m.Buttons(), func(b discordtest.Button) bool { return b.Label == "▶" })
	if at < 0 || m.Buttons()[at].Disabled {
		return m, false
	}
	if _, err := c.discord.Interactions.Press(c.channel, m.ID, c.bob, m.Buttons()[at].CustomID); err != nil {
		c.t.Fatal(err)
	}
	in, err := c.discord.Interactions.Await(c.ctx, interaction, func(in discordtest.Interaction) bool {
		return in.Private[0].Content != m.Content
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return in.Private[0], true
}

// TestACatchUpOverManyTalks catches up on 2,000 messages in 20 talks: every entry leads to
// the talk that it tells of, and the next catch-up asks the model nothing.
func TestACatchUpOverManyTalks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	about := s.crowd(20, 2000, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	s.describing(func(title string) string { return title })
	read, written := s.counting()
	r := s.start()
	began := time.Now()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "2026-03-01"})
	took := time.Since(began)
	asked := len(s.model.Requests())
	reads := len(s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Route == discordtest.RouteMessages }))
	told := map[string]bool{}
	for range 20 {
		for _, found := range entry.FindAllStringSubmatch(m.Content, -1) {
			var first graph.MessageID
			if err := first.UnmarshalText([]byte(found[4])); err != nil {
				t.Fatal(err)
			}
			if about[first] != found[2] {
				t.Errorf("the entry on %q leads to a message about %q, want the same", found[2], about[first])
			}
			told[found[2]] = true
		}
		next, ok := s.nextPage(id, m)
		if !ok {
			break
		}
		m = next
	}
	if len(told) != 20 {
		t.Errorf("%d talks of 20 are told of: %v, want 20", len(told), told)
	}
	t.Logf("%d reads, %d requests to the model, %d tokens read and %d written, %s", reads, asked, read.Load(), written.Load(), took)
	if asked < 1 || asked > 4 || len(s.model.Requests()) != asked {
		t.Errorf("the model was asked %d times, and then %d times, want 1 to 4, and 0", asked, len(s.model.Requests())-asked)
	}
	if reads > 32 {
		t.Errorf("%d pages were read, want at most 32", reads)
	}
	r.end()
}
