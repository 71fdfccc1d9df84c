package conversation

import (
	"strings"
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/expensive"
)

func TestAgainIsAskedInReplyInOneWordOrSign(t *testing.T) {
	reply := graph.Reference{Kind: graph.ReferenceReply, Message: 7}
	for text, want := range map[string]bool{
		"again": true, "Again!": true, "@heddle again.": true, "🔁": true, "@heddle 🔄": true,
		"": false, "@heddle": false, "again, but shorter": false, "say it again": false,
	} {
		for _, references := range [][]graph.Reference{{reply}, {{Kind: graph.ReferenceAddress}, reply}, {{Kind: graph.ReferenceForward, Message: 7}}, nil} {
			want := want && len(references) > 0 && references[len(references)-1] == reply
			got, ok := AsksAgain(&graph.Message{Text: text, References: references})
			if ok != want || ok && got != 7 {
				t.Errorf("%q with %v asks for another answer than %s: %t, want %t", text, references, got, ok, want)
			}
		}
	}
}

// BenchmarkExpensiveAgain looks for the word that asks for another answer.
func BenchmarkExpensiveAgain(b *testing.B) {
	reply := []graph.Reference{{Kind: graph.ReferenceReply, Message: 1}}
	expensive.Text(b, func(text string) { AsksAgain(&graph.Message{Text: text, References: reply}) })
}

// TestAPromptNamesItsPlace fills in macros. Names are one line and bounded, and what changes
// from question to question is below.
func TestAPromptNamesItsPlace(t *testing.T) {
	var place guilds.Place
	place.Named.Guild, place.Named.Channel, place.Named.Topic = "the\n loom", "weft", strings.Repeat("ü", 301)
	for prompt, want := range map[string]string{
		"Be kind.":               "Be kind.",
		"{guild}, {channel}":     "the loom, weft",
		"On {topic}.":            "On " + strings.Repeat("ü", 299) + "….",
		"{other} and {guild}{}{": "{other} and the loom{}{",
	} {
		if got := filled(prompt, place); got != want {
			t.Errorf("%q is filled in as %q, want %q", prompt, got, want)
		}
	}
	if got := filled("{guild} {channel} {topic} {date} {members}", guilds.Place{}); strings.ContainsAny(got, "{}") {
		t.Errorf("where nothing has a name %q is told, want every macro filled in", got)
	}
}
