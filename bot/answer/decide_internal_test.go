package answer

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// The versions of the question in these tests.
var (
	first  time.Time                                       //nolint:gochecknoglobals // never changed
	edited = time.Date(2026, 11, 28, 0, 1, 0, 0, time.UTC) //nolint:gochecknoglobals // never changed
)

// answerTo returns a stored answer to a version of question 7.
func answerTo(version time.Time, replies ...graph.MessageID) *store.Response {
	r := &store.Response{}
	r.Trigger, r.Text, r.Sources = 7, "an answer", []store.SourceRef{{Message: 7, Edited: version}}
	for _, id := range replies {
		r.Replies = append(r.Replies, store.Reply{ID: id, Text: "an answer"})
	}
	return r
}

// standsAs returns an answer of some messages that stands on Discord.
func standsAs(state State, ids ...graph.MessageID) Standing {
	s := Standing{State: state, Parts: ids}
	for _, id := range ids {
		s.Said = append(s.Said, discord.Message{ID: id})
	}
	return s
}

// TestDecide has a case for each row of decide, named by the fault that the row is for.
func TestDecide(t *testing.T) {
	asked := Question{Asks: true, Cause: Missed}
	with := func(change func(*Question)) Question {
		q := asked
		change(&q)
		return q
	}
	sentBefore := with(func(q *Question) { q.Before.Sent = []reply.Sent{{ID: 8}} })
	shown := seen{keeps: keepsShown, kept: answerTo(first, 8), parts: []graph.MessageID{8}}
	for _, c := range []struct {
		fault string
		q     Question
		s     seen
		want  next
	}{
		{"↻ below an answer that is not known", Question{Cause: Pressed}, seen{}, next{action: actLeave, err: reply.ErrAnswersGone}},
		{"two people press at once", Question{Cause: Pressed}, seen{display: &reply.Display{}}, next{action: actLeave, ended: Dropped, tell: "answer_changed"}},
		{"↻", Question{Cause: Pressed}, seen{display: &reply.Display{All: []store.Response{*answerTo(first, 8)}, Parts: []graph.MessageID{8}}, pressedShown: true}, next{action: actGiveMore, over: []graph.MessageID{8}}},
		{"the channel is gone", asked, seen{noChannel: true}, next{action: actLeave, ended: Dropped}},
		{"deleted while heddle was away", asked, seen{gone: true, stands: standsAs(Whole, 8), parts: []graph.MessageID{9}}, next{action: actTakeBack, begun: []graph.MessageID{8, 9}}},
		{"a locked thread", with(func(q *Question) { q.Before.Err = reply.ErrUnfinished }), seen{unreadable: errors.New("no")}, next{action: actWait}},
		{"the store was away", sentBefore, seen{own: true, unkept: answerTo(first), stands: standsAs(Whole, 8)}, next{action: actComplete, begun: []graph.MessageID{8}, doubt: true}},
		{"the store forgot", sentBefore, seen{own: true, stands: standsAs(Whole, 8)}, next{action: actLeave, ended: Found, doubt: true}},
		{"an edit that only the store can date", asked, seen{matters: true, version: edited, keeps: keepsUnknown, away: store.ErrUnavailable, stands: standsAs(Whole, 8)}, next{action: actWait, err: store.ErrUnavailable, doubt: true}},
		{"an edit", asked, seen{matters: true, version: edited, keeps: keepsShown, kept: answerTo(first, 8), parts: []graph.MessageID{8}, stands: standsAs(Whole, 8)}, next{action: actGiveEdit, over: []graph.MessageID{8}, generation: 1, doubt: true}},
		{"an edit, over a half", asked, seen{matters: true, version: edited, keeps: keepsShown, kept: answerTo(first, 8), parts: []graph.MessageID{8}, stands: standsAs(Half, 8, 9)}, next{action: actGiveEdit, over: []graph.MessageID{8}, begun: []graph.MessageID{8, 9}, generation: 1, doubt: true}},
		{"an edit after a limit", asked, seen{matters: true, version: edited, keeps: keepsSilent, kept: answerTo(first)}, next{action: actGiveEdit, generation: 1, doubt: true}},
		{"an edit of a deleted answer", asked, seen{matters: true, version: edited, keeps: keepsShown, kept: answerTo(first, 8), parts: []graph.MessageID{8}}, next{action: actGiveEdit, generation: 1, doubt: true}},
		{"late", with(func(q *Question) { q.Late = true }), seen{keeps: keepsUnsent, kept: answerTo(first)}, next{action: actExpire, err: ErrTooLate}},
		{"killed before it was recorded", asked, seen{keeps: keepsUnsent, kept: answerTo(first), stands: standsAs(Half, 8)}, next{action: actComplete, begun: []graph.MessageID{8}, doubt: true}},
		{"killed before its files were sent", asked, seen{keeps: keepsUnsent, kept: answerTo(first), lacksFiles: true, stands: standsAs(Half, 8)}, next{action: actGiveOver, begun: []graph.MessageID{8}, doubt: true}},
		{"told of a limit", asked, seen{keeps: keepsSilent, kept: answerTo(first)}, next{action: actLeave, ended: Found}},
		{"somebody deleted the answer", asked, shown, next{action: actLeave, ended: Found}},
		{"looked at once more, and nothing stands", with(func(q *Question) { q.Cause = Checked }), seen{}, next{action: actLeave, ended: Found}},
		{"two processes wrote", asked, seen{keeps: keepsShown, kept: answerTo(first, 8), parts: []graph.MessageID{8}, stands: standsAs(Whole, 8, 9)}, next{action: actShow, over: []graph.MessageID{8}, begun: []graph.MessageID{8, 9}, doubt: true}},
		{"an edit of what was never a question", Question{Cause: Changed}, seen{}, next{action: actLeave, err: ErrUnanswered}},
		{"late, and nothing is known", with(func(q *Question) { q.Late = true }), seen{}, next{action: actExpire, err: ErrTooLate}},
		{"missed", asked, seen{}, next{action: actGive, doubt: true}},
		{"an edit makes a question", Question{Cause: Changed, Asks: true}, seen{matters: true, version: edited}, next{action: actGive}},
		{"killed before it was recorded, and the store forgot", asked, seen{stands: standsAs(Whole, 8)}, next{action: actLeave, ended: Found, doubt: true}},
		{"killed while it grew", asked, seen{stands: standsAs(Half, 8)}, next{action: actGiveOver, begun: []graph.MessageID{8}, doubt: true}},
		{"a message that another may have followed", with(func(q *Question) { q.Cause = Checked }), seen{stands: standsAs(Unclear, 8)}, next{action: actGiveOver, begun: []graph.MessageID{8}, doubt: true}},
		{"whole, for another version", asked, seen{matters: true, version: edited, stands: standsAs(Whole, 8)}, next{action: actGiveOver, begun: []graph.MessageID{8}, doubt: true}},
		{"somebody changed what this process sent", sentBefore, seen{stands: standsAs(Whole, 8)}, next{action: actGiveOver, begun: []graph.MessageID{8}, doubt: true}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			got := decide(&c.q, &c.s)
			if c.want.err == nil { // an error that wraps what the case gave
				got.err = nil
			}
			if got.action != c.want.action || !slices.Equal(got.over, c.want.over) || !slices.Equal(got.begun, c.want.begun) || got.generation != c.want.generation ||
				got.doubt != c.want.doubt || got.ended != c.want.ended || got.tell != c.want.tell || !errors.Is(got.err, c.want.err) {
				t.Errorf("decided is %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestDecideNeverAsksTwice decides for every combination of what can be seen. The model is not asked
// for what this process sent and what stands as it was sent, and nothing is written in place of an
// answer that is gone when it is looked at once more.
func TestDecideNeverAsksTwice(t *testing.T) { //nolint:gocognit // it goes through every combination
	for _, cause := range []Cause{Asked, Changed, Missed, Checked} {
		for bits := range 1 << 7 {
			for state := Nothing; state <= Whole; state++ {
				for keeps := keepsNone; keeps <= keepsShown; keeps++ {
					has := func(bit int) bool { return bits>>bit&1 == 1 }
					q := Question{Cause: cause, Asks: has(0), Late: has(1)}
					s := seen{keeps: keeps, matters: has(2), lacksFiles: has(3)}
					if has(2) {
						s.version = edited
					}
					if state != Nothing {
						s.stands = standsAs(state, 8)
					}
					s.own = state == Whole && has(4)
					if s.own {
						q.Before.Sent = []reply.Sent{{ID: 8}}
					}
					switch keeps {
					case keepsNone, keepsUnknown:
					case keepsShown:
						s.kept, s.parts = answerTo(first, 8), []graph.MessageID{8}
					case keepsSilent, keepsUnsent:
						s.kept = answerTo(first)
					}
					if has(5) && s.kept != nil {
						s.kept.Sources[0].Edited = s.version
					}
					if has(6) {
						q.Before.Err = store.ErrHeld
					}
					got, is := decide(&q, &s), fmt.Sprintf("%+v and %+v", q, s)
					gives := got.action <= actGiveMore
					switch {
					case s.own && gives:
						t.Fatalf("%s ask the model again: %+v", is, got)
					case cause == Checked && state == Nothing && !s.matters && got.action < actLeave && keeps != keepsUnsent:
						t.Fatalf("%s write once more what somebody deleted: %+v", is, got)
					case gives && state == Nothing && !q.Asks && keeps < keepsSilent:
						t.Fatalf("%s answer what is no question: %+v", is, got)
					case got.action == actGive && state != Nothing:
						t.Fatalf("%s answer beside what stands: %+v", is, got)
					}
				}
			}
		}
	}
}
