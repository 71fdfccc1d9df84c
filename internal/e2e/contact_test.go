package e2e_test

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// wrongKey returns how a model refuses a key.
func wrongKey() openaitest.Reply {
	return openaitest.Fail(openaitest.Failure{Status: 401, Message: "bad key"})
}

// noMoney returns how a model refuses an account without money.
func noMoney() openaitest.Reply {
	return openaitest.Fail(openaitest.Failure{Status: 429, Code: "insufficient_quota", Type: "insufficient_quota"})
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
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.discord.World.SetGuildLocale(s.guild, locale)
			s.discord.People.SetLocale(s.bob, locale)
			contact := "<@" + s.bob.String() + "> or @everyone"
			want := strings.ReplaceAll(want, "%", contact)
			half := openaitest.Answer("The first half of ")
			half.FinishReason, half.End = "", openaitest.EndAbort
			s.start("CONTACT=" + contact)
			for name, reply := range map[string]openaitest.Reply{"a wrong key": wrongKey(), "an account without money": noMoney(), "half an answer": half} {
				s.always(reply)
				told := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2? " + name)}), contact)
				if !strings.HasSuffix(told.Content, want) {
					t.Errorf("%s: people read %q, want %q at its end", name, told.Content, want)
				}
				s.pingsNobody(told)
			}
			s.always(openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}))
			asked := s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
			if told := s.answer(s.channel, asked, ""); strings.Contains(told.Content, contact) {
				t.Errorf("of what people can mend themselves they read %q, want no %q in it", told.Content, contact)
			}
		})
	}
}

func TestNobodyIsNamedWithoutAContact(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(wrongKey())
	s.start()
	told := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "key")
	if !strings.HasSuffix(told.Content, "key.") {
		t.Errorf("people read %q, want %q at its end", told.Content, "key.")
	}
}
