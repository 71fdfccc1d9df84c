package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// unstored fails the test unless exports and the tree of what is stored contain the text
// kept, and not the text gone.
func (s *scene) unstored(environ []string, gone, kept string) {
	s.t.Helper()
	exported, _ := s.must(append(consent(s.ann, s.bob), environ...), "export", "-format", "raw", "-scope", string(s.scope()))
	tree, _ := s.must(environ, "tree")
	for name, text := range map[string]string{"export": exported, "tree": tree} {
		if strings.Contains(text, gone) || !strings.Contains(text, kept) {
			s.t.Errorf("%q was deleted, want it gone and %q kept; %s reads %s", gone, kept, name, text)
		}
	}
	if verified, _ := s.must(environ, "verify"); !strings.Contains(verified, ", 0 faults") {
		s.t.Errorf("verify says %s, want %q in it", verified, ", 0 faults")
	}
}

// TestADeletedAnswerIsNotShownAgain has the second of two answers to a question deleted in
// every way, and looks for it below the first and in the store.
func TestADeletedAnswerIsNotShownAgain(t *testing.T) {
	t.Parallel()
	deletions := map[string]func(s *scene, r *running, second discordtest.Message, environ []string) *running{
		"on Discord": func(s *scene, r *running, second discordtest.Message, _ []string) *running {
			s.discord.Chat.Delete(s.channel, second.ID)
			return r
		},
		"with others": func(s *scene, r *running, second discordtest.Message, _ []string) *running {
			s.discord.Chat.Delete(s.channel, second.Reference.Message, second.ID)
			return r
		},
		"by the menu": func(s *scene, r *running, second discordtest.Message, _ []string) *running {
			s.chosen(s.menu(s.ann, second, "Move to a thread As a file Delete"), "Delete", "The answer is deleted.")
			return r
		},
		"while heddle is away": func(s *scene, r *running, second discordtest.Message, environ []string) *running {
			r.end()
			s.discord.Chat.Delete(s.channel, second.ID)
			return s.start(environ...)
		},
	}
	stores := map[string]func(s *scene) []string{
		"embedded": func(*scene) []string { return nil },
		"in Redis": func(s *scene) []string { return []string{"REDIS_URL=" + s.redis().URL()} },
	}
	for how, remove := range deletions {
		for where, keep := range stores {
			t.Run(how+", "+where, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, discordtest.Options{})
				environ := keep(s)
				r := s.start(environ...)
				question, second := s.joked()
				r.settled(s, second.Reference.Message)
				first := s.answersOf(s.channel)[question][0]
				r = remove(s, r, second, environ)
				s.standsIn(first, "A joke about warps.", row)
				r.end()
				s.unstored(environ, "wefts", "warps")
			})
		}
	}
}

// TestTheAnswerThatStandsStaysWhenTheOtherIsDeleted deletes the first of two answers, and
// the message that shows the same answer as another one.
func TestTheAnswerThatStandsStaysWhenTheOtherIsDeleted(t *testing.T) {
	t.Parallel()
	t.Run("the first answer is deleted", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, discordtest.Options{})
		r := s.start()
		question, second := s.joked()
		s.discord.Chat.Delete(s.channel, s.answersOf(s.channel)[question][0].ID)
		second = s.standsIn(second, "A joke about wefts.", row)
		s.model.Queue(openaitest.Answer("A joke about looms."))
		s.press(s.bob, second, "↻")
		s.standsIn(second, "A joke about looms.", row+" ◀ (2/2) (▶)")
		r.end()
		s.unstored(nil, "warps", "wefts")
	})
	t.Run("both messages show the same", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, discordtest.Options{})
		r := s.start()
		question, second := s.joked()
		first := s.answersOf(s.channel)[question][0]
		s.press(s.ann, second, "◀")
		s.standsIn(second, "A joke about warps.", row+" (◀) (1/2) ▶")
		s.discord.Chat.Delete(s.channel, second.ID)
		first = s.standsIn(first, "A joke about warps.", row)
		s.model.Queue(openaitest.Answer("Warps are long."))
		s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("explain"), ReplyTo: first.ID}), "Warps are long.")
		r.end()
		s.unstored(nil, "wefts", "warps")
	})
}

// TestACopyOfADeletedAnswerStandsAlone deletes an answer that was given again in another
// thread, and then the answer itself.
func TestACopyOfADeletedAnswerStandsAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	ask := func(want string) discordtest.Message {
		in := s.thread("sums")
		question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
		answer := s.answer(in, question, want)
		r.settled(s, question)
		return answer
	}
	original, again := ask("Four."), ask("Four.\n-# Answered before")
	s.chosen(s.menu(s.ann, again, "As a file Delete"), "Delete", "The answer is deleted.")

	s.model.Queue(openaitest.Answer("It is four."), openaitest.Answer("By counting."), openaitest.Answer("As ever."), openaitest.Answer("Here."))
	if fresh := ask("It is four."); fresh.Content != "It is four." {
		t.Errorf("what was deleted is given again: %q, want %q", fresh.Content, "It is four.")
	}
	s.answer(original.Channel, s.postIn(original.Channel, s.ann, discordtest.Draft{Content: s.mention("how?"), ReplyTo: original.ID}), "By counting.")
	if got := strings.Join(s.asked(3), "\n"); !strings.Contains(got, "assistant: Four.") {
		t.Errorf("the answer that stands is not continued: %s, want %q in it", got, "assistant: Four.")
	}
	s.press(s.bob, original, "↻")
	s.standsIn(original, "As ever.", row+" ◀ (2/2) (▶)")
	s.discord.Chat.Delete(original.Channel, original.ID)
	s.heard(original.Channel, "Here.")
	r.end()
	s.unstored(nil, "Four.", "It is four.")
}

