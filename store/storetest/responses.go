package storetest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

// same fails the test unless found is want, in this order.
func (b bench) same(found []store.Response, err error, want ...store.Response) {
	b.Helper()
	errtest.None(b, err)
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
		errtest.None(b, b.store.Responses.Save(b.ctx, r))
	}
}

// byPath returns the alternatives to a response's path.
func (b bench) byPath(r store.Response) ([]store.Response, error) {
	return ByPath(b.ctx, b.store, r)
}

// ByPath returns the model's answers to the path of a response in its scope, newest first.
func ByPath(ctx context.Context, s *store.Store, r store.Response) (found []store.Response, err error) {
	for one, err := range s.Archive.All(ctx, r.Scope) {
		if err != nil {
			return nil, err
		}
		if one.PathHash == r.PathHash && one.Original() == one.ID {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b store.Response) int { return b.Created.Compare(a.Created) })
	return found, nil
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
	known := errtest.Must(b.store.Responses.Recollect(b.ctx, r.Scope, []graph.MessageID{r.Replies[0].ID}))(b)
	maps.DeleteFunc(known, func(_ graph.MessageID, r store.Response) bool { return r.Gone() })
	return known
}

// whole fails the test unless each of responses is found with all its turns and tools.
func (b bench) whole(responses ...store.Response) {
	b.Helper()
	for _, r := range responses {
		found, err := b.byPath(r)
		b.same(found, err, r)
		turns := errtest.Must(b.store.Responses.Turns(b.ctx, found[0]))(b)
		tools := errtest.Must(b.store.Responses.Tools(b.ctx, found[0]))(b)
		if !reflect.DeepEqual(turns, r.Path) || !reflect.DeepEqual(tools, r.Tools) {
			b.Fatalf("the turns and tools of the response to %d are\n%+v %+v, want\n%+v %+v", r.Trigger, turns, tools, r.Path, r.Tools)
		}
	}
}

func foundByAll(b bench) {
	temperature := 0.0
	r := response(home, 1, said("Ann\u0000é", ""), path.Turn{Role: path.RoleUser, Speaker: "Bob", Parts: []path.Part{
		path.Text("look, what time is it?"),
		path.Image{Content: path.Content{Attachment: 9, Size: 3}, Type: "image/png"},
		path.File{Content: path.Content{Hash: path.Hash{1}}, Name: "f", Type: "text/plain", Text: "x"},
	}}, path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "1", Name: "f", Arguments: `{"a":9007199254740993}`}}},
		path.Turn{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "1", Name: "f", Parts: []path.Part{path.Text("ok")}}}}, said("Bob", "well?"))
	r.Options = path.Options{Temperature: &temperature, MaxTokens: 50, Stop: []string{"\n"}}
	r.Tools = []path.Tool{{Name: "clock", Description: "tells the time", Schema: `{"type":"object"}`}}
	r.PathHash = hash(r)
	r.Usage = store.Usage{Prompt: 10, Completion: 5, Cached: 3}
	rank := 0.625
	r.Confidence = &store.Confidence{Value: 0.75, Method: "logprobs", Tokens: 5, Min: 0.1, Rank: &rank}
	r.Checkpoint, r.Summary, r.CacheKey, r.Dropped = 2, 5, "key", 9
	r.Cut, r.Files = 3, []path.Artifact{{Attachment: 4, Message: 4999, Name: "b.png"}}
	r.Transcript = []path.Turn{answered("said")}
	r.Artifacts = []store.Artifact{{Artifact: path.Artifact{Attachment: 5, Message: 5000, Name: "a.png"}, Title: "a", Type: "image/png", Size: 9}}
	r.Replies = append(r.Replies, store.Reply{ID: 5001, Text: "part two"})
	b.save(r, r)
	b.whole(r)
	completed := b.only(r) // as it is read, which has no tools
	completed.Path = r.Path
	b.save(completed)
	b.whole(r)
	if root := b.only(r).Root; root != completed.Root {
		b.Errorf("the root of a response that was read and saved again is %s, want %s", root, completed.Root)
	}
	found, err := b.store.Responses.ByTrigger(b.ctx, home, r.Trigger)
	b.same(found, err, r)
	sent := errtest.Must(b.store.Responses.Recollect(b.ctx, home, []graph.MessageID{5000, 5001, 5002}))(b)
	if len(sent) != 2 {
		b.Fatalf("%d of two replies and a stranger are found, want 2", len(sent))
	}
	b.same([]store.Response{sent[5000], sent[5001]}, nil, r, r)
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

// pathEnds ends a response, and saves it once more.
func pathEnds(b bench) {
	first := response(home, 1, said("Ann", "hi"))
	second := response(home, 1, said("Ann", "hi"), answered("hello"), said("Ann", "and?"))
	b.save(first)
	b.subject.Advance(29 * 24 * time.Hour)
	b.whole(first)
	sentAgain := b.only(first)
	record := b.raw(home, "r"+string(sentAgain.ID[:])).Name
	sentAgain.Path = first.Path
	sentAgain.Replies = append(sentAgain.Replies, store.Reply{ID: 7777})
	b.save(second, sentAgain)
	b.subject.Advance(6 * 24 * time.Hour)
	b.gone(first)
	if b.engineHas(home, record)[0] != nil {
		b.Error("a record that was saved again outlives what leads to it, want it to end with that")
	}
	for left := 1; left > 0; {
		left = errtest.Must(b.subject.Engine.Sweep(b.ctx))(b)
	}
	b.gone(first)
	b.whole(second)
	b.save(first)
	b.whole(first)
}

