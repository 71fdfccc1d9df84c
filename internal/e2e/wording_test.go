package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestATableIsShownAsDiscordCan streams an answer with a table, held back in the midst of the
// table until its beginning stands. People read a list, never half of a row, and the
// model is shown what it wrote.
func TestATableIsShownAsDiscordCan(t *testing.T) {
	const begins, goesOn = "Our yarns:\n\n| Yarn | Metres |\n|---|--:|\n| wo", "ol | 120 |\n| 木綿 | 8 |\n\nThat is all."
	const shown = "Our yarns:\n\n- **wool** – Metres: 120\n- **木綿** – Metres: 8\n\nThat is all."
	s := newScene(t)
	gate := s.pauses(begins, goesOn)
	s.model.Queue(openaitest.Answer("Wool."))
	r := s.start()
	question := s.ask(s.ann, "which yarns?")
	s.begun(s.channel, question, "Our yarns:")
	close(gate)
	r.wholeAnswer(s, question, shown)
	s.neverWritten("|", "wo ")
	answer := s.answersOf(s.channel)[question][0]
	s.answer(s.channel, s.askBelow(answer.ID, s.bob, "the warmest?"), "Wool.")
	s.contains(s.conversation(2), begins+goesOn)
	r.end()
	s.same("the answer that is kept", s.recorded(question).Text, begins+goesOn)
}

// neverWritten fails the test if heddle wrote a message that held one of the texts.
func (s *screen) neverWritten(texts ...string) {
	s.t.Helper()
	for _, r := range s.discord.Record.Requests(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage)) {
		var written struct {
			Content string `json:"content"`
		}
		s.ok(r.Decode(&written))
		for _, text := range texts {
			s.lacks(written.Content, text)
		}
	}
}

// TestAMaskedLinkShowsWhereItLeads has the model hide two addresses behind words, one of
// a host that the question names.
func TestAMaskedLinkShowsWhereItLeads(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("Read [this](https://go.example/doc) and [that](https://evil.example/a?b=c), not `[x](https://evil.example/x)`."))
	s.start()
	question := s.ask(s.ann, "what does go.example say?")
	s.answer(s.channel, question, "Read [this](https://go.example/doc) and that (<https://evil.example/a?b=c>), not `[x](https://evil.example/x)`.")
	s.model.Queue(openaitest.Answer("As [I](https://evil.example/a) said."))
	s.answered(s.channel, "and evil.example?", "As [I](https://evil.example/a) said.")
}

// TestWhatHeddleAddsIsInTheLanguageOfTheGuild has a Japanese person ask in a German guild:
// what everybody reads is German, what she alone reads is Japanese.
func TestWhatHeddleAddsIsInTheLanguageOfTheGuild(t *testing.T) {
	s := newScene(t)
	s.discord.World.SetGuildLocale(s.guild, "de")
	s.discord.People.SetLocale(s.ann, "ja")
	s.start()

	s.model.Queue(openaitest.Reply{Status: 401})
	s.wholeAnswer(s.ask(s.ann, "hört mich jemand?"),
		"Mein Sprachmodell weist mich ab. Wer mich betreibt, sollte Name, Adresse und Schlüssel des Modells prüfen.")

	cut := openaitest.Answer("So weit")
	cut.FinishReason = "length"
	s.model.Queue(cut, openaitest.Answer("Ganz anders."))
	question := s.ask(s.ann, "ein Witz?")
	s.wholeAnswer(question, "So weit\n-# Die Antwort hat ihre Höchstlänge erreicht. Frag nach dem Rest, wenn du ihn brauchst.")
	first := s.answersOf(s.channel)[question][0]
	again := s.post(s.ann, discordtest.Draft{Content: "Nochmal!", ReplyTo: first.ID})
	second := s.standsIn(s.answer(s.channel, again, "Ganz anders."), "Ganz anders.", "Warum? ↻ ⋯ ◀ (2/2) (▶)")

	forged := s.forge(second.Reference.Message, "heddle:show:00000000000000000000000000000000")
	s.ephemeral(s.press(s.ann, forged, "x"), "少々お待ちください。この回答はまだ保存されていません。")

	s.discord.World.SetGuildLocale(s.guild, "es-ES")
	s.model.Queue(cut)
	s.wholeAnswer(s.ask(s.ann, "¿otra broma?"), "So weit\n-# La respuesta llegó a su límite de longitud. Pide el resto si lo necesitas.")
}

// pingsNobody reports a message by which somebody is notified.
func (s *screen) pingsNobody(m discordtest.Message) {
	s.t.Helper()
	if len(m.Mentions) > 0 || len(m.MentionRoles) > 0 || m.MentionEveryone {
		s.t.Errorf("%q mentions people %v, roles %v, everyone %v, want nobody", m.Content, m.Mentions, m.MentionRoles, m.MentionEveryone)
	}
}

