package answer

import (
	"sync"
	"sync/atomic"
	"testing"

	"heddle/store"
)

func TestOneLeadsAndTheOthersGetWhatComesOfIt(t *testing.T) {
	t.Parallel()
	s := newSingleflight()
	want := store.Want{Scope: "g1", Model: "m"}
	first, leads := s.join(want)
	if !leads {
		t.Fatal("the first does not lead")
	}
	if _, leads := s.join(store.Want{Scope: "g2", Model: "m"}); !leads {
		t.Error("who wants something else waits")
	}
	var given atomic.Int32
	var group sync.WaitGroup
	for range 50 {
		under, leads := s.join(want)
		if leads {
			t.Fatal("two callers lead, want one")
		}
		group.Go(func() {
			<-under.done
			if under.response.Text == "Four." {
				given.Add(1)
			}
		})
	}
	s.finish(want, first, &store.Response{Output: store.Output{Text: "Four."}})
	s.finish(want, first, nil)
	group.Wait()
	if given.Load() != 50 {
		t.Errorf("%d of 50 were given the answer, want 50", given.Load())
	}
	next, leads := s.join(want)
	if !leads {
		t.Error("who joins after the call has ended does not lead, want the lead")
	}
	s.finish(want, first, nil)
	select {
	case <-next.done:
		t.Error("finishing an old call ended a new one, want it to go on")
	default:
	}
}
