package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"heddle/store"
	"heddle/store/storetest"
)

// noting is an engine that notes its calls, and refuses changes if full is set.
type noting struct {
	store.Engine

	full  bool
	calls []string
}

func (n *noting) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	n.calls = append(n.calls, "apply")
	if n.full {
		return nil, store.ErrFull
	}
	return n.Engine.Apply(ctx, changes...)
}

func (n *noting) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	n.calls = append(n.calls, "follow")
	return n.Engine.Follow(ctx, scope, queries...)
}

func wanting(r *store.Response) store.Want {
	return store.Want{Scope: r.Scope, PathHash: r.PathHash, FactsHash: r.FactsHash, Model: r.Model}
}

// TestAQuestionWithoutAnAnswerAsksTheStoreTwice keeps a third call from every mention's way
// to the model.
func TestAQuestionWithoutAnAnswerAsksTheStoreTwice(t *testing.T) {
	t.Parallel()
	engine := &noting{Engine: open(t)}
	r := storetest.Example("g1", 1)
	sought, err := store.New(engine, store.Options{}).Responses.Seek(t.Context(), wanting(&r), time.Minute)
	if err != nil || sought.Found {
		t.Fatalf("Seek returns %+v, %v in an empty store, want the lead", sought, err)
	}
	if want := []string{"apply", "follow"}; !slices.Equal(engine.calls, want) {
		t.Errorf("Seek makes the calls %v, want %v: take the lead, and look", engine.calls, want)
	}
}

func TestAFullStoreStillGivesItsAnswers(t *testing.T) {
	t.Parallel()
	engine := &noting{Engine: open(t)}
	s := store.New(engine, store.Options{})
	r := storetest.Example("g1", 1)
	if err := s.Responses.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	engine.full = true
	sought, err := s.Responses.Seek(t.Context(), wanting(&r), time.Minute)
	if err != nil || !sought.Found {
		t.Errorf("Seek finds %v, %v in a full store, want the answer that it holds", sought.Found, err)
	}
	r.PathHash[0]++
	if _, err = s.Responses.Seek(t.Context(), wanting(&r), time.Minute); !errors.Is(err, store.ErrFull) {
		t.Errorf("Seek returns %v for an answer that a full store does not hold, want %v", err, store.ErrFull)
	}
}
