package alternatives

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

// showing returns which responses messages are about to show.
func showing(recent *answer.Recent) (all []store.ResponseID) {
	for _, n := range recent.Take() {
		all = append(all, n.Response)
	}
	return all
}

// standsOn returns an answer of heddle's in an environment, with two alternatives of which the
// message shows the second.
func standsOn(t *testing.T) (h *roomtest.Env, a *Alternatives, d *display, seen *answer.Recent) {
	t.Helper()
	h, seen = roomtest.New(t), answer.NewRecent()
	a = New(Deps{Store: h.Store, Replies: h.Replies, Leases: h.Leases, Guilds: h.Guilds, Recent: seen, Log: h.Log}, Settings{})
	question := h.Post(h.Ann, discordtest.Draft{Content: h.Mention("a joke?")})
	said := h.Post(h.Self, discordtest.Draft{Content: "A joke about wefts.", ReplyTo: question})
	for i, text := range []string{"A joke about warps.", "A joke about wefts."} {
		err := h.Store.Responses.SaveShown(h.Context(), store.Response{
			ID: store.ResponseID{byte(i + 1)},
			Standing: store.Standing{
				Scope: h.Place().Scope, Channel: h.Channel, Trigger: question, Replies: []store.Reply{{ID: said, Text: text}},
				Created: time.Now().Add(time.Duration(i) * time.Second),
			},
			Input: store.Input{
				PathHash: path.Path{}.Hash(), Sources: []store.SourceRef{{Message: question, Channel: h.Channel, Author: h.Ann, Position: 1}},
			},
			Output: store.Output{Text: text},
		})
		errtest.None(t, err)
	}
	d = errtest.Must(a.read(h.Context(), h.Place().Scope, h.Channel, said))(t)
	return h, a, d, seen
}

func TestWhatWasErasedInTheMeantimeIsNotShown(t *testing.T) {
	h, a, d, seen := standsOn(t)
	errtest.Must(h.Store.Deletions.Forget(h.Context(), d.scope, h.Channel, []graph.MessageID{d.all[0].Trigger}))(t)
	if err := a.show(h.Context(), h.Log, d, 0, reply.Interaction(1)); !errors.Is(err, reply.ErrAnswersGone) {
		t.Errorf("showing what was erased fails with %v, want %v", err, reply.ErrAnswersGone)
	}
	showed := showing(seen)
	if said := h.Said(); said[0].Content != "A joke about wefts." || len(showed) != 0 {
		t.Errorf("heddle says %+v, and showed %v, want Content %q of the first and none", said, showed, "A joke about wefts.")
	}
}

// TestWhatDiscordRefusesToShowIsNotShown asks what pages learn, and the store.
func TestWhatDiscordRefusesToShowIsNotShown(t *testing.T) {
	h, a, d, seen := standsOn(t)
	h.Discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteEditMessage), 403, 50013, ""))
	if err := a.show(h.Context(), h.Log, d, 0, reply.Interaction(1)); err == nil {
		t.Error("a refusal counts as shown, want an error")
	}
	if want, showed := []store.ResponseID{d.all[0].ID, d.all[1].ID}, showing(seen); !slices.Equal(showed, want) {
		t.Errorf("pages learn of %v, want %v", showed, want)
	}
	if d, err := a.read(h.Context(), d.scope, d.channel, d.parts[0]); err != nil || d.shown != 1 {
		t.Errorf("the message shows %+v, %v, want the second alternative", d, err)
	}
}

// TestTheAnswerThatStoodIsShownAgain restores what a replacement has begun to replace.
// afresh returns the job of answering a question once more in place of what a display shows.
func afresh(a *Alternatives, d *display) answer.Job {
	q := answer.Job{Question: conversation.Question{ID: d.all[0].Trigger, Channel: d.channel}}
	q.Place.Scope = d.scope
	return a.aim(q, d.to(newAlternative, reply.Cause{}), nil)
}

func TestTheAnswerThatStoodIsShownAgain(t *testing.T) {
	h, a, d, _ := standsOn(t)
	job := afresh(a, d)
	h.Edit(d.parts[0], "-# Working …")
	errtest.None(t, job.Target.Restore(h.Context(), h.Log))
	if said := h.Said(); said[0].Content != "A joke about wefts." || len(said[0].Buttons()) != 6 {
		t.Errorf("heddle says %+v, want Content %q of the first and 6 in Buttons() of the first", said, "A joke about wefts.")
	}
}

func TestFilesOfOtherAlternativesAreNamed(t *testing.T) {
	const first, second, earlier = "-# Files of answer 1: warp.txt.", "-# Files of answer 2: weft.txt.", "-# Files of an earlier answer: old.txt, older.txt."
	var d display
	for _, f := range []struct {
		name string
		of   int
	}{{"warp.txt", 0}, {"weft.txt", 1}, {"old.txt", -1}, {"older.txt", -1}} {
		d.files = append(d.files, file{store.Artifact{Artifact: path.Artifact{Name: f.name}}, f.of})
	}
	for shown, want := range map[int][]string{0: {earlier, second}, 1: {earlier, first}, newAlternative: {earlier, first, second}} {
		if got := d.filesOfOthers(shown); got != strings.Join(want, "\n") {
			t.Errorf("if %d is shown the notice is %q, want %q", shown, got, want)
		}
	}
}

