package why_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/golden"
	"heddle/internal/why"
)

// byWords is an affinity that does not depend on trained weights: a message answers the
// nearest older one with which it shares a long word.
type byWords struct{}

func (byWords) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	for j, m := range window {
		for i := j - 1; i >= 0; i-- {
			if shares(m.Text, window[i].Text) {
				links.Row(j)[i] = 0.8
				break
			}
		}
	}
	return links
}

func shares(a, b string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(a)) {
		if len(word) > 3 && !strings.HasPrefix(word, "@") && strings.Contains(strings.ToLower(b), word) {
			return true
		}
	}
	return false
}

func parting() graph.Options {
	o := graph.DefaultOptions()
	o.Affinity = byWords{}
	return o
}

func plain() graph.Options {
	o := graph.DefaultOptions()
	o.MinLinear = 3
	return o
}

func paced() graph.Options {
	o := graph.DefaultOptions()
	o.TimeThreshold = graph.AutoThreshold
	return o
}

func bot(expand graph.Options) why.Bot {
	return why.Bot{Settings: conversation.Settings{Expand: expand}}
}

// sample returns the name of a file in testdata.
func sample(name string) string { return filepath.Join("testdata", name) }

func explained(t *testing.T, o why.Options) string {
	t.Helper()
	var out bytes.Buffer
	errtest.None(t, why.Explain(t.Context(), o, &out))
	return out.String()
}

func isGolden(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, sample(filepath.Join("golden", name)), got)
}

// The messages of the sample that tests why.
const (
	firstQuestion = "1478331979530240000"
	followUp      = "1478332357017600000"
	ownAnswer     = "1478332004696064000"
	notice        = "1475888252190720000"
)

func TestExplanations(t *testing.T) {
	general := []string{sample("general.json")}
	both := []string{sample("thread.json"), sample("general.json")}
	for name, o := range map[string]why.Options{
		"parted.txt":        {Files: general, At: followUp, Bot: bot(parting())},
		"parted.json":       {Files: general, At: followUp, Bot: bot(parting()), JSON: true},
		"plain.txt":         {Files: general, At: firstQuestion, Bot: bot(plain()), Columns: 80},
		"thread.txt":        {Files: both, At: "last", Bot: bot(plain())},
		"thread-alone.txt":  {Files: both[:1], At: "last", Bot: bot(plain())},
		"another-self.txt":  {Files: general, At: followUp, Bot: bot(plain()), Self: "298"},
		"compared.txt":      {Files: general, At: followUp, Bot: bot(parting()), Compare: []string{"last-10", "reply-chain", "window", "plain"}},
		"compared.json":     {Files: general, At: followUp, Bot: bot(parting()), Compare: []string{"last-3", "reply-chain"}, JSON: true},
		"paced.txt":         {Files: general, At: followUp, Bot: bot(paced())},
		"paced-first.txt":   {Files: general, At: "1475887497216000000", Bot: bot(paced())},
		"first-message.txt": {Files: general, At: "1475887497216000000", Bot: bot(plain())},
	} {
		t.Run(name, func(t *testing.T) {
			text := explained(t, o)
			isGolden(t, name, text)
			if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
				t.Error("not JSON")
			}
		})
	}
}

func TestNoLineIsWiderThanAsked(t *testing.T) {
	for _, columns := range []int{80, 96, 200} {
		for _, options := range []graph.Options{plain(), parting()} {
			text := explained(t, why.Options{Files: []string{sample("general.json")}, At: followUp, Bot: bot(options), Columns: columns})
			for line := range strings.Lines(text) {
				if wide := len([]rune(strings.TrimRight(line, "\n"))); wide > columns {
					t.Errorf("a line has %d columns, want at most %d: %s", wide, columns, line)
				}
			}
		}
	}
}

