package questions

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/discord"
)

// TestAnOpenTaskLearnsAllThatIsHeard tells everything that can be heard of a question in every
// order of two. Whatever came second, such as that the question of an edit was never answered,
// holds for the task that is open.
func TestAnOpenTaskLearnsAllThatIsHeard(t *testing.T) {
	at := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	heard := []news{
		{asked: true},
		{edited: at},
		{edited: at.Add(time.Second)},
		{gone: true},
		{asked: true, edited: at},
		{gone: true, parts: []graph.MessageID{8}},
	}
	for _, first := range heard {
		for _, second := range heard {
			all := newTasks()
			open := &task{q: conversation.Question{ID: 7}, news: first}
			if queued, _ := all.add(open); queued != open {
				t.Fatalf("the first task, of %+v, is not queued", first)
			}
			if _, isNew := all.add(&task{q: conversation.Question{ID: 7}, news: second}); isNew != second.isNewer(&first) {
				t.Errorf("after %+v, %+v counts as new: %t, want %t", first, second, isNew, second.isNewer(&first))
			}
			if got := all.begin(open); !reflect.DeepEqual(got, first.and(&second)) && second.isNewer(&first) {
				t.Errorf("after %+v and %+v the task knows %+v, want %+v", first, second, got, first.and(&second))
			}
			if left := all.settle(open, first, nil); left == second.isNewer(&first) {
				t.Errorf("a task that was done as of %+v is settled: %t, want %t, as %+v was heard", first, left, !left, second)
			}
		}
	}
}

// TestATaskIsHurriedWhileItIsAttempted brings a channel back while a task in it is queued,
// attempted, or waits. The last two have no pause before the next attempt.
func TestATaskIsHurriedWhileItIsAttempted(t *testing.T) {
	for name, test := range map[string]struct {
		queued, attempted, waits bool
		want                     time.Duration
	}{
		"queued":    {queued: true, want: time.Hour},
		"attempted": {attempted: true},
		"waits":     {waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all, back := newTasks(), []discord.Channel{{ID: 3}}
				open := &task{q: conversation.Question{ID: 7, Channel: 3}}
				all.add(open)
				if test.queued {
					all.hurry(back)
				}
				all.begin(open)
				if test.attempted {
					all.hurry(back)
				}
				begun := time.Now()
				again := make(chan struct{})
				all.later(open, open.news, time.Hour, func() { close(again) })
				if test.waits && len(all.hurry(back)) == 1 {
					close(again)
				}
				<-again
				if got := time.Since(begun); got != test.want {
					t.Errorf("the next attempt comes after %v, want %v", got, test.want)
				}
			})
		})
	}
}
