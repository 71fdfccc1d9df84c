package playground

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/why"
)

// TestIdeasAreAnsweredFromTheirOwnConversation asks the questions that the page suggests. All
// lines that an answer needs are sent, and of the lines of other conversations, and of those
// that the last 30 messages would add, only a few are taken for the conversation.
func TestIdeasAreAnsweredFromTheirOwnConversation(t *testing.T) {
	for _, c := range []struct {
		scene, question string
		needed          []string
		about           string // the conversation that the question is about; "" for lines without one
		others          int    // most lines of other conversations that are taken for it
		missed          bool   // whether the last 30 messages lack something that is needed
	}{
		{"kitchen", "plants", []string{"could someone water the plants", "monday to wednesday I can", "and I take the rest"}, "", 0, false},
		{"kitchen", "how much of each", []string{"for four: 500 g flour"}, "", 0, false},
		{"workshop", "what was wrong with the booking page", []string{
			"we moved the app there in march", "systemctl edit --runtime", "lives in /run", "without --runtime", "restarts the app after three misses", "as long as the app sat on 8080", "it asks 8081 now",
		}, "page", 1, true},
		{"workshop", "what do we eat", []string{"I'll bring Cascadia", "pack Just One", "plum crumble", "closed for holidays", "Da Enzo?", "order at Da Enzo", "something to drink"}, "friday", 3, true},
		{"workshop", "loose edge of my towels", []string{"floating selvedge", "one extra end on each side", "hang it over the back beam", "a hundred grams and feel"}, "loom", 3, true},
		{"workshop", "who changed the health check", []string{"HEALTH_URL in", "The health check that came with the upgrade asked"}, "page", 1, false},
		{"fixing dent 104", "how did the gap get there", []string{"I was talking", "take the long reed hook"}, "loom", 1, true},
	} {
		t.Run(c.question, func(t *testing.T) {
			a := ask(t, c.scene, c.question)
			lacking := 0
			for _, text := range c.needed {
				if !slices.ContainsFunc(a.sent, func(m graph.Message) bool { return strings.Contains(m.Text, text) }) {
					t.Errorf("%q is not sent, want all that the answer needs", text)
				}
				if !slices.ContainsFunc(a.last, func(m discordtest.Message) bool { return strings.Contains(m.Content, text) }) {
					lacking++
				}
			}
			if (lacking > 0) != c.missed {
				t.Errorf("the last 30 lack %d of what is needed, want some: %t", lacking, c.missed)
			}
			others := 0
			for _, m := range a.read {
				if about := a.about[m.Text]; about != c.about && m.Name != botName {
					others++
				}
			}
			if others > c.others {
				t.Errorf("%d of %d messages are of other conversations, want at most %d", others, len(a.read), c.others)
			}
		})
	}
}

// TestTheReadmeDrawsWhatHeddleReads compares the drawing at the top of the README with
// its scene. Each line on the left must be in the scene, and the lines on the right
// must be the context of the question.
func TestTheReadmeDrawsWhatHeddleReads(t *testing.T) {
	text := errtest.Must(os.ReadFile("../../README.md"))(t)
	said := regexp.MustCompile(`(?m)^  (Ada|Bo|Cleo|Dev|Finn|Ines) +(.+?)(?: …)? ─`).FindAllStringSubmatch(string(text), -1)
	drawn := regexp.MustCompile(`(?m) (Ada|Bo|Cleo|Dev|Finn|Ines): +(.+?)(?: …)?$`).FindAllStringSubmatch(string(text), -1)
	if len(said) < 5 || len(drawn) < 3 {
		t.Fatalf("the drawing holds %d lines and %d that are read, want at least 5 and at least 3", len(said), len(drawn))
	}
	a := ask(t, "workshop", "what was wrong with the booking page")
	all := errtest.Must(scenes())(t)
	for _, s := range said {
		who, words := s[1], s[2]
		if !slices.ContainsFunc(all[0].Lines, func(l line) bool { return l.Who == who && strings.Contains(l.Text, words) }) {
			t.Errorf("%s says %q in the drawing alone, want it in the workshop, too", who, words)
		}
		if strings.HasPrefix(words, "@heddle ") {
			continue
		}
		shown := slices.ContainsFunc(drawn, func(r []string) bool { return r[1] == who && r[2] == words })
		taken := slices.ContainsFunc(a.read, func(m graph.Message) bool { return m.Name == who && strings.Contains(m.Text, words) })
		if taken != shown {
			t.Errorf("%q is drawn as read: %t, want %t as in the conversation", words, shown, taken)
		}
	}
}

