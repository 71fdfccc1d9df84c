package storetest

import (
	"errors"
	"reflect"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

func walked(b bench) {
	var saved []store.Response
	for i := range graph.MessageID(70) {
		saved = append(saved, response(home, 10*i+10, said("Ann", "question "+i.String())))
	}
	again := saved[0]
	b.save(saved...)
	again = b.again(again)
	b.save(again, response("g2", 1, said("Ann", "hi")))
	forget(b, ids(saved[1]))
	saved = append(slices.Delete(saved, 1, 2), again)
	var met []store.Response
	for r, err := range b.store.Archive.All(b.ctx, home) {
		b.must(err)
		met = append(met, r)
	}
	byTrigger := func(a, b store.Response) int { return int(a.Trigger) - int(b.Trigger) } //nolint:gosec // small
	slices.SortFunc(met, byTrigger)
	slices.SortFunc(saved, byTrigger)
	b.same(met, nil, saved...)
	for _, err := range b.store.Archive.All(b.ctx, home) {
		b.must(err)
		break // and the walk ends
	}
	scopes, err := b.store.Archive.Scopes(b.ctx)
	b.must(err)
	if !slices.Equal(scopes, []store.Scope{home, "g2"}) {
		b.Errorf("the scopes are %v, want %v", scopes, []store.Scope{home, "g2"})
	}
}

func toolsAsSent(b bench) {
	bare := response(home, 1, said("Ann", "hi"))
	armed := bare
	armed.Tools = []path.Tool{{Name: "clock", Description: "tells the time", Schema: `{"type":"object"}`}}
	armed.PathHash = hash(armed)
	b.save(bare, armed)
	for _, want := range []store.Response{bare, armed} {
		tools, err := b.store.Responses.Tools(b.ctx, b.only(want))
		b.must(err)
		if !reflect.DeepEqual(tools, want.Tools) {
			b.Errorf("the tools of the response are %v, want %v", tools, want.Tools)
		}
	}
}

func (b bench) verify(responses, turns, tombstones int) []store.Fault {
	b.Helper()
	report, err := b.store.Archive.Verify(b.ctx, home)
	b.must(err)
	if report.Responses != responses || report.Turns != turns || report.Tombstones != tombstones {
		b.Errorf("%d responses and %d turns match their hashes, %d tombstones are skipped; want %d, %d, %d",
			report.Responses, report.Turns, report.Tombstones, responses, turns, tombstones)
	}
	return report.Faults
}

func verified(b bench) {
	first := response(home, 1, said("Ann", "hi"), said("Bob", "and?"))
	second := response(home, 50, said("Cyd", "weather?"))
	third := response(home, 60, said("Dan", "news?"))
	b.save(first, second, third)
	if faults := b.verify(3, 5, 0); len(faults) != 0 {
		b.Fatalf("responses that were just saved have the faults %v, want none", faults)
	}
	forget(b, ids(third))
	if faults := b.verify(2, 4, 1); len(faults) != 0 {
		b.Fatalf("responses that a deletion left have the faults %v, want none", faults)
	}
	shared := first.Path[0].Hash()
	key := store.Key{Scope: home, Name: "t" + string(shared[:])}
	values, err := b.subject.Engine.Get(b.ctx, key)
	b.must(err)
	values[0][len(values[0])-3] ^= 1
	b.put(key, values[0])
	faults := b.verify(0, 3, 1)
	if len(faults) != 2 || faults[0].Turn != 1 || !errors.Is(faults[0].Err, store.ErrCorrupt) {
		b.Errorf("the faults are %v", faults)
	}
	id := b.only(second).ID
	b.put(store.Key{Scope: home, Name: store.RecordPrefix + string(id[:])}, []byte("damaged"))
	if faults := b.verify(0, 2, 1); !slices.ContainsFunc(faults, func(f store.Fault) bool { return f.Response == id && f.Turn == 0 }) {
		b.Errorf("the faults are %v", faults)
	}
}

func verifiedText(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	r.ResponseHash[0]++
	b.save(r)
	if faults := b.verify(0, 2, 0); len(faults) != 1 {
		b.Errorf("the faults are %v, want one", faults)
	}
}
