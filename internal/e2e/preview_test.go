package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestALatePreviewChangesNothingThatWasAnswered lets Discord resolve the previews of
// two links after the answer: the follow-up's path begins with the answer's, to the
// byte. An edit is shown.
func TestALatePreviewChangesNothingThatWasAnswered(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("A manual."), openaitest.Answer("By nobody."), openaitest.Answer("Another one."))
	r := s.start()
	link := s.post(s.bob, discordtest.Draft{Content: "see https://example.org/loom"})
	first := s.post(s.ann, discordtest.Draft{Content: s.mention("what is https://example.org/loom?")})
	s.answer(s.channel, first, "A manual.")
	r.settled(s, first)
	preview := json.RawMessage(`[{"type":"link","title":"How looms work","description":"All about them"}]`)
	for _, message := range []graph.MessageID{link, first} {
		if err := s.discord.Chat.SetEmbeds(s.channel, message, preview); err != nil {
			t.Fatal(err)
		}
	}
	before := s.asked(1)
	second := s.post(s.ann, discordtest.Draft{Content: s.mention("and who wrote it?")})
	s.answer(s.channel, second, "By nobody.")
	r.settled(s, second)
	if got := s.asked(2); len(got) < len(before) || !slices.Equal(got[:len(before)], before) {
		t.Errorf("the follow-up is asked\n%q\nwant at its beginning\n%q", got, before)
	}
	if err := s.discord.Chat.Edit(s.channel, link, "see https://example.org/shuttle"); err != nil {
		t.Fatal(err)
	}
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and that?")}), "Another one.")
	if got := s.asked(3); !strings.HasPrefix(got[0], "user: [speaker: bob]\nsee https://example.org/shuttle") {
		t.Errorf("the edit is not in %q, want %q at its start first", got, "user: [speaker: bob]\nsee https://example.org/shuttle")
	}
}

// TestAMaskedLinkShowsWhereItLeads has the model hide two addresses behind words, one of
// a host that the question names.
func TestAMaskedLinkShowsWhereItLeads(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Read [this](https://go.example/doc) and [that](https://evil.example/a?b=c), not `[x](https://evil.example/x)`."))
	s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what does go.example say?")})
	s.answer(s.channel, question, "Read [this](https://go.example/doc) and that (<https://evil.example/a?b=c>), not `[x](https://evil.example/x)`.")
	again := openaitest.Answer("As [I](https://evil.example/a) said.")
	s.model.Queue(again)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and evil.example?")}), "As [I](https://evil.example/a) said.")
}
