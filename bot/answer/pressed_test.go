package answer_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/answer"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

// stepped returns a stage with an answer that has two alternatives, of which its message shows the
// second, and a press that leads to the first.
func stepped(t *testing.T, choices ...roomtest.Choice) (s *stage, to answer.Press) {
	t.Helper()
	s = newStage(t, choices...)
	question := s.Ask(s.Ann, "a joke?", openaitest.Answer("A joke about warps."))
	first := s.Record(question)
	s.Model.Queue(openaitest.Answer("A joke about wefts."))
	errtest.Must(s.Again(s.Last().ID))(t)
	return s, answer.Press{ID: 1, At: store.Place{Scope: s.Scope(), Channel: s.Channel, Message: s.Last().ID}, By: s.Question(0).Question, Response: first.ID}
}

func TestWhatWasErasedInTheMeantimeIsNotShown(t *testing.T) {
	s, to := stepped(t)
	all := s.Discord.Chat.Messages(s.Channel)
	s.Forget([]graph.MessageID{all[0].ID})
	if err := s.Answers.Step(s.Context(), to); !errors.Is(err, reply.ErrAnswersGone) {
		t.Errorf("showing what was erased fails with %v, want %v", err, reply.ErrAnswersGone)
	}
	s.CheckSaid("A joke about wefts.")
}

// TestWhatDiscordRefusesToShowIsNotShown asks what pages learn, and the store.
func TestWhatDiscordRefusesToShowIsNotShown(t *testing.T) {
	recent := answer.NewRecent()
	s, to := stepped(t, func(c *roomtest.Parts) { c.Recent = recent })
	recent.Take()
	s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteEditMessage), 403, 50013, ""))
	if err := s.Answers.Step(s.Context(), to); err == nil {
		t.Error("a refusal counts as shown, want an error")
	}
	if news := recent.Take(); len(news) != 2 || news[0].Response != to.Response || news[1].Response == to.Response {
		t.Errorf("pages learn %+v, want that %s is shown, and then another", news, to.Response)
	}
	if d, err := s.Answers.Display(s.Context(), to.At); err != nil || d.Shown != 1 {
		t.Errorf("the message shows %+v, %v, want the second alternative", d, err)
	}
}

// TestADeletedAnswerDoesNotComeBack ends the deletion of an answer behind its mark, as a kill would,
// and catches up (finding 4.13).
func TestADeletedAnswerDoesNotComeBack(t *testing.T) {
	s := newStage(t)
	question := s.Ask(s.Ann, "a joke?", openaitest.Answer("A joke about warps."))
	press := answer.Press{ID: 1, At: store.Place{Scope: s.Scope(), Channel: s.Channel, Message: s.Last().ID}, By: s.Question(question).Question}
	press.By.Asker = s.Ann
	s.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteDeleteMessage), 403, 50013, ""))
	if err := s.Answers.Delete(s.Context(), press); !discord.HasCode(err, 50013) {
		t.Errorf("a refused deletion fails with %v, want Discord's error", err)
	}
	s.Discord.Chat.Delete(s.Channel, s.Last().ID)
	q := s.Question(question)
	q.Cause, q.Asks = answer.Missed, true
	out, err := s.Answers.Answer(s.Context(), q)
	if err != nil || out.Ended != answer.Found || len(s.Model.Requests()) != 1 {
		t.Errorf("the question is %q, %v, and the model was asked %d times, want it found and asked once", out.Ended, err, len(s.Model.Requests()))
	}
	lease := errtest.Must(s.Store.Claims.Reclaim(s.Context(), store.TriggerClaim(question), time.Minute))(t)
	if lease.Mark.Outcome != store.Withdrawn {
		t.Errorf("the question is marked %q, want %q", lease.Mark.Outcome, store.Withdrawn)
	}
}

