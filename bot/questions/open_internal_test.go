package questions

import (
	"reflect"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
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