func TestAFileThatStaysIsNamedBelowTheNextAnswer(t *testing.T) {
	h, a, d, _ := standsOn(t)
	d.files = []file{{store.Artifact{Artifact: path.Artifact{Message: d.parts[0], Attachment: 20, Name: "weft.txt"}}, 1}}
	job := afresh(a, d)
	made := d.all[1]
	made.ID, made.Text, made.Created = store.ResponseID{3}, "A joke about looms.", time.Now().Add(time.Hour)
	if below := job.Target.Buttons(h.Context(), h.Log, &made); len(below) != 2 || below[1][1].Label != "3/3" {
		t.Errorf("the buttons below the answer are %+v, want 2 rows and %q in the second", below, "3/3")
	}
	if to := job.Where; !slices.Equal(to.Held[d.parts[0]], []graph.AttachmentID{20}) || to.HeldText != "-# Files of answer 2: weft.txt." {
		t.Errorf("the files %v stay, want those of the display", to.Held)
	}
}

// TestWhatAnotherProcessWroteIsPutRight has another process write over an answer and below it.
func TestWhatAnotherProcessWroteIsPutRight(t *testing.T) {
	h, a, d, _ := standsOn(t)
	q := answer.Job{Question: conversation.Question{ID: d.all[0].Trigger, Channel: d.channel, Place: h.Place()}}
	as := func(m discordtest.Message) discord.Message { return discord.Message{ID: m.ID, Content: m.Content} }
	said := []discord.Message{as(h.Said()[0])}
	if mended, err := a.Mend(h.Context(), h.Log, q.Question, said); mended || err != nil {
		t.Errorf("an answer that stands as it should is mended: %t, %v; want false and no error", mended, err)
	}
	h.Edit(said[0].ID, "Another joke.")
	stray := h.Post(h.Self, discordtest.Draft{Content: "Its end.", ReplyTo: said[0].ID})
	said = []discord.Message{{ID: said[0].ID, Content: "Another joke."}, {ID: stray, Content: "Its end."}}
	if mended, err := a.Mend(h.Context(), h.Log, q.Question, said); !mended || err != nil {
		t.Errorf("an answer that another process wrote over is mended: %t, %v; want true and no error", mended, err)
	}
	if now := h.Said(); len(now) != 1 || now[0].Content != "A joke about wefts." || len(now[0].Buttons()) != 6 {
		t.Errorf("heddle says %+v, want %q alone, with 6 buttons", now, "A joke about wefts.")
	}
	unknown := []discord.Message{{ID: stray, Content: "Its end."}}
	if mended, err := a.Mend(h.Context(), h.Log, q.Question, unknown); mended || !errors.Is(err, ErrUnrecorded) {
		t.Errorf("if nothing is recorded, mending ends with %t, %v; want false and %v", mended, err, ErrUnrecorded)
	}
}

const (
	ttl  = 3 * time.Second
	head = graph.MessageID(7)
)

// locksOf returns what locks answers in one process that shares a store.
func locksOf(shared *store.Store) *Displays {
	return &Displays{deps: Deps{Store: shared, Leases: answer.NewLeases(shared.Claims, ttl, false)}}
}

// TestALockIsWaitedForButNotForEver has another process hold a lock for a time.
func TestALockIsWaitedForButNotForEver(t *testing.T) {
	for held, want := range map[time.Duration]error{ttl / 2: nil, 10 * ttl: store.ErrHeld} {
		synctest.Test(t, func(t *testing.T) {
			shared, log := roomtest.OpenStore(t), slog.New(slog.DiscardHandler)
			release := errtest.Must(locksOf(shared).lock(t.Context(), log, head))(t)
			go func() {
				_ = wait.For(t.Context(), held)
				release()
			}()
			began := time.Now()
			releaseMine, err := locksOf(shared).lock(t.Context(), log, head)
			if took := time.Since(began); !errors.Is(err, want) || took < min(held, ttl)-lockPause || took > min(held, ttl)+lockPause {
				t.Errorf("a lock that is held for %s ends with %v after %s, want %v after at most %s", held, err, took, want, ttl)
			}
			if err == nil {
				releaseMine()
			}
			_ = wait.For(t.Context(), held)
		})
	}
}

func TestTheLockOfAProcessThatDiedIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		errtest.Must(shared.Claims.Claim(t.Context(), store.DisplayClaim(head), ttl/2))(t)
		release, err := locksOf(shared).lock(t.Context(), slog.New(slog.DiscardHandler), head)
		if err != nil {
			t.Fatalf("the lock is not taken over: %v", err)
		}
		release()
	})
}
