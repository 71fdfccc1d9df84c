package storetest

import (
	"errors"
	"maps"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// only returns the only response to the path of r.
func (b bench) only(r store.Response) store.Response {
	b.Helper()
	found, err := b.byPath(r)
	b.same(found, err, r)
	return found[0]
}

// again saves and returns a reuse of a response for another trigger.
func (b bench) again(r store.Response) store.Response {
	b.Helper()
	again := r
	again.Reuses, again.Reused = b.only(r).ID, r.Created.Add(time.Hour)
	again.Trigger += 500
	again.Sources = []store.SourceRef{{Message: again.Trigger, Channel: general, Author: person("Ann")}}
	again.Replies = []store.Reply{{ID: 1000 * again.Trigger}}
	return again
}

func givenAgain(b bench) {
	original := Example(home, 1)
	b.save(original)
	again := b.again(original)
	b.save(again)
	b.whole(original)
	b.same([]store.Response{b.byReply(again)[again.Replies[0].ID]}, nil, again)
	b.same([]store.Response{b.finds(wanting(original)).Response}, nil, original)
	forget(b, ids(original))
	b.whole(again)
	b.same([]store.Response{b.finds(wanting(original)).Response}, nil, again)
	forget(b, ids(again))
	b.gone(original, again)
}

func shownAlternative(b bench) {
	older := Example(home, 1)
	newer, third := older, older
	newer.Text, newer.Created = "another", older.Created.Add(time.Second)
	third.Text, third.Created = "a third", older.Created.Add(2*time.Second)
	third.Replies = nil
	b.save(older, newer, third)
	alternatives, err := b.byPath(older)
	b.same(alternatives, err, third, newer, older)
	reply := older.Replies[0].ID
	b.same([]store.Response{b.byReply(older)[reply]}, nil, newer)
	for i, want := range []store.Response{third, newer, older} {
		b.must(b.store.Displays.Show(b.ctx, home, []graph.MessageID{reply}, alternatives[i].ID))
		b.must(b.store.Displays.Show(b.ctx, home, []graph.MessageID{reply}, alternatives[i].ID))
		b.same([]store.Response{b.byReply(older)[reply]}, nil, want)
	}
	if err := b.store.Displays.Show(b.ctx, "g2", []graph.MessageID{reply}, alternatives[0].ID); !errors.Is(err, store.ErrForgotten) {
		b.Errorf("showing another scope's returns %v, want %v", err, store.ErrForgotten)
	}
}

func standing(b bench) {
	shownParts(b)
	offers(b)
}

func shownParts(b bench) {
	r := Example(home, 1)
	b.save(r)
	id := b.only(r).ID
	parts := func(of graph.MessageID, want ...graph.MessageID) {
		b.Helper()
		got, err := b.store.Displays.Parts(b.ctx, home, of)
		b.must(err)
		if !slices.Equal(got, want) {
			b.Errorf("the parts of the answer around %d are %v, want %v", of, got, want)
		}
	}
	reply := r.Replies[0].ID
	parts(reply)
	b.must(b.store.Displays.Show(b.ctx, home, []graph.MessageID{reply, reply + 5, reply + 9}, id))
	parts(reply+9, reply, reply+5, reply+9)
	b.must(b.store.Displays.Show(b.ctx, home, []graph.MessageID{reply, reply + 5}, id))
	parts(reply, reply, reply+5)
	found, err := b.store.Responses.ByReplies(b.ctx, home, []graph.MessageID{reply + 5})
	b.must(err)
	b.same([]store.Response{found[reply+5]}, nil, r)
	if got, err := b.store.Displays.Parts(b.ctx, "g2", reply); err != nil || len(got) != 0 {
		b.Errorf("another scope has the parts %v, %v, want none and no error", got, err)
	}
}

func offers(b bench) {
	stand := func(scope store.Scope, want map[graph.MessageID]store.Offer) {
		b.Helper()
		got, err := b.store.Displays.Offers(b.ctx, scope, []graph.MessageID{1, 2, 3})
		b.must(err)
		if !maps.Equal(got, want) {
			b.Errorf("in %s the offers are %v, want %v", scope, got, want)
		}
	}
	first, second := store.Offer{Answer: 10}, store.Offer{Answer: 20, Generation: 3}
	b.must(b.store.Displays.Unoffer(b.ctx, home, 1))
	b.must(b.store.Displays.Offer(b.ctx, home, 1, second))
	b.must(b.store.Displays.Offer(b.ctx, home, 1, first))
	b.must(b.store.Displays.Offer(b.ctx, home, 3, second))
	stand(home, map[graph.MessageID]store.Offer{1: first, 3: second})
	stand("g2", map[graph.MessageID]store.Offer{})
	b.must(b.store.Displays.Unoffer(b.ctx, home, 1))
	stand(home, map[graph.MessageID]store.Offer{3: second})
	b.subject.Advance(40 * 24 * time.Hour)
	stand(home, map[graph.MessageID]store.Offer{})
}

func pathOf(r store.Response) path.Path {
	return path.Path{Turns: r.Path, Tools: r.Tools, Options: r.Options}
}

func matches(b bench) {
	short := response(home, 1, said("Ann", "hi"))
	long := response(home, 1, said("Ann", "hi"), answered("hello"), said("Bob", "and?"))
	other := response(home, 50, said("Cyd", "weather?"))
	b.save(short, long, other)
	system := short.Path[0]
	for name, test := range map[string]struct {
		turns     []path.Turn
		stored    int
		responses []store.Response
	}{
		"all of it":            {long.Path, 4, []store.Response{long}},
		"a part with answers":  {short.Path, 2, []store.Response{short}},
		"a longer one":         {append(slices.Clone(long.Path), answered("what?")), 4, []store.Response{long}},
		"a branch":             {append(slices.Clone(short.Path), answered("hey"), said("Bob", "and?")), 2, []store.Response{short}},
		"a part with none":     {long.Path[:3], 3, nil},
		"the system prompt":    {[]path.Turn{system, said("Dan", "new")}, 1, nil},
		"another prompt":       {[]path.Turn{answered("?"), said("Ann", "hi")}, 0, nil},
		"a turn out of order":  {[]path.Turn{system, answered("hello")}, 1, nil},
		"nothing":              {nil, 0, nil},
		"a very long path":     {append(slices.Clone(long.Path), Long(home, 1, 300).Path...), 4, []store.Response{long}},
		"an empty turn at end": {append(slices.Clone(long.Path), path.Turn{}), 4, []store.Response{long}},
	} {
		m, err := b.store.Archive.Match(b.ctx, home, path.Path{Turns: test.turns})
		if m.Stored != test.stored || len(m.New) != len(test.turns)-test.stored || m.Node == (path.Hash{}) {
			b.Errorf("%s: %d turns are stored and %d new, want %d and %d, with a node", name, m.Stored, len(m.New), test.stored, len(test.turns)-test.stored)
		}
		b.same(m.Responses, err, test.responses...)
	}
	for _, p := range []path.Path{{Turns: long.Path, Tools: []path.Tool{{Name: "f"}}}, {Turns: long.Path, Options: path.Options{MaxTokens: 5}}} {
		if m, err := b.store.Archive.Match(b.ctx, home, p); err != nil || m.Node != (path.Hash{}) || len(m.New) != len(p.Turns) {
			b.Errorf("another root matches %+v, %v, want only new turns and no error", m, err)
		}
	}
	if m, err := b.store.Archive.Match(b.ctx, "g2", pathOf(long)); err != nil || m.Node != (path.Hash{}) {
		b.Errorf("another scope matches %+v, %v, want no node and no error", m, err)
	}
}

func byPrompt(b bench) {
	first := response(home, 1, said("Ann", "hi"))
	second := response(home, 20, said("Zed", "yo"), said("Ann", "hi"))
	b.save(first, second)
	nodes, err := b.store.Archive.ByPrompt(b.ctx, home, said("Ann", "hi").Hash())
	b.must(err)
	if len(nodes) != 2 || !slices.Contains(nodes, first.PathHash) || !slices.Contains(nodes, second.PathHash) {
		b.Errorf("the nodes are %v, want %s and %s", nodes, first.PathHash, second.PathHash)
	}
	if nodes, err := b.store.Archive.ByPrompt(b.ctx, home, path.Hash{}); err != nil || len(nodes) != 0 {
		b.Errorf("the nodes that hold no turn are %v, %v, want none and no error", nodes, err)
	}
}
