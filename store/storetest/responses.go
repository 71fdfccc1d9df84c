package storetest

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// same fails the test unless found is want, in this order.
func (b bench) same(found []store.Response, err error, want ...store.Response) {
	b.Helper()
	b.must(err)
	if len(found) != len(want) {
		b.Fatalf("%d responses are found, want %d", len(found), len(want))
	}
	for i := range want {
		if got, want := stored(found[i]), stored(want[i]); !reflect.DeepEqual(got, want) {
			b.Fatalf("response %d is\n%+v, want\n%+v", i, got, want)
		}
	}
}

func (b bench) save(responses ...store.Response) {
	b.Helper()
	for _, r := range responses {
		b.must(b.store.Responses.Save(b.ctx, r))
	}
}

// byPath returns the alternatives to a response's path.
func (b bench) byPath(r store.Response) ([]store.Response, error) {
	return ByPath(b.ctx, b.store, r)
}

// ByPath returns the responses to the whole path of a response in its scope, newest
// first.
func ByPath(ctx context.Context, s *store.Store, r store.Response) ([]store.Response, error) {
	m, err := s.Archive.Match(ctx, r.Scope, pathOf(r))
	if err != nil || m.Stored < len(r.Path) {
		return nil, err
	}
	return m.Responses, nil
}

// gone fails the test if one of responses can still be found in any way.
func (b bench) gone(responses ...store.Response) {
	b.Helper()
	for _, r := range responses {
		found, err := b.byPath(r)
		b.same(found, err)
		found, err = b.store.Responses.ByTrigger(b.ctx, r.Scope, r.Trigger)
		b.same(found, err)
		if sent := b.byReply(r); len(sent) != 0 {
			b.Fatalf("the reply leads to a response to %d, want none", r.Trigger)
		}
	}
}

func (b bench) byReply(r store.Response) map[graph.MessageID]store.Response {
	b.Helper()
	found, err := b.store.Responses.ByReplies(b.ctx, r.Scope, []graph.MessageID{r.Replies[0].ID})
	b.must(err)
	b.recalls(r.Scope, found, r.Replies[0].ID)
	return found
}

// recalls fails the test unless Recall returns the responses that messages show.
func (b bench) recalls(scope store.Scope, shown map[graph.MessageID]store.Response, replies ...graph.MessageID) {
	b.Helper()
	recalled, err := b.store.Responses.Recall(b.ctx, scope, replies)
	b.must(err)
	if len(recalled) != len(shown) {
		b.Fatalf("%d responses are recalled, want %d", len(recalled), len(shown))
	}
	for reply, want := range shown {
		got := recalled[reply]
		if got.ID != want.ID || got.Channel != want.Channel || got.Trigger != want.Trigger || got.Text != want.Text ||
			got.FinishReason != want.FinishReason || got.Cut != want.Cut || got.Dropped != want.Dropped ||
			got.Root != want.Root || got.Checkpoint != want.Checkpoint || got.Summary != want.Summary || got.CacheKey != want.CacheKey || !slices.Equal(got.Shown, want.Shown) {
			b.Fatalf("message %s recalls\n%+v, want\n%+v", reply, got, want)
		}
		for _, pair := range [][2]any{
			{got.Sources, want.Sources},
			{got.Prompts(), want.Prompts},
			{got.Confidence, want.Confidence.Comparable()},
			{got.Transcript, want.Transcript},
			{got.Artifacts, named(want.Artifacts)},
			{got.Files, named(want.Files)},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				b.Fatalf("message %s recalls\n%+v, want\n%+v", reply, pair[0], pair[1])
			}
		}
	}
}

// whole fails the test unless each of responses is found with all its turns.
func (b bench) whole(responses ...store.Response) {
	b.Helper()
	for _, r := range responses {
		found, err := b.byPath(r)
		b.same(found, err, r)
		turns, err := b.store.Responses.Turns(b.ctx, found[0])
		b.must(err)
		if !reflect.DeepEqual(turns, r.Path) {
			b.Fatalf("the turns of the response to %d are\n%+v, want\n%+v", r.Trigger, turns, r.Path)
		}
	}
}