// asked is what a question is answered from.
type asked struct {
	read  []graph.Message       // as the conversation
	sent  []graph.Message       // with the background
	last  []discordtest.Message // the last 30 messages
	about map[string]string     // the conversation of each line of the scene
}

// ask asks a question of a scene, an idea that is asked a minute after the last line or a line
// itself, and returns what it is answered from.
func ask(t *testing.T, name, about string) asked {
	t.Helper()
	discord := discordtest.New(discordtest.Options{})
	t.Cleanup(discord.Close)
	now := time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)
	w := errtest.Must(newWorld(discord, now))(t)
	p := page{world: w, contexts: newContexts(discord.Chat, answer.NewRecent())}
	c := w.channels[slices.IndexFunc(w.channels, func(c channel) bool { return c.Name == name })]
	if idea := slices.IndexFunc(c.Ideas, func(i idea) bool { return strings.Contains(i.Text, about) }); idea >= 0 {
		hint := c.Ideas[idea]
		if _, err := discord.Chat.Backfill(c.ID, []discordtest.Draft{{Author: hint.As, At: now, Content: strings.TrimPrefix(hint.Text, "@heddle "), ReplyTo: hint.ReplyTo}}); err != nil {
			t.Fatal(err)
		}
	}
	newest, _, _ := discord.Chat.Near(c.ID, newestID, 1000, 0)
	at := slices.IndexFunc(newest, func(m discordtest.Message) bool { return strings.Contains(m.Content, about) })
	for i := at; i < len(newest); i++ { // the newest one that asks
		if strings.Contains(newest[i].Content, about) {
			at = i
		}
	}
	bot := why.Bot{Settings: conversation.Settings{Expand: graph.DefaultOptions()}}
	bot.Expand.Affinity, bot.Expand.TimeThreshold = errtest.Must(affinity.Default())(t), graph.AutoThreshold
	chosen := errtest.Must(p.place(c.ID).Preview(t.Context(), p.received(newest[at]), bot, nil))(t)
	a := asked{last: newest[max(0, at-30):at], about: conversations(t)}
	for part, nodes := range map[string][]graph.Node{"conversation": chosen.Graph.Conversation, "background": chosen.Graph.Background} {
		for i := range nodes {
			m := nodes[i].Message
			t.Logf("%s %.2f %s [%s]: %s", part, nodes[i].Probability, m.Name, a.about[m.Text], graph.OneLine(m.Text, 80))
			if a.sent = append(a.sent, *m); part == "conversation" {
				a.read = append(a.read, *m)
			}
		}
	}
	return a
}

// conversations returns the conversation of each line of the scenes, by its text.
func conversations(t *testing.T) map[string]string {
	t.Helper()
	type said struct {
		Lines []struct {
			Text  string `json:"text"`
			About string `json:"about"`
		} `json:"lines"`
		Thread *said `json:"thread"`
	}
	var all []said
	errtest.None(t, json.Unmarshal(scenesFile, &all))
	about := map[string]string{}
	for _, s := range all {
		for _, l := range s.Lines {
			about[l.Text] = l.About
		}
		if s.Thread != nil {
			for _, l := range s.Thread.Lines {
				about[l.Text] = l.About
			}
		}
	}
	return about
}