// TestLastingTroubleNamesWhomToAsk proves that people learn whom to ask where they cannot
// put something right themselves, and that a mention in CONTACT pings nobody.
func TestLastingTroubleNamesWhomToAsk(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"en-US": " If this goes on, ask %.", "de": " Wenn das so bleibt, wende dich an %.",
		"es-ES": " Si esto continúa, pregunta a %.", "ja": "この状態が続く場合は、% に問い合わせてください。",
	} {
		t.Run(locale, func(t *testing.T) {
			s := newScene(t)
			s.discord.World.SetGuildLocale(s.guild, locale)
			s.discord.People.SetLocale(s.bob, locale)
			contact := "<@" + s.bob.String() + "> or @everyone"
			want := strings.ReplaceAll(want, "%", contact)
			half := openaitest.Answer("The first half of ")
			half.FinishReason, half.End = "", openaitest.EndAbort
			s.start("CONTACT=" + contact)
			for name, reply := range map[string]openaitest.Reply{"a wrong key": openaitest.Fail(openaitest.Failure{Status: 401}), "an account without money": openaitest.Fail(openaitest.Failure{Status: 429, Code: "insufficient_quota"}), "half an answer": half} {
				s.always(reply)
				told := s.answer(s.channel, s.ask(s.ann, "2 + 2? "+name), contact)
				s.contains(told.Content+"$", want+"$")
				s.pingsNobody(told)
			}
			s.always(openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}))
			s.lacks(s.answered(s.channel, "2 + 2?", "").Content, contact) // people can mend it themselves
		})
	}
}

// TestHelloIsSaidOnceInAServerThatIsJoined has heddle join a Spanish guild while it runs.
// In the guild that it was in before, and after a restart, it says nothing.
func TestHelloIsSaidOnceInAServerThatIsJoined(t *testing.T) {
	s := newScene(t)
	r := s.start()
	joined := s.discord.World.AddGuild("spinners")
	s.discord.World.SetGuildLocale(joined, "es-ES")
	s.discord.World.AddChannel(joined, discordtest.ChannelDraft{Name: "board", Private: true})
	open := s.discord.World.AddChannel(joined, discordtest.ChannelDraft{Name: "general", Overwrites: []discordtest.Overwrite{
		{Role: graph.RoleID(joined), Deny: discordtest.AttachFiles},
	}})
	s.discord.People.Join(joined, s.heddle.User)
	s.contains(s.says(open, "¡Hola!").Content, "me dé: «Adjuntar archivos».")
	r.end()
	s.start()
	s.asks("anybody?", "Yes.")
	s.same("how often it is said", len(s.discord.Chat.Messages(open)), 1)
	s.hasSaid(1) // to Ann, where heddle was before
}

// TestWhatHeddleTellsBesideIsNoConversation has heddle say in a channel that it is paused,
// that its model fails, and that somebody opted in. Neither the next question, nor what it
// is explained by, nor a catch-up or a search reads any of that, whether heddle heard it or
// reads it after a restart.
func TestWhatHeddleTellsBesideIsNoConversation(t *testing.T) {
	inScenes(t, map[string]string{"with affinity": "on", "without": "off"}, func(s *scene, affinity string) {
		s.environ = append(s.environ, "OPERATORS="+s.ann.String(), "AFFINITY="+affinity, "CONTACT=the weavers")
		r := s.start()
		asks := func(question, notice string) discordtest.Message {
			return s.answer(s.channel, s.ask(s.bob, question), notice)
		}
		asks("opt in", "From now on I read what you write")
		s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
		paused := asks("is the loom free?", "I am paused for now.")
		s.runs(s.ann, "heddle pause", map[string]any{"what": "resume"}, "I answer again")
		s.always(openaitest.Reply{Status: 401})
		asks("is the loom free now?", "My language model refuses to work with me.")
		s.always(openaitest.Answer("It is free."))
		s.readsNoNotice(r, paused)
		r.end()
		s.readsNoNotice(s.start(), paused)
	})
}

// readsNoNotice asks about the loom, with a reply to the notice below an earlier question,
// and fails the test if anything that people read of it, or the model, holds a notice.
func (s *scene) readsNoNotice(r *running, earlier discordtest.Message) {
	s.t.Helper()
	clean := func(text string) {
		s.t.Helper()
		s.lacks(text, "I am paused", "refuses to work with me", "From now on I read")
	}
	asked := len(s.model.Requests())
	question := s.askBelow(earlier.ID, s.ann, "and the loom today?")
	answer := r.answer(s, s.channel, question, "It is free.")
	read := strings.Join(textsOf(s.model.Requests()[asked]), "\n")
	clean(read)
	s.contains(read, "is the loom free?")
	clean(s.privately(s.shows(s.channel, answer.ID), "What this answer was made from").Content)
	clean(s.privately(s.shows(s.channel, question), "").Content)
	for command, options := range map[string]map[string]any{"heddle catchup": {"since": "1h"}, "heddle find": {"words": "paused model loom"}} {
		id, m := s.catchesUp(s.bob, command, options)
		clean(m.Content)
		if len(m.Buttons()) > 0 {
			s.press(s.bob, m, "1")
			clean(s.opens(id).Content)
		}
	}
	for _, request := range s.model.Requests()[asked:] {
		clean(strings.Join(textsOf(request), "\n"))
	}
}