func foundByAll(b bench) {
	temperature, seed := 0.0, 7
	r := response(home, 1, said("Ann", "hi"), said("Bob", "what time is it?"))
	r.Options = path.Options{Temperature: &temperature, MaxTokens: 50, Stop: []string{"\n"}, Seed: &seed}
	r.Tools = []path.Tool{{Name: "clock", Description: "tells the time", Schema: `{"type":"object"}`}}
	r.PathHash = hash(r)
	r.Usage = store.Usage{Prompt: 10, Completion: 5, Cached: 3}
	rank := 0.625
	r.Confidence = &store.Confidence{Value: 0.75, Method: "logprobs", Tokens: 5, Min: 0.1, P5: 0.2, Rank: &rank}
	r.Checkpoint, r.Summary, r.CacheKey, r.Dropped = 2, 5, "key", 9
	r.Shown = []graph.AttachmentID{7, 1 << 40}
	r.Cut, r.Files = 3, []store.Artifact{{Attachment: 4, Message: 1999, Name: "b.png"}}
	r.Transcript = store.Turns{answered("said")}
	r.Artifacts = []store.Artifact{{Attachment: 5, Message: 2000, Name: "a.png", Title: "a", Type: "image/png", Size: 9}}
	r.Replies = append(r.Replies, store.Reply{ID: 2001, Text: "part two"})
	b.save(r)
	b.whole(r)
	found, err := b.store.Responses.ByTrigger(b.ctx, home, r.Trigger)
	b.same(found, err, r)
	sent, err := b.store.Responses.ByReplies(b.ctx, home, []graph.MessageID{2000, 2001, 2002})
	b.must(err)
	if len(sent) != 2 {
		b.Fatalf("%d of two replies and a stranger are found, want 2", len(sent))
	}
	b.same([]store.Response{sent[2000], sent[2001]}, nil, r, r)
	b.recalls(home, sent, 2000, 2001, 2002)
}

// named returns artifacts with only the fields that Recall returns.
func named(artifacts []store.Artifact) []store.Artifact {
	var named []store.Artifact
	for _, a := range artifacts {
		named = append(named, store.Artifact{Attachment: a.Attachment, Message: a.Message, Name: a.Name})
	}
	return named
}

func newestFirst(b bench) {
	older := response(home, 1, said("Ann", "hi"))
	newer := older
	newer.Text, newer.Created = "another", older.Created.Add(time.Second)
	b.save(newer, older)
	found, err := b.byPath(older)
	b.same(found, err, newer, older)
	b.same([]store.Response{b.byReply(older)[older.Replies[0].ID]}, nil, newer)
}

func savedTwice(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	b.save(r, r)
	b.whole(r)
}

func manyReplies(b bench) {
	var asked []graph.MessageID
	for i := range graph.MessageID(30) {
		r := response(home, i+1, said("Ann", "question "+i.String()))
		b.save(r)
		asked = append(asked, r.Replies[0].ID)
	}
	found, err := b.store.Responses.ByReplies(b.ctx, home, append(asked, 5))
	b.must(err)
	if len(found) != len(asked) {
		b.Fatalf("%d replies are found, want %d", len(found), len(asked))
	}
	for reply, r := range found {
		if r.Replies[0].ID != reply {
			b.Fatalf("reply %s leads to the response of reply %s, want its own", reply, r.Replies[0].ID)
		}
	}
	b.recalls(home, found, append(asked, 5)...)
	b.recalls(home, nil)
	if found, err := b.store.Responses.ByReplies(b.ctx, home, nil); err != nil || len(found) != 0 {
		b.Fatalf("without replies, ByReplies returns %d responses and %v, want none", len(found), err)
	}
}

func turnsAsSent(b bench) {
	r := response(home, 1, said("Ann\u0000é", ""), path.Turn{Role: path.RoleUser, Speaker: "Bob", Parts: []path.Part{
		path.Text("look"),
		path.Image{Content: path.Content{Attachment: 9, Size: 3}, Type: "image/png", Detail: "low"},
		path.File{Content: path.Content{Hash: path.Hash{1}}, Name: "f", Type: "text/plain", Text: "x"},
	}}, path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "1", Name: "f", Arguments: `{"a":9007199254740993}`}}},
		path.Turn{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "1", Name: "f", Parts: []path.Part{path.Text("ok")}}}})
	b.save(r)
	b.whole(r)
}

