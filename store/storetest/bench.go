package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// Bench measures the store operations of a mention. open creates an empty engine, and
// returns it with a function that returns its size in bytes.
func Bench(b *testing.B, open func(b *testing.B) (store.Engine, func() int)) {
	b.Helper()
	for name, measure := range map[string]func(*testing.B, *store.Store){
		"Claim": benchClaim, "Save30": benchSave, "SaveParallel30": benchSaveParallel,
		"SeekGiven100": benchSeek, "Turns30": benchTurns, "Scopes1000": benchScopes,
		"ByReplies30": benchRead((*store.Responses).ByReplies), "Recall30": benchRead((*store.Responses).Recall),
		"Match200In20k": benchMatch(20_000), "Match200In1M": benchMatch(1_000_000),
	} {
		b.Run(name, func(b *testing.B) {
			engine, _ := open(b)
			s := store.New(engine, store.Options{})
			b.ReportAllocs()
			measure(b, s)
		})
	}
	b.Run("Bytes", func(b *testing.B) {
		engine, size := open(b)
		benchBytes(b, store.New(engine, store.Options{}), size)
	})
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func benchClaim(b *testing.B, s *store.Store) {
	b.Helper()
	var trigger graph.MessageID
	for b.Loop() {
		trigger++
		lease, err := s.Claims.Claim(b.Context(), store.TriggerClaim(trigger), time.Minute)
		check(b, err)
		check(b, s.Claims.Release(b.Context(), lease))
	}
}

func benchSave(b *testing.B, s *store.Store) {
	b.Helper()
	r := Long(home, 1, 30)
	for b.Loop() {
		r.Trigger += 1000
		r.Replies[0].ID = r.Trigger + 1
		check(b, s.Responses.Save(b.Context(), r))
	}
}

func benchSaveParallel(b *testing.B, s *store.Store) {
	b.Helper()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		r := Long(home, 1, 30)
		r.Trigger = graph.MessageID(rand.Uint32()) //nolint:gosec // a benchmark's
		for pb.Next() {
			r.Trigger += 1000
			r.Replies = []store.Reply{{ID: r.Trigger + 1}}
			if err := s.Responses.Save(b.Context(), r); err != nil {
				b.Error(err)
			}
		}
	})
}

// fill saves responses to paths of 30 turns and returns the last one and all replies.
func fill(b *testing.B, s *store.Store, n int) (last store.Response, replies []graph.MessageID) {
	b.Helper()
	for i := range n {
		last = Long(home, graph.MessageID(1+1000*i), 30)
		last.Path[30] = said("Bob", fmt.Sprintf("trigger %d", i))
		last.PathHash = hash(last)
		check(b, s.Responses.Save(b.Context(), last))
		replies = append(replies, last.Replies[0].ID)
	}
	return last, replies
}

// benchSeek measures Seek for an answer that was reused a hundred times.
func benchSeek(b *testing.B, s *store.Store) {
	b.Helper()
	original, _ := fill(b, s, 1)
	found, err := s.Responses.ByTrigger(b.Context(), home, original.Trigger)
	check(b, err)
	again := original
	again.Reuses = found[0].ID
	for range 100 {
		again.Trigger += 1000
		again.Replies = []store.Reply{{ID: again.Trigger + 1}}
		check(b, s.Responses.Save(b.Context(), again))
	}
	for b.Loop() {
		sought, err := s.Responses.Seek(b.Context(), wanting(original), time.Minute)
		check(b, err)
		if !sought.Found {
			b.Fatal("nothing is found")
		}
	}
}

// benchRead measures reading thirty answers by the messages that show them.
func benchRead[R any](read func(*store.Responses, context.Context, store.Scope, []graph.MessageID) (map[graph.MessageID]R, error)) func(*testing.B, *store.Store) {
	return func(b *testing.B, s *store.Store) {
		b.Helper()
		_, replies := fill(b, s, 30)
		for b.Loop() {
			found, err := read(s.Responses, b.Context(), home, replies)
			check(b, err)
			if len(found) != 30 {
				b.Fatalf("%d are found, want 30", len(found))
			}
		}
	}
}

func benchTurns(b *testing.B, s *store.Store) {
	b.Helper()
	last, _ := fill(b, s, 1)
	found, err := s.Responses.ByTrigger(b.Context(), home, last.Trigger)
	check(b, err)
	for b.Loop() {
		_, err := s.Responses.Turns(b.Context(), found[0])
		check(b, err)
	}
}

// benchMatch measures Match for a path of 200 turns, 100 of them stored, among many
// nodes.
func benchMatch(nodes int) func(*testing.B, *store.Store) {
	const turns = 200
	return func(b *testing.B, s *store.Store) {
		b.Helper()
		var group errgroup.Group
		group.SetLimit(16)
		for i := range nodes / turns {
			group.Go(func() error {
				r := Long(home, graph.MessageID(1+turns*i), turns) //nolint:gosec // few
				r.Path[1] = said("Bob", fmt.Sprintf("conversation %d", i))
				r.Sources, r.PathHash = r.Sources[:1], hash(r)
				return s.Responses.Save(b.Context(), r)
			})
		}
		check(b, group.Wait())
		p := pathOf(Long(home, 1, turns))
		p.Turns[1], p.Turns[turns/2] = said("Bob", "conversation 7"), said("Bob", "something new")
		for b.Loop() {
			m, err := s.Archive.Match(b.Context(), home, p)
			check(b, err)
			if m.Stored != turns/2 {
				b.Fatalf("%d turns are stored, want %d", m.Stored, turns/2)
			}
		}
	}
}

// benchBytes reports the size of a turn and a response that are added to conversations
// of 30 turns: a question of 70 bytes with 31 sources and an answer of 1,000 bytes.
func benchBytes(b *testing.B, s *store.Store, size func() int) {
	b.Helper()
	answer := strings.Repeat("words of an answer, ", 50)
	add := func(i int, turns []path.Turn, text string) {
		r := Long(home, graph.MessageID(1+1000*i), 30) //nolint:gosec // few
		r.Path = append(r.Path, turns...)
		r.Text = text
		r.Replies[0].Text, r.PathHash = text, hash(r)
		check(b, s.Responses.Save(b.Context(), r))
	}
	const n = 500
	question := func(i int) path.Turn { return said("Bob", fmt.Sprintf("question %d %060d", i, i)) }
	add(0, nil, "")
	start := size()
	for i := range n {
		add(i+1, []path.Turn{question(i)}, fmt.Sprint(i, answer))
	}
	asked := size()
	for i := range n {
		add(i+1001, []path.Turn{question(i), answered(fmt.Sprint(i, answer)), question(i + n)}, fmt.Sprint(i+n, answer))
	}
	end := size()
	for b.Loop() { // bytes are reported, not time
	}
	b.ReportMetric(float64(asked-start)/n, "B/question+answer")
	b.ReportMetric(float64(end-asked)/n, "B/follow-up+answer")
}

// benchScopes measures look-ups and checks that none crosses a scope. Use
// -benchtime=1000000x for a million of them.
func benchScopes(b *testing.B, s *store.Store) {
	b.Helper()
	a := NewApart(b, s, 1000)
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a benchmark's
	for b.Loop() {
		check(b, a.Look(b.Context(), random))
	}
}
