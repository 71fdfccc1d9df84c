package inspect_test

import (
	"context"
	"strings"
	"testing"

	"heddle/internal/inspect"
	"heddle/store"
	"heddle/store/bolt"
)

// lists is an engine that counts how often each whole set is listed.
type lists struct {
	store.Engine

	counted map[string]int
}

func (l *lists) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	for _, q := range queries {
		if q.Names {
			l.counted[q.Set]++
		}
	}
	return l.Engine.Follow(ctx, scope, queries...)
}

func TestAConversationIsMatchedInOneWalkOfTheArchive(t *testing.T) {
	engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	counting := &lists{engine, make(map[string]int)}
	s := store.New(counting, store.Options{})
	t.Cleanup(func() { s.Close() })
	earlier(t, s, ann)
	c, err := inspect.Conversation(strings.NewReader(`[{"role":"system","content":"Be kind."},{"role":"user","name":"ann","content":"hello?"}]`))
	if err != nil {
		t.Fatal(err)
	}
	clear(counting.counted)
	m, err := inspect.Match(t.Context(), s, home, c)
	if err != nil || m.Stored != 1 {
		t.Fatalf("%+v, %v, want Stored 1 and no error", m, err)
	}
	const responses = "p" // the set of all responses
	if got := counting.counted[responses]; got != 1 {
		t.Errorf("the archive is walked %d times, want 1", got)
	}
}
