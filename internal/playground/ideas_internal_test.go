package playground

import (
	"math"
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

// TestIdeasAreAnsweredFromTheirOwnTalk asks the questions that the page suggests, and
// checks which messages are in the context.
func TestIdeasAreAnsweredFromTheirOwnTalk(t *testing.T) {
	for _, c := range []struct {
		scene, idea string
		asked       time.Duration // time between the last line and the question
		in, out     []string
		more        int // messages that are taken in though they belong elsewhere
	}{
		{
			"kitchen", "plants", 2 * time.Minute,
			[]string{"could someone water the plants", "monday to wednesday I can", "and I take the rest", "the fern wants less", "less as in none", "a cup, once"},
			[]string{"how did you make that dough", "noted"},
			6, // the coffee machine, which shares "wants" and "by the w" with the plants
		},
		{
			"kitchen", "how much of each", 2 * time.Minute,
			[]string{"500 g flour", "how did you make that dough", "as hot as your oven goes", "noted"},
			[]string{"plants by the window", "coffee machine", "found it"},
			0,
		},
		{
			"workshop", "what was wrong with the proxy", time.Minute,
			[]string{"answers 502", "it still listens on 8080", "8443 is right", "restarting it", "still asks 8080", "changed both"},
			[]string{"board games", "Cascadia", "what do we eat", "Mill Street", "bring my brother", "standup notes"},
			0,
		},
		{
			"workshop", "when is the pizza coming", time.Minute,
			[]string{"board games", "Cascadia", "what do we eat", "Mill Street", "pizza it is", "bring my brother"},
			[]string{"answers 502", "it still listens on 8080", "8443 is right", "restarting it", "changed both", "standup notes"},
			0,
		},
		{
			"workshop", "who changed the health check", time.Minute,
			[]string{"answers 502", "it still listens on 8080", "8443 is right", "restarting it", "still asks 8080", "changed both", "what was wrong", "The proxy still listened"},
			[]string{"board games", "Cascadia", "what do we eat", "Mill Street", "bring my brother", "standup notes"},
			0,
		},
	} {
		t.Run(c.idea, func(t *testing.T) {
			conversation := ask(t, c.scene, c.idea, c.asked)
			for _, text := range c.in {
				if !strings.Contains(conversation, text) {
					t.Errorf("%q is left out, want it in\n%s", text, conversation)
				}
			}
			for _, text := range c.out {
				if strings.Contains(conversation, text) {
					t.Errorf("%q is taken in, want it left out of\n%s", text, conversation)
				}
			}
			if n := strings.Count(conversation, "\n"); n > len(c.in)+c.more {
				t.Errorf("%d messages are taken in, want at most %d", n, len(c.in)+c.more)
			}
		})
	}
}

// TestTheReadmeDrawsWhatHeddleReads compares the drawing at the top of the README with
// its scene. Each line on the left must be in the scene, and the lines on the right
// must be the context of the question.
func TestTheReadmeDrawsWhatHeddleReads(t *testing.T) {
	text := errtest.Must(os.ReadFile("../../README.md"))(t)
	said := regexp.MustCompile(`(?m)^  (Ada|Bo|Cleo|Dev) +(.+?)(?: …)? ─`).FindAllStringSubmatch(string(text), -1)
	read := regexp.MustCompile(`(?m) (Ada|Bo|Cleo|Dev): +(.+?)(?: …)?$`).FindAllStringSubmatch(string(text), -1)
	if len(said) < 5 || len(read) < 3 {
		t.Fatalf("the drawing holds %d lines and %d that are read, want at least 5 and at least 3", len(said), len(read))
	}
	conversation := ask(t, "workshop", "what was wrong with the proxy", time.Minute)
	all := errtest.Must(scenes())(t)
	workshop := all[0]
	for _, s := range said {
		who, words := s[1], s[2]
		if words, isQuestion := strings.CutPrefix(words, "@heddle "); isQuestion {
			if !slices.ContainsFunc(workshop.Lines, func(l line) bool { return l.Who == who && strings.Contains(l.Text, words) }) {
				t.Errorf("%s asks %q in the drawing alone, want it in the workshop, too", who, words)
			}
			continue
		}
		if !slices.ContainsFunc(workshop.Lines, func(l line) bool { return l.Who == who && strings.Contains(l.Text, words) }) {
			t.Errorf("%s says %q in the drawing alone, want it in the workshop, too", who, words)
		}
		drawn := slices.ContainsFunc(read, func(r []string) bool { return r[1] == who && r[2] == words })
		if taken := strings.Contains(conversation, words); taken != drawn {
			t.Errorf("%q is drawn as read: %t, want %t as in the conversation", words, drawn, taken)
		}
	}
}

// ask returns the conversation that a question of a scene is answered from: an idea that is
// asked some time after the last line, or a line.
func ask(t *testing.T, name, about string, after time.Duration) string {
	t.Helper()
	discord := discordtest.New(discordtest.Options{})
	t.Cleanup(discord.Close)
	last := time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)
	all := errtest.Must(scenes())(t)
	for _, s := range all {
		if s.Name == name {
			last = last.Add(time.Duration(-s.Lines[len(s.Lines)-1].Minutes) * time.Minute)
		}
	}
	w := errtest.Must(newWorld(discord, time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)))(t)
	p := page{world: w, contexts: newContexts(discord.Chat, answer.NewRecent())}
	c := w.channels[slices.IndexFunc(w.channels, func(c channel) bool { return c.Name == name })]
	if idea := slices.IndexFunc(c.Ideas, func(i idea) bool { return strings.Contains(i.Text, about) }); idea >= 0 {
		hint := c.Ideas[idea]
		if _, err := discord.Chat.Backfill(c.ID, []discordtest.Draft{{
			Author: hint.As, At: last.Add(after), Content: strings.TrimPrefix(hint.Text, "@heddle "), ReplyTo: hint.ReplyTo,
		}}); err != nil {
			t.Fatal(err)
		}
		about = strings.TrimPrefix(hint.Text, "@heddle ")
	}
	newest, _, _ := discord.Chat.Near(c.ID, newestID, 100, 0)
	asked := slices.IndexFunc(newest, func(m discordtest.Message) bool { return strings.Contains(m.Content, about) })
	model := errtest.Must(affinity.Default())(t)
	bot := why.Bot{Settings: conversation.Settings{Expand: graph.DefaultOptions()}}
	bot.Expand.Affinity, bot.Expand.TimeThreshold = model, graph.AutoThreshold
	chosen := errtest.Must(p.place(c.ID).Preview(t.Context(), p.received(newest[asked]), bot, nil))(t)
	var b strings.Builder
	for i := range chosen.Graph.Conversation {
		n := &chosen.Graph.Conversation[i]
		t.Logf("%.2f %s: %s", n.Probability, n.Message.Name, n.Message.Text)
		b.WriteString(graph.OneLine(n.Message.Text, math.MaxInt) + "\n")
	}
	return b.String()
}
