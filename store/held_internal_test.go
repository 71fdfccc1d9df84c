package store

import (
	"fmt"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfAnswers(t *testing.T) {
	heaptest.AtMost(t, "what was stored lately", func() any {
		r, now := newRecent(time.Hour), time.Now()
		for n := range maxRecent {
			r.add(fmt.Sprintf("%064d", n), now)
		}
		return r
	})
	heaptest.AtMost(t, "where answers stand", func() any {
		var saved, unsaved given
		for n := range graph.MessageID(3 * mostGiven) {
			answer := Response{Standing: Standing{Scope: "g1000000000000000000.c1000000000000000000", Trigger: n, Replies: make([]Reply, 4)}}
			saved.add(time.Now(), &answer)
			unsaved.add(time.Time{}, &answer)
		}
		return [2]*given{&saved, &unsaved}
	})
}