func TestALinkAndTheNewestAreFound(t *testing.T) {
	o := why.Options{Files: []string{sample("general.json")}, At: followUp, Bot: bot(plain())}
	want := explained(t, o)
	for _, at := range []string{
		"last", "https://discord.com/channels/100/300/" + followUp, "https://ptb.discord.com/channels/100/300/" + followUp + "/",
	} {
		o.At = at
		if got := explained(t, o); got != want {
			t.Errorf("--at %s shows\n%s, want %s", at, got, want)
		}
	}
}

// TestWithoutAMessageTheLastMentionIsExplained explains a channel that goes on after the
// last mention of heddle, and once as if heddle were somebody else.
func TestWithoutAMessageTheLastMentionIsExplained(t *testing.T) {
	later := changed(t, "general.json", func(text string) string {
		return strings.Replace(text, "1478332189245440000", "1478332400000000000", 1)
	})
	o := why.Options{Files: []string{later}, Bot: bot(plain())}
	if got := explained(t, o); !strings.Contains(got, "old port have to stay open?") {
		t.Errorf("explains\n%s\nwant the last mention", got)
	}
	o.Self = "1" // whom nobody mentions
	if got := explained(t, o); !strings.Contains(got, "10:04: seven is fine") {
		t.Errorf("explains\n%s\nwant the newest, as nobody is mentioned", got)
	}
}

// TestAnOldMentionIsExplained has many messages follow the last mention of heddle.
func TestAnOldMentionIsExplained(t *testing.T) {
	busy := changed(t, "general.json", func(text string) string {
		var later strings.Builder
		for i := range 150 {
			fmt.Fprintf(&later, `{"id":"14783400000000%05d","type":"Default","timestamp":"2026-03-03T10:10:00Z","content":"later","author":{"id":"201","name":"ada"}},`, i)
		}
		return strings.Replace(text, `"messages": [`, `"messages": [`+later.String(), 1)
	})
	if got := explained(t, why.Options{Files: []string{busy}, Bot: bot(plain())}); !strings.Contains(got, "old port have to stay open?") {
		t.Errorf("explains\n%s\nwant the last mention", got)
	}
}

// TestMentionsAreNamed mentions somebody who wrote, and somebody of whom nothing is known.
func TestMentionsAreNamed(t *testing.T) {
	named := changed(t, "general.json", func(text string) string {
		return strings.Replace(text, "at seven then", "<@201> and <@!999> at seven", 1)
	})
	text := explained(t, why.Options{Files: []string{named}, At: followUp, Bot: bot(plain()), Columns: 200})
	if !strings.Contains(text, "@Ada and @someone at seven") || strings.Contains(text, "<@") {
		t.Errorf("shows\n%s\nwant names in place of ids", text)
	}
}

func TestAThreadOfAForumStartsWithItsOwnFirstMessage(t *testing.T) {
	posted := changed(t, "thread.json", func(text string) string {
		text = strings.Replace(text, `"id": "1478331685928960000"`, `"id": "1478333615308800000"`, 1) // a thread in a forum has the id of its first message
		return strings.ReplaceAll(text, `"type": "21"`, `"type": "Default"`)
	})
	options := plain()
	options.MinLinear = 1
	text := explained(t, why.Options{Files: []string{posted}, At: "last", Bot: bot(options)})
	if !strings.Contains(text, "the thread starts with it") || strings.Contains(text, "channel above") {
		t.Errorf("shows\n%s\nwant %q in it and no %q in it", text, "the thread starts with it", "channel above")
	}
}

func TestExplanationsCannotBeForged(t *testing.T) {
	evil := changed(t, "general.json", func(text string) string {
		return strings.Replace(text, "at seven then", `at\nConversation\n \u001b[31m\u202eseven`, 1)
	})
	text := explained(t, why.Options{Files: []string{evil}, At: followUp, Bot: bot(plain()), Columns: 200})
	if !strings.Contains(text, "[31mseven") || strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, "\nConversation\n") != 1 {
		t.Errorf("control characters and lines get through:\n%q", text)
	}
}
