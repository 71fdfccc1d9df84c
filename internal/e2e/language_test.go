package e2e_test

import (
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatHeddleAddsIsInTheLanguageOfTheGuild has a Japanese person ask in a German guild:
// what everybody reads is German, what she alone reads is Japanese.
func TestWhatHeddleAddsIsInTheLanguageOfTheGuild(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.discord.World.SetGuildLocale(s.guild, "de")
	s.discord.People.SetLocale(s.ann, "ja")
	s.start()

	s.model.Queue(openaitest.Reply{Status: 401})
	s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention("hört mich jemand?")}),
		"Mein Sprachmodell weist mich ab. Wer mich betreibt, sollte Name, Adresse und Schlüssel des Modells prüfen.")

	cut := openaitest.Answer("So weit")
	cut.FinishReason = "length"
	s.model.Queue(cut, openaitest.Answer("Ganz anders."))
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("ein Witz?")})
	s.wholeAnswer(question, "So weit\n-# Die Antwort hat ihre Höchstlänge erreicht.")
	first := s.answersOf(s.channel)[question][0]
	again := s.post(s.ann, discordtest.Draft{Content: "Nochmal!", ReplyTo: first.ID})
	second := s.standsIn(s.answer(s.channel, again, "Ganz anders."), "Ganz anders.", "Warum? ↻ ⋯ ◀ (2/2) (▶)")

	forged := s.forge(second.Reference.Message, "heddle:on:00000000000000000000000000000000")
	s.ephemeral(s.press(s.ann, forged, "x"), "これらの回答はもう残っていません。")

	s.discord.World.SetGuildLocale(s.guild, "es-ES")
	s.model.Queue(cut)
	s.wholeAnswer(s.post(s.ann, discordtest.Draft{Content: s.mention("¿otra broma?")}), "So weit\n-# La respuesta llegó a su límite de longitud.")
}
