package storetest

import (
	"sync"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

func ids(r store.Response) []graph.MessageID {
	messages := make([]graph.MessageID, len(r.Sources))
	for i, source := range r.Sources {
		messages[i] = source.Message
	}
	return messages
}

func wanting(r store.Response) store.Want {
	return store.Want{Scope: r.Scope, PathHash: r.PathHash, FactsHash: r.FactsHash, Model: r.Model}
}

// seeks fails the test if Seek does not find a response, or the lead, as wanted.
func (b bench) seeks(want store.Want, found bool) store.Sought {
	b.Helper()
	sought, err := b.store.Responses.Seek(b.ctx, want, leaseTime)
	b.must(err)
	if sought.Found != found {
		b.Fatalf("something is found: %v, want %v", sought.Found, found)
	}
	return sought
}

func seekFits(b bench) {
	r := Example(home, 1)
	r.FactsHash, r.Created = path.Hash{5}, b.subject.Now().Add(-time.Hour).UTC().Round(0)
	for i, spoil := range []func(*store.Response){
		func(r *store.Response) { r.FinishReason = "length" },
		func(r *store.Response) { r.FinishReason = "failed" },
		func(r *store.Response) { r.Text = "" },
		func(r *store.Response) { r.TimeBound = true },
		func(r *store.Response) { r.Model = "other" },
		func(r *store.Response) { r.FactsHash = path.Hash{6} },
		func(r *store.Response) { r.Scope = "g2" },
	} {
		spoiled := r
		spoil(&spoiled)
		spoiled.Trigger += graph.MessageID(i + 10)
		b.save(spoiled)
		lead := b.seeks(wanting(r), false).Lead
		b.must(b.store.Claims.Release(b.ctx, lead))
	}
	b.save(r)
	b.same([]store.Response{b.seeks(wanting(r), true).Response}, nil, r)
	young := wanting(r)
	young.MaxAge = time.Minute
	b.seeks(young, false)
}

// seekTogether seeks the same a hundred times at once, in three stores over one engine.
func seekTogether(b bench) {
	r := Example(home, 1)
	stores := []*store.Store{b.store}
	for range 2 {
		stores = append(stores, store.New(b.subject.Engine, store.Options{Now: b.subject.Now}))
	}
	var asked, given atomic.Int32
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			s := stores[i%len(stores)]
			sought, err := s.Responses.Seek(b.ctx, wanting(r), leaseTime)
			switch {
			case err != nil:
				b.Error(err)
			case sought.Found:
				given.Add(1)
			default:
				asked.Add(1)
				if err := s.Responses.Save(b.ctx, r); err != nil {
					b.Error(err)
				}
				if err := s.Claims.Release(b.ctx, sought.Lead); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	if asked.Load() != 1 || given.Load() != 99 {
		b.Errorf("%d ask the model and %d are given what comes of it", asked.Load(), given.Load())
	}
}

func leadEnds(b bench) {
	want := wanting(Example(home, 1))
	dead := b.seeks(want, false).Lead
	other := want
	other.Model = "other"
	b.seeks(other, false)
	b.subject.Advance(leaseTime * 2 / 3)
	dead, err := b.store.Claims.Renew(b.ctx, dead, leaseTime)
	b.must(err)
	b.subject.Advance(2 * leaseTime)
	next := b.seeks(want, false).Lead
	b.must(b.store.Claims.Release(b.ctx, dead))
	if _, err := b.store.Claims.Renew(b.ctx, next, leaseTime); err != nil {
		b.Errorf("the next leader lost it: %v", err)
	}
}

// seekTells checks what Seek reports about how it found a response.
func seekTells(b bench) {
	r := Example(home, 1)
	b.must(b.store.Claims.Release(b.ctx, b.seeks(wanting(r), false).Lead))
	b.save(r)
	if sought := b.seeks(wanting(r), true); sought.Waited || sought.Damaged != 0 {
		b.Errorf("what was there is found as %+v", sought)
	}
	id := b.only(r).ID
	key := store.Key{Scope: home, Name: store.RecordPrefix + string(id[:])}
	b.put(key, []byte("damaged"))
	if sought := b.seeks(wanting(r), false); sought.Waited || sought.Damaged != 1 {
		b.Errorf("what is damaged is told as %+v", sought)
	}
}