// fewEntries keeps an answer that was made from many messages, of which an hour brought most,
// and sends it.
func fewEntries(b bench) {
	const messages, people = 60, 4
	r := Example(home, graph.FirstMessageID(b.subject.Now()))
	r.Sources = nil
	for i := range messages {
		r.Sources = append(r.Sources, store.SourceRef{Message: r.Trigger - graph.MessageID(i)<<40, Channel: general, Author: person("Ann") + graph.UserID(i%people)})
	}
	const each = 7 // record, path, list of all; by channel, question and path; the scope's own list of channels
	sent := r.Replies
	r.Replies, r.ID = nil, store.ResponseID{1}
	b.save(Example(home, 1)) // begins the store
	before := len(b.entries())
	b.save(r)
	kept := b.entries()
	if buckets := len(kept) - before - each - people; buckets > 1+messages>>4+1 {
		b.Errorf("an answer takes %d entries for the messages that it was made from, want one for each 70 minutes", buckets)
	}
	r.Replies = sent
	b.save(r)
	changed := 0
	for _, entry := range b.entries() {
		if !slices.ContainsFunc(kept, func(other store.Entry) bool {
			return other.Key == entry.Key && other.Member == entry.Member && bytes.Equal(other.Value, entry.Value)
		}) {
			changed++
		}
	}
	if changed != 2 {
		b.Errorf("%d entries change when the answer was sent, want the record and what leads from the reply to it", changed)
	}
	forget(b, []graph.MessageID{r.Trigger - 5<<40 + 1}) // one between two of them
	b.whole(r)
	forget(b, []graph.MessageID{r.Trigger - 5<<40})
	b.gone(r)
}

func cancelled(b bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	for range 2 {
		b.ends("saving", b.store.Responses.Save(ctx, response(home, 1, said("Ann", "hi"))), context.Canceled)
	}
	unsaved(b, 1)
	_, err := ByPath(ctx, b.store, Example(home, 1))
	b.ends("looking up", err, context.Canceled)
}

// untilRefused makes three changes at once, of which the second is refused.
func untilRefused(b bench) {
	change := func(name string, refused error) store.Change {
		return store.Change{Scope: home, Make: func(store.Reader) ([]store.Write, error) {
			return []store.Write{{Kind: store.WritePut, Name: name, Value: "x", TTL: time.Hour}}, refused
		}}
	}
	err := b.subject.Engine.Update(b.ctx, change("first", nil), change("second", store.ErrHeld), change("third", nil))
	values := b.engineHas(home, "first", "second", "third")
	if !errors.Is(err, store.ErrHeld) || values[0] == nil || values[1] != nil || values[2] != nil {
		b.Errorf("three changes end with %v and %q, want %v and the first alone", err, values, store.ErrHeld)
	}
}

func damaged(b bench) {
	r := response(home, 1, said("Ann", "hi"))
	b.save(r)
	found := errtest.Must(b.byPath(r))(b)
	key := b.raw(home, "r"+string(found[0].ID[:]))
	value := b.engineHas(key.Scope, key.Name)[0]
	for _, at := range []int{1, len(value) / 2, len(value) - 1} {
		flipped := append([]byte(nil), value...)
		flipped[at] ^= 4
		b.put(key, flipped)
		b.gone(r)
		shown := errtest.Must(b.store.Responses.Recollect(b.ctx, home, []graph.MessageID{r.Replies[0].ID}))(b)[r.Replies[0].ID]
		if !shown.Gone() {
			b.Errorf("a message whose record is damaged shows %+v, want an answer that is gone", shown)
		}
	}
	b.put(key, value[:3])
	b.gone(r)
	if rejected := b.store.Stats().Damaged; rejected != 15 {
		b.Errorf("%d damaged entries are counted, want 15", rejected)
	}
	b.save(r)
	b.whole(r)
	b.put(key, value[:3])
	superseded(b, r.Trigger, b.subject.Now())
	if b.engineHas(key.Scope, key.Name)[0] != nil {
		b.Error("a damaged record stays after what it was made from was edited, want it erased")
	}
}

func (b bench) put(key store.Key, value []byte) {
	b.Helper()
	b.writes(key.Scope, store.Write{Kind: store.WritePut, Name: key.Name, Value: string(value), TTL: time.Hour})
}

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

// finds fails the test unless Find finds these responses, one at most.
func (b bench) finds(want store.Want, responses ...store.Response) {
	b.Helper()
	response, found, err := b.store.Responses.Find(b.ctx, want)
	var all []store.Response
	if found {
		all = append(all, response)
	}
	b.same(all, err, responses...)
}

