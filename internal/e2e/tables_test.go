package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestATableIsShownAsDiscordCan streams answers with tables, each held back in the midst
// of the table until its beginning stands. People read aligned text or a list, never half
// of a table, and the model is shown what it wrote.
func TestATableIsShownAsDiscordCan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ begins, goesOn, shown string }{
		"narrow": {
			"Our yarns:\n\n| Yarn | Metres |\n|---|--:|\n| wo", "ol | 120 |\n| 木綿 | 8 |\n\nThat is all.",
			"Our yarns:\n\n```\nYarn  Metres\n----  ------\nwool     120\n木綿       8\n```\n\nThat is all.",
		},
		"wide": {
			"Our yarns:\n\n| Yarn | Kept | Why |\n|---|---|---|\n| wo", "ol | " + strings.Repeat("high ", 12) + "| it is warm |\n| silk | low | |\n\nThat is all.",
			"Our yarns:\n\n- **wool** – Kept: " + strings.Repeat("high ", 11) + "high; Why: it is warm\n- **silk** – Kept: low\n\nThat is all.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			gate := make(chan struct{})
			growing := openaitest.Answer(test.begins, test.goesOn)
			growing.Chunks[1].Wait = gate
			s.model.Queue(growing, openaitest.Answer("Wool."))
			r := s.start()
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("which yarns?")})
			s.begun(s.channel, question, "Our yarns:")
			close(gate)
			answer := s.answer(s.channel, question, "That is all.")
			if answer.Content != test.shown {
				t.Errorf("people read\n%s\nwant\n%s", answer.Content, test.shown)
			}
			r.settled(s, question)
			s.neverWritten("|", "wo ")
			next := s.post(s.bob, discordtest.Draft{Content: s.mention("the warmest?"), ReplyTo: answer.ID})
			s.answer(s.channel, next, "Wool.")
			if asked := strings.Join(s.asked(2), "\n"); !strings.Contains(asked, test.begins+test.goesOn) {
				t.Errorf("the model is not shown what it wrote, but\n%s\nwant %q in it", asked, test.begins+test.goesOn)
			}
			r.settled(s, next)
			r.end()
			kept, err := s.stored().Responses.ByReplies(s.ctx, s.scope(), []graph.MessageID{answer.ID})
			if err != nil || kept[answer.ID].Text != test.begins+test.goesOn {
				t.Errorf("the answer is kept as %q, %v, want %q and no error", kept[answer.ID].Text, err, test.begins+test.goesOn)
			}
		})
	}
}

// neverWritten fails the test if heddle wrote a message that held one of the texts.
func (s *screen) neverWritten(texts ...string) {
	s.t.Helper()
	for _, r := range s.discord.Record.Requests(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage)) {
		var written struct {
			Content string `json:"content"`
		}
		if err := r.Decode(&written); err != nil {
			s.t.Fatal(err)
		}
		for _, text := range texts {
			if strings.Contains(written.Content, text) {
				s.t.Errorf("people read %q, want no %q in it", written.Content, text)
			}
		}
	}
}
