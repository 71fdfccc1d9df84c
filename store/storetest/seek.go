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

// finds fails the test unless Seek finds a response.
func (b bench) finds(want store.Want) store.Sought {
	b.Helper()
	sought := b.seeks(want)
	if !sought.Found {
		b.Fatal("nothing is found")
	}
	return sought
}

// leads fails the test unless Seek takes the lead.
func (b bench) leads(want store.Want) store.Sought {
	b.Helper()
	sought := b.seeks(want)
	if sought.Found {
		b.Fatalf("response %s is found, want none", sought.Response.ID)
	}
	return sought
}

func (b bench) seeks(want store.Want) store.Sought {
	b.Helper()
	sought, err := b.store.Responses.Seek(b.ctx, want, leaseTime)
	b.must(err)
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
		lead := b.leads(wanting(r)).Lead
		b.must(b.store.Claims.Release(b.ctx, lead))
	}
	b.save(r)
	b.same([]store.Response{b.finds(wanting(r)).Response}, nil, r)
	young := wanting(r)
	young.MaxAge = time.Minute
	b.leads(young)
}

// seekTogether calls Seek a hundred times at the same time for the same want, on three
// stores over one engine.
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
		b.Errorf("%d callers ask the model and %d get its answer, want 1 and 99", asked.Load(), given.Load())
	}
}

func leadEnds(b bench) {
	want := wanting(Example(home, 1))
	dead := b.leads(want).Lead
	other := want
	other.Model = "other"
	b.leads(other)
	b.subject.Advance(leaseTime * 2 / 3)
	dead, err := b.store.Claims.Renew(b.ctx, dead, leaseTime)
	b.must(err)
	b.subject.Advance(2 * leaseTime)
	next := b.leads(want).Lead
	b.must(b.store.Claims.Release(b.ctx, dead))
	if _, err := b.store.Claims.Renew(b.ctx, next, leaseTime); err != nil {
		b.Errorf("the next leader lost the lead: %v", err)
	}
}

// seekTells checks what Seek reports about waiting and about damaged responses.
func seekTells(b bench) {
	r := Example(home, 1)
	b.must(b.store.Claims.Release(b.ctx, b.leads(wanting(r)).Lead))
	b.save(r)
	if sought := b.finds(wanting(r)); sought.Waited || sought.Damaged != 0 {
		b.Errorf("Seek returns %+v for an intact response, want no wait and nothing damaged", sought)
	}
	id := b.only(r).ID
	key := store.Key{Scope: home, Name: store.RecordPrefix + string(id[:])}
	b.put(key, []byte("damaged"))
	if sought := b.leads(wanting(r)); sought.Waited || sought.Damaged != 1 {
		b.Errorf("Seek returns %+v for a damaged response, want no wait and one damaged", sought)
	}
}