// TestAnAnswerIsStoppedThroughAnotherProcess presses ◼ of an answer that another process makes, and
// once more when it has ended (finding 4.2).
func TestAnAnswerIsStoppedThroughAnotherProcess(t *testing.T) {
	s := newStage(t)
	s.Leases = answer.NewLeases(s.Store.Claims, roomtest.Lease, true)
	owner, other := &stage{Stage: s.With()}, s.With()
	gate := make(chan struct{})
	defer close(gate)
	s.Model.Queue(halves(gate))
	question := s.Say(s.Ann, "and?")
	result, _ := owner.under(s.Question(question))
	owner.begun()
	if growing, err := other.Answers.Stop(s.Context(), question); !growing || err != nil {
		t.Errorf("another process takes the answer for %t, %v, want one that grows", growing, err)
	}
	if got := <-result; got.outcome != answer.Answered || got.err != nil {
		t.Errorf("the answer comes to %+v, want outcome %v and err nil", got, answer.Answered)
	}
	s.CheckSaid("The first half of an answer, which is long enough to be shown,\n-# Stopped.")
	if growing, err := other.Answers.Stop(s.Context(), question); growing || err != nil {
		t.Errorf("an answer that has ended is taken for %t, %v, want for none that grows", growing, err)
	}
}

// TestAPressWaitsForTheAnswerButNotForEver has another process hold the claim of the question for a
// time.
func TestAPressWaitsForTheAnswerButNotForEver(t *testing.T) {
	const ttl = 3 * time.Second
	for held, want := range map[time.Duration]error{ttl / 2: nil, 10 * ttl: store.ErrHeld} {
		synctest.Test(t, func(t *testing.T) {
			shared := roomtest.OpenStore(t)
			leases := answer.NewLeases(shared.Claims, ttl, false)
			lease := errtest.Must(shared.Claims.Claim(t.Context(), store.TriggerClaim(7), ttl))(t)
			_, stop := leases.Hold(t.Context(), lease)
			go func() {
				_ = wait.For(t.Context(), held)
				stop()
				_ = shared.Claims.Release(t.Context(), lease)
			}()
			began := time.Now()
			err := answer.Holds(t.Context(), answer.Deps{Store: shared, Leases: leases}, 7)
			if took := time.Since(began); !errors.Is(err, want) || took < min(held, ttl)-time.Second/10 || took > min(held, ttl)+time.Second/10 {
				t.Errorf("a claim that is held for %s ends with %v after %s, want %v after at most %s", held, err, took, want, ttl)
			}
			_ = wait.For(t.Context(), held)
		})
	}
}

// TestAnEditWaitsForTheAnswerThatItEnds edits a question while ↻ is answered in this process. The
// edit is answered, and the press is not.
func TestAnEditWaitsForTheAnswerThatItEnds(t *testing.T) {
	s := newStage(t, func(c *roomtest.Parts) { c.Answer.Edits = time.Hour })
	question := s.Ask(s.Ann, "a joke?", openaitest.Answer("A joke about warps."))
	s.Model.Queue(halves(make(chan struct{})), openaitest.Answer("A riddle."))
	pressed := make(chan error, 1)
	go func() {
		_, err := s.Again(s.Last().ID)
		pressed <- err
	}()
	s.begun()
	s.Edit(question, "a riddle?")
	q := s.Question(question)
	q.Cause, q.Version = answer.Changed, s.Message(question).Edited
	s.Answers.Changed(question)
	if out, err := s.Answers.Answer(s.Context(), q); out.Ended != answer.Answered || err != nil {
		t.Errorf("the edit comes to %+v, %v, want %q", out, err, answer.Answered)
	}
	if err := <-pressed; err != nil {
		t.Errorf("the press ends with %v, want no error", err)
	}
	s.CheckSaid("A riddle.")
	if all := s.Recorded(question); !slices.ContainsFunc(all, func(r store.Response) bool { return r.Text == "A riddle." && r.Generation == 1 }) {
		t.Errorf("recorded is %+v, want the answer to the edit", all)
	}
}