// TestWhatIsMadeShorterIsNotDeleted replaces a long answer, from which a thread was
// started, by a short one. heddle then deletes messages of its own. Their deletion erases
// nothing from the store, also after a restart.
func TestWhatIsMadeShorterIsNotDeleted(t *testing.T) {
	t.Parallel()
	for name, edited := range map[string]bool{"by another answer": false, "by an edit of the question": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.takeTime()
			text := long("warp", 3)
			s.model.Queue(openaitest.Answer(text), openaitest.Answer("The long ones."), openaitest.Answer("Wefts."), openaitest.Answer("Here."))
			r := s.start()
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what are they?")})
			head := s.answer(s.channel, question, "warp").ID
			last := s.standsAs(head, text, row)
			r.settled(s, question)
			s.chosen(s.menu(s.ann, last, "Move to a thread As a file Delete"), "Move to a thread", "The conversation goes on in")
			next := s.postIn(graph.ChannelID(head), s.bob, discordtest.Draft{Content: s.mention("which ones?")})
			s.answer(graph.ChannelID(head), next, "The long ones.")
			r.settled(s, next)

			below := row
			if edited {
				s.edit(question, s.mention("what are they, in short?"))
			} else {
				below += " ◀ (2/2) (▶)"
				s.press(s.ann, last, "↻")
			}
			last = s.standsAs(head, "Wefts.", below)
			if !edited {
				s.press(s.bob, last, "◀")
				last = s.standsAs(head, text, row+" (◀) (1/2) ▶")
				s.press(s.bob, last, "▶")
				last = s.standsAs(head, "Wefts.", below)
			}
			s.heard(graph.ChannelID(head), "Here.") // and with it of all deletions before
			r.end()
			s.discord.Record.Forget()
			r = s.start()
			r.checked(s)
			if !edited {
				s.press(s.bob, last, "◀")
				s.standsAs(head, text, row+" (◀) (1/2) ▶")
			}
			r.end()
			stored := s.stored()
			for trigger, want := range map[graph.MessageID]int{question: 2, next: 1} {
				if kept, err := stored.Responses.ByTrigger(s.ctx, s.scope(), trigger); err != nil || len(kept) != want {
					t.Errorf("%d answers to %s are kept, want %d: %v", len(kept), trigger, want, err)
				}
			}
		})
	}
}

// TestAPartOfAnAnswerIsDeletedForTheWhole deletes one message of an answer of three. The
// rest stays on Discord, without buttons, and nothing of it is stored.
func TestAPartOfAnAnswerIsDeletedForTheWhole(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]int{"the first": 0, "one between": 1, "the last": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("Here."), openaitest.Answer(long("warp", 3)), openaitest.Answer("Yes."))
			r := s.start()
			s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("are you there?")}), "Here.")
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("what are they?")})
			head := s.answer(s.channel, question, "warp").ID
			s.standsAs(head, long("warp", 3), row)
			r.settled(s, question)
			parts := s.partsFrom(head)
			s.discord.Chat.Delete(s.channel, parts[part].ID)
			left := slices.Delete(parts, part, part+1)
			s.standsIn(left[1], left[1].Content, "")
			s.heard(s.channel, "Yes.") // and with it of the deletion: what is left may have had no buttons before
			r.end()
			s.unstored(nil, "warp", "Here.")
		})
	}
}

// partsFrom returns heddle's messages in the scene's channel, beginning with one.
func (s *screen) partsFrom(head graph.MessageID) []discordtest.Message {
	return slices.DeleteFunc(s.discord.Chat.Messages(s.channel), func(m discordtest.Message) bool {
		return m.Author != s.heddle.User || m.ID < head
	})
}

// TestAnAnswerThatIsDeletedAsItEndsIsNotStored deletes an answer before heddle
// knows that Discord has accepted it.
func TestAnAnswerThatIsDeletedAsItEndsIsNotStored(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("It is Swordfish."), openaitest.Answer("Here."))
	gate := make(chan struct{})
	s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?")})
	answer := s.answer(s.channel, question, "It is Swordfish.")
	s.discord.Chat.Delete(s.channel, answer.ID)
	s.heard(s.thread("meanwhile"), "Here.") // the deletion was heard of before
	close(gate)
	r.settled(s, question)
	r.end()
	s.unstored(nil, "Swordfish", "Here.")
}