func refused(b bench) {
	wrong := response(home, 1, said("Ann", "hi"))
	wrong.PathHash[0]++
	if err := b.store.Responses.Save(b.ctx, wrong); err == nil {
		b.Error("a response with a wrong path_hash is saved")
	}
	for _, scope := range []store.Scope{"", "_meta", "g{1}", "g 1", "g\x001"} {
		if err := b.store.Responses.Save(b.ctx, response(scope, 1, said("Ann", "hi"))); err == nil {
			b.Errorf("a response with the invalid scope %q is saved, want an error", scope)
		}
	}
}

func scopesApart(b bench) {
	scopes := []store.Scope{home, "g1.c1", "g11", "g", "d1"}
	for i, scope := range scopes {
		r := response(scope, 1, said("Ann", "hi"))
		r.Text = string(scope)
		for _, other := range scopes[i:] {
			elsewhere := r
			elsewhere.Scope = other
			found, err := b.byPath(elsewhere)
			b.same(found, err)
			found, err = b.store.Responses.ByTrigger(b.ctx, other, r.Trigger)
			b.same(found, err)
		}
		b.save(r)
		b.whole(r)
	}
}

func responseEnds(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	b.save(r)
	b.subject.Advance(29 * 24 * time.Hour)
	b.whole(r)
	b.subject.Advance(6 * 24 * time.Hour)
	b.gone(r)
	for {
		removed, err := b.subject.Engine.Sweep(b.ctx)
		b.must(err)
		if removed == 0 {
			break
		}
	}
	b.gone(r)
	b.save(r)
	b.whole(r)
}

func turnsLast(b bench) {
	first := response(home, 1, said("Ann", "hi"))
	second := response(home, 1, said("Ann", "hi"), answered("hello"), said("Ann", "and?"))
	b.save(first)
	b.subject.Advance(20 * 24 * time.Hour)
	b.save(second)
	b.subject.Advance(20 * 24 * time.Hour)
	b.gone(first)
	b.whole(second)
}

func cancelled(b bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if err := b.store.Responses.Save(ctx, response(home, 1, said("Ann", "hi"))); !errors.Is(err, context.Canceled) {
		b.Errorf("saving returns %v, want %v", err, context.Canceled)
	}
	if _, err := ByPath(ctx, b.store, Example(home, 1)); !errors.Is(err, context.Canceled) {
		b.Errorf("looking up returns %v, want %v", err, context.Canceled)
	}
}

func damaged(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	b.save(r)
	found, err := b.byPath(r)
	b.must(err)
	key := store.Key{Scope: home, Name: store.RecordPrefix + string(found[0].ID[:])}
	values, err := b.subject.Engine.Get(b.ctx, key)
	b.must(err)
	for _, at := range []int{1, len(values[0]) / 2, len(values[0]) - 1} {
		flipped := append([]byte(nil), values[0]...)
		flipped[at] ^= 4
		b.put(key, flipped)
		b.gone(r)
	}
	b.put(key, values[0][:3])
	b.gone(r)
	if rejected := b.store.Stats().Damaged; rejected != 16 {
		b.Errorf("%d damaged entries are counted, want 16", rejected)
	}
	b.save(r)
	b.whole(r)
}

func damagedText(b bench) {
	const secret = "hunter2"
	r := response(home, 1, said("Ann", secret))
	b.save(r)
	hash := answered(r.Text).Hash()
	key := store.Key{Scope: home, Name: "t" + string(hash[:])}
	values, err := b.subject.Engine.Get(b.ctx, key)
	b.must(err)
	values[0][len(values[0])-3] ^= 1
	b.put(key, values[0])
	b.gone(r)
	forget(b, ids(r))
	_, err = b.subject.Engine.Sweep(b.ctx)
	b.must(err)
	if bytes.Contains(b.subject.Dump(), []byte(secret)) {
		b.Error("the question is still stored")
	}
}

func (b bench) put(key store.Key, value []byte) {
	b.Helper()
	_, err := b.subject.Engine.Apply(b.ctx, store.Change{Scope: key.Scope, Ops: []store.Op{
		{Kind: store.OpPut, Name: key.Name, Value: string(value), TTL: time.Hour},
	}})
	b.must(err)
}
