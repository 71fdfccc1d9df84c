package alternatives

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// shown records which responses messages are about to show.
type shown struct {
	answer.Unobserved

	mu  sync.Mutex
	all []store.ResponseID
}

func (s *shown) Shows(_ []graph.MessageID, response store.ResponseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, response)
}

// standsOn returns an answer of heddle's in an environment, with two alternatives of which the
// message shows the second.
func standsOn(t *testing.T) (h *roomtest.Env, ds *displays, d *display, seen *shown) {
	t.Helper()
	h, seen = roomtest.New(t), &shown{}
	ds = &displays{h.Store.Responses, h.Store.Displays, h.Store.Displays, h.Outbox, keyboard{}, newLocks(h.Store.Claims, h.Leases), newStops(h.Store.Claims, h.Leases), h.Guilds, seen}
	question := h.Post(h.Ann, discordtest.Draft{Content: h.Mention("a joke?")})
	said := h.Post(h.Self, discordtest.Draft{Content: "A joke about wefts.", ReplyTo: question})
	for i, text := range []string{"A joke about warps.", "A joke about wefts."} {
		err := h.Store.Responses.SaveShown(h.Context(), store.Response{
			ID: store.ResponseID{byte(i + 1)},
			Standing: store.Standing{
				Scope: h.Place().Scope, Channel: h.Channel, Trigger: question, Replies: []store.Reply{{ID: said}},
				Created: time.Now().Add(time.Duration(i) * time.Second),
			},
			Input: store.Input{
				PathHash: path.Path{}.Hash(), Sources: []store.SourceRef{{Message: question, Channel: h.Channel, Author: h.Ann}},
			},
			Output: store.Output{Text: text},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return h, ds, readFrom(t, h, ds, said), seen
}

// readFrom reads the answer that a message shows.
func readFrom(t *testing.T, h *roomtest.Env, ds *displays, message graph.MessageID) *display {
	t.Helper()
	d, err := ds.read(h.Context(), h.Place().Scope, h.Channel, message)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestADisplayIsReadFromTheStore(t *testing.T) {
	t.Parallel()
	h, ds, d, _ := standsOn(t)
	if d.current().Text != "A joke about wefts." || len(d.all) != 2 || d.shown != 1 || len(d.parts) != 1 || d.offers || d.reply != 0 || len(d.files) != 0 {
		t.Errorf("the display is %+v, want current().Text %q, 2 in all, shown 1, one in parts, offers false, reply 0 and none in files", d, "A joke about wefts.")
	}
	for name, read := range map[string]func() (*display, error){
		"in another channel": func() (*display, error) { return ds.read(h.Context(), d.scope, h.Channel+1, d.last()) },
		"in another scope":   func() (*display, error) { return ds.read(h.Context(), store.GuildScope(1), h.Channel, d.last()) },
		"for another message": func() (*display, error) {
			return ds.read(h.Context(), d.scope, h.Channel, d.all[0].Trigger)
		},
	} {
		if d, err := read(); !errors.Is(err, ErrAnswersGone) {
			t.Errorf("%s the display is %+v, %v, want %v", name, d, err, ErrAnswersGone)
		}
	}
}

// TestOnlyTheNewestAnswerOffersAnother stores offers beside two versions' answers.
func TestOnlyTheNewestAnswerOffersAnother(t *testing.T) {
	t.Parallel()
	h, ds, d, _ := standsOn(t)
	newer := *d.current()
	newer.ID, newer.Generation, newer.Replies = store.ResponseID{3}, 1, []store.Reply{{ID: d.last() + 1}}
	offers := func(generation int) bool {
		t.Helper()
		offer := store.Offer{Answer: d.last(), Generation: generation}
		if err := h.Store.Displays.Offer(h.Context(), d.scope, newer.Trigger, offer); err != nil {
			t.Fatal(err)
		}
		return readFrom(t, h, ds, d.last()).offers
	}
	if !offers(0) {
		t.Error("the offer is not read")
	}
	if offers(1) {
		t.Error("an offer of another generation is read, want none")
	}
	if err := h.Store.Responses.Save(h.Context(), newer); err != nil {
		t.Fatal(err)
	}
	for generation := range 2 {
		if offers(generation) {
			t.Errorf("with generation %d an answer to an older version offers another, want no offer", generation)
		}
	}
}

func TestWhatWasErasedInTheMeantimeIsNotShown(t *testing.T) {
	t.Parallel()
	h, ds, d, seen := standsOn(t)
	if _, err := h.Store.Deletions.Forget(h.Context(), d.scope, h.Channel, []graph.MessageID{d.all[0].Trigger}); err != nil {
		t.Fatal(err)
	}
	if err := ds.show(h.Context(), h.Log, d, 0, outbox.Interaction(1)); !errors.Is(err, ErrAnswersGone) {
		t.Errorf("showing what was erased fails with %v, want %v", err, ErrAnswersGone)
	}
	if said := h.Said(); said[0].Content != "A joke about wefts." || len(seen.all) != 0 {
		t.Errorf("heddle says %+v, and showed %v, want Content %q of the first and none", said, seen.all, "A joke about wefts.")
	}
}

func TestALockedAnswerIsReadOnceMore(t *testing.T) {
	t.Parallel()
	h, ds, stale, _ := standsOn(t)
	if err := ds.show(h.Context(), h.Log, stale, 0, outbox.Interaction(1)); err != nil {
		t.Fatal(err)
	}
	locked, release, err := ds.lock(h.Context(), h.Log, stale, stale.last())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if stale.shown != 1 || locked.shown != 0 {
		t.Errorf("what was read before the lock shows %d, and the locked answer %d, want 1 and 0", stale.shown, locked.shown)
	}
}

func TestTheObserverLearnsWhatIsShownEvenIfDiscordRefuses(t *testing.T) {
	t.Parallel()
	h, ds, d, seen := standsOn(t)
	if err := ds.show(h.Context(), h.Log, d, 0, outbox.Interaction(1)); err != nil {
		t.Fatal(err)
	}
	d = readFrom(t, h, ds, d.last())
	h.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteEditMessage), 403, 50013, ""))
	if err := ds.show(h.Context(), h.Log, d, 1, outbox.Interaction(2)); err == nil {
		t.Error("a refusal counts as shown, want an error")
	}
	first, second := d.all[0].ID, d.all[1].ID
	if want := []store.ResponseID{first, second, first}; !slices.Equal(seen.all, want) {
		t.Errorf("the observer learns of %v, want %v", seen.all, want)
	}
}

// TestTheAnswerThatStoodIsShownAgain restores what a replacement has begun to replace.
func TestTheAnswerThatStoodIsShownAgain(t *testing.T) {
	t.Parallel()
	h, ds, d, _ := standsOn(t)
	var told []phrases.Phrase
	job := jobs{ds}.afresh(answer.Question{Question: conversation.Question{ID: d.all[0].Trigger}}, d, outbox.Interaction(1), func(_ context.Context, said phrases.Phrase) {
		told = append(told, said)
	})
	if to := job.Target.To(); !job.Fresh || !slices.Equal(to.Over, d.parts) || to.Trigger != d.all[0].Trigger {
		t.Errorf("the job is %+v, to %+v; want a fresh answer to %v over %v", job, to, d.all[0].Trigger, d.parts)
	}
	h.Edit(d.last(), "-# Working …")
	if err := job.Target.Restore(h.Context(), h.Log); err != nil {
		t.Fatal(err)
	}
	if said := h.Said(); said[0].Content != "A joke about wefts." || len(said[0].Buttons()) != 6 {
		t.Errorf("heddle says %+v, want Content %q of the first and 6 in Buttons() of the first", said, "A joke about wefts.")
	}
	if job.Target.Tell(h.Context(), phrases.Phrase{ID: "why"}); len(told) != 1 || told[0].ID != "why" {
		t.Errorf("the person who pressed is told %v, want one of them and ID %q of the first", told, "why")
	}
}

func TestANewReplyTellsNobodyAndReplacesNothing(t *testing.T) {
	t.Parallel()
	h, ds, d, _ := standsOn(t)
	q := answer.Question{Question: conversation.Question{ID: d.all[0].Trigger, Channel: h.Channel}}
	for name, job := range map[string]answer.Job{
		"of a question":         jobs{ds}.question(q),
		"of again":              jobs{ds}.again(q, 99, 2),
		"of an unsent answer's": jobs{ds}.edit(q, 1, nil, 0, nil),
	} {
		job.Target.Tell(h.Context(), phrases.Phrase{ID: "why"})
		if err := job.Target.Restore(h.Context(), h.Log); err != nil || len(job.Target.To().Over) != 0 {
			t.Errorf("the job %s: %v, to %+v, want no error and none in Over", name, err, job.Target.To())
		}
	}
	if said := h.Said(); len(said) != 1 || said[0].Content != "A joke about wefts." {
		t.Errorf("heddle says %+v, want one of them and Content %q of the first", said, "A joke about wefts.")
	}
}

func TestAFileThatStaysIsNamedBelowTheNextAnswer(t *testing.T) {
	t.Parallel()
	h, ds, d, _ := standsOn(t)
	d.files = []file{{store.Artifact{Message: d.last(), Attachment: 20, Name: "weft.txt"}, 1}}
	job := jobs{ds}.afresh(answer.Question{Question: conversation.Question{ID: d.all[0].Trigger}}, d, outbox.Interaction(1), nobody)
	made := d.all[1]
	made.ID, made.Text, made.Created = store.ResponseID{3}, "A joke about looms.", time.Now().Add(time.Hour)
	final := job.Target.Final(h.Context(), h.Log, &made, "-# It was cut.")
	if final.Notice != "-# It was cut.\n-# Files of answer 2: weft.txt." || len(final.Buttons) != 2 || final.Buttons[1][1].Label != "3/3" {
		t.Errorf("the end of the answer is %+v, want Notice %q, 2 in Buttons and Buttons[1][1].Label %q", final, "-# It was cut.\n-# Files of answer 2: weft.txt.", "3/3")
	}
	if to := job.Target.To(); !slices.Equal(to.Held[d.last()], []graph.AttachmentID{20}) {
		t.Errorf("the files %v stay, want %v for d.last()", to.Held, []graph.AttachmentID{20})
	}
	if err := ds.show(h.Context(), h.Log, d, 0, outbox.Interaction(2)); err != nil {
		t.Fatal(err)
	}
	if said := h.Said(); said[0].Content != "A joke about warps.\n-# Files of answer 2: weft.txt." {
		t.Errorf("heddle says %q, want %q", said[0].Content, "A joke about warps.\n-# Files of answer 2: weft.txt.")
	}
}