func findFits(b bench) {
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
		b.finds(wanting(r))
	}
	b.save(r)
	b.finds(wanting(r), r)
	young := wanting(r)
	young.MaxAge = time.Minute
	b.finds(young)
}

// fromSummary returns a response to a message of Bob's, on a path with a summary of
// Ann's words.
func fromSummary(summary store.Response, trigger graph.MessageID, text string) store.Response {
	r := response(summary.Scope, trigger, said("Bob", text))
	r.Summary = summary.SummaryID()
	r.Sources = append(r.Sources, store.SourceRef{Channel: general, Author: person("Ann")})
	return r
}

// summaries checks that a summary is erased together with the messages that it was made
// from, and that everything made from the summary is erased as well, even if it is in
// progress.
func summaries(b bench) {
	summary := response(home, 1, said("Ann", "secret"))
	summary.Summarises = 1
	summary.Replies = nil
	id := summary.SummaryID()
	answer, later, apart := fromSummary(summary, 50, "and?"), fromSummary(summary, 60, "well?"), response(home, 70, said("Cyd", "weather?"))
	errtest.None(b, b.store.Responses.Save(b.ctx, summary))
	b.save(answer, apart)
	if asked, err := b.store.Responses.ByTrigger(b.ctx, home, summary.Trigger); err != nil || len(asked) != 0 {
		b.Errorf("ByTrigger finds %d summaries, %v, want none", len(asked), err)
	}
	if kept, found, err := b.store.Responses.Summary(b.ctx, home, id); err != nil || !found || kept.Text != summary.Text {
		b.Errorf("Summary returns %+v, %v, %v, want the summary", kept, found, err)
	}
	forget(b, []graph.MessageID{1})
	b.gone(answer)
	b.whole(apart)
	if kept, found, err := b.store.Responses.Summary(b.ctx, home, id); err != nil || found {
		b.Errorf("an erased summary is %+v, %v, want none and no error", kept, err)
	}
	b.ends("saving what was being made from the summary", b.store.Responses.Save(b.ctx, later), store.ErrForgotten)
}

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
		errtest.None(b, b.store.Responses.Show(b.ctx, home, []graph.MessageID{reply}, alternatives[i].ID))
		errtest.None(b, b.store.Responses.Show(b.ctx, home, []graph.MessageID{reply}, alternatives[i].ID))
		b.same([]store.Response{b.byReply(older)[reply]}, nil, want)
	}
	b.ends("showing another scope's", b.store.Responses.Show(b.ctx, "g2", []graph.MessageID{reply}, alternatives[0].ID), store.ErrForgotten)
}

func standing(b bench) {
	r := Example(home, 1)
	b.save(r)
	id := b.only(r).ID
	parts := func(of graph.MessageID, want ...graph.MessageID) {
		b.Helper()
		got := errtest.Must(b.store.Responses.Parts(b.ctx, home, of))(b)
		if !slices.Equal(got, want) {
			b.Errorf("the parts of the answer around %d are %v, want %v", of, got, want)
		}
	}
	reply := r.Replies[0].ID
	parts(reply)
	errtest.None(b, b.store.Responses.Show(b.ctx, home, []graph.MessageID{reply, reply + 5, reply + 9}, id))
	parts(reply+9, reply, reply+5, reply+9)
	errtest.None(b, b.store.Responses.Show(b.ctx, home, []graph.MessageID{reply, reply + 5}, id))
	parts(reply, reply, reply+5)
	found, _, err := b.store.Responses.ByReply(b.ctx, home, reply+5)
	b.same([]store.Response{found}, err, r)
	if got, err := b.store.Responses.Parts(b.ctx, "g2", reply); err != nil || len(got) != 0 {
		b.Errorf("another scope has the parts %v, %v, want none and no error", got, err)
	}
}

// since checks Since for a store that is opened several times, damaged and lost.
func since(b bench) {
	began := b.subject.Now().Truncate(time.Millisecond)
	at := errtest.Must(b.store.Backlog.Since(b.ctx))(b)
	if at.Before(began) {
		b.Errorf("an empty store remembers from %v on, want %v", at, began)
	}
	b.subject.Advance(time.Hour)
	errtest.None(b, b.store.Ping(b.ctx))
	if again, err := b.store.Backlog.Since(b.ctx); err != nil || again.Before(began) || again.After(began.Add(30*time.Minute)) {
		b.Errorf("an hour later it remembers from %v on, want %v, %v", again, began, err)
	}
	b.put(b.raw(store.ScopeMeta, "since"), []byte("damaged"))
	if at, err := b.store.Backlog.Since(b.ctx); err != nil || at.Before(began.Add(time.Hour)) {
		b.Errorf("after damage the store remembers since %v, want since now, %v", at, err)
	}
	b.writes(store.ScopeMeta, store.Write{Kind: store.WriteDelete, Name: b.raw(store.ScopeMeta, "since").Name})
	if at, err := b.store.Backlog.Since(b.ctx); err != nil || at.Before(began.Add(time.Hour)) {
		b.Errorf("after a loss the store remembers since %v, want since now, %v", at, err)
	}
}
