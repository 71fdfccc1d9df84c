package storetest

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

func walked(b bench) {
	var saved []store.Response
	for i := range graph.MessageID(70) {
		r := response(home, 1000+10*i, said("Ann", "question "+i.String()))
		r.Sources = append(r.Sources, store.SourceRef{Message: 1, Channel: general, Author: 3})
		saved = append(saved, r)
	}
	again := saved[0]
	b.save(saved...)
	again = b.again(again)
	b.save(again, response("g2", 1, said("Ann", "hi")))
	forget(b, ids(saved[1])[:1])
	saved = append(slices.Delete(saved, 1, 2), again)
	var met []store.Response
	for r, err := range b.store.Archive.All(b.ctx, home) {
		errtest.None(b, err)
		met = append(met, r)
	}
	if !slices.IsSortedFunc(met, func(a, b store.Response) int { return bytes.Compare(a.ID[:], b.ID[:]) }) {
		b.Error("a walk does not meet the responses in the order of their ids")
	}
	byTrigger := func(a, b store.Response) int { return int(a.Trigger) - int(b.Trigger) } //nolint:gosec // small
	slices.SortFunc(met, byTrigger)
	slices.SortFunc(saved, byTrigger)
	b.same(met, nil, saved...)
	for _, err := range b.store.Archive.All(b.ctx, home) {
		errtest.None(b, err)
		break // and the walk ends
	}
	scopes := errtest.Must(b.store.Archive.Scopes(b.ctx))(b)
	if !slices.Equal(scopes, []store.Scope{home, "g2"}) {
		b.Errorf("the scopes are %v, want %v", scopes, []store.Scope{home, "g2"})
	}
	messages := make([]graph.MessageID, 100) // of which the last has more to be erased than one round can hold
	for i := range messages {
		messages[i] = graph.MessageID(100 - i)
	}
	forget(b, messages)
	if left := walk(b, home); len(left) != 1 {
		b.Errorf("%d responses are left, want the one that was given again", len(left))
	}
}

// verify returns the faults of a scope by response, and the number of responses without one.
func (b bench) verify(scope store.Scope) (faults map[store.ResponseID]error, fit int) {
	b.Helper()
	faults = make(map[store.ResponseID]error)
	for r, err := range b.store.Archive.Verify(b.ctx, scope) {
		switch {
		case err == nil:
			fit++
		case errors.Is(err, store.ErrCorrupt):
			faults[r.ID] = err
		default:
			b.Error(err)
		}
	}
	return faults, fit
}

// verifies returns the faults in the home scope, and checks the number of responses without
// one and that of tombstones.
func (b bench) verifies(responses, tombstones int) map[store.ResponseID]error {
	b.Helper()
	faults, fit := b.verify(home)
	if stones := errtest.Must(b.store.Archive.Tombstones(b.ctx, home))(b); fit != responses || stones != tombstones {
		b.Errorf("%d responses match their hashes, and there are %d tombstones; want %d, %d", fit, stones, responses, tombstones)
	}
	return faults
}

func verified(b bench) {
	first := response(home, 1, said("Ann", "hi"), said("Bob", "and?"))
	second := response(home, 50, said("Cyd", "weather?"))
	third := response(home, 60, said("Dan", "news?"))
	b.save(first, second, third)
	if faults := b.verifies(3, 0); len(faults) != 0 {
		b.Fatalf("responses that were just saved have the faults %v, want none", faults)
	}
	forget(b, ids(third))
	if faults := b.verifies(2, 1); len(faults) != 0 {
		b.Fatalf("responses that a deletion left have the faults %v, want none", faults)
	}
	id := b.only(first).ID
	key := b.raw(home, "tr"+string(id[:]))
	value := b.engineHas(key.Scope, key.Name)[0]
	value[len(value)-3] ^= 1
	b.put(key, value)
	faults := b.verifies(1, 1)
	if fault := faults[id]; len(faults) != 1 || fault == nil || !strings.Contains(fault.Error(), "its path") {
		b.Errorf("the faults are %v", faults)
	}
	id = b.only(second).ID
	b.put(b.raw(home, "r"+string(id[:])), []byte("damaged"))
	if faults := b.verifies(0, 1); faults[id] == nil || strings.Contains(faults[id].Error(), "its path") {
		b.Errorf("the faults are %v", faults)
	}
}

// withTools returns a response with tool calls, whose results contain secret.
func withTools(secret string) store.Response {
	r := response(home, 1, said("Ann", "what did Bob say?"))
	r.Text = "Look:\n\n```Go\nx := 1\n```\nHe said it."
	r.ResponseHash = path.ResponseHash(r.Text, r.FinishReason)
	r.Transcript = []path.Turn{
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "search_channel", Arguments: `{"person":"Bob"}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "search_channel", Parts: []path.Part{path.Text(secret)}}}},
		answered(r.Text),
	}
	r.Requests = []store.Request{{Hash: path.RequestHash([]byte("one"))}, {Hash: path.RequestHash([]byte("two")), Turns: 2, Without: []string{"tools"}}}
	branch := store.Branch{Call: "c1", Turns: []path.Turn{said("assistant", "condense")}, Text: "short", FinishReason: "stop"}
	branch.PathHash = path.Path{Turns: branch.Turns, Options: branch.Options}.Hash()
	branch.ResponseHash = path.ResponseHash(branch.Text, branch.FinishReason)
	r.Branches = []store.Branch{branch}
	r.Sources = append(r.Sources, store.SourceRef{Message: 77, Channel: general, Author: person("Bob")})
	r.TimeBound = true
	return r
}

// verifiedTexts saves a response whose text does not fit its hash, and one with such a branch.
func verifiedTexts(b bench) {
	text, branch := response(home, 1, said("Ann", "hi")), withTools("nothing")
	text.ResponseHash[0]++
	branch.Branches[0].Text = "something else"
	b.save(text, branch)
	if faults := b.verifies(0, 0); len(faults) != 2 {
		b.Errorf("the faults are %v, want two", faults)
	}
}

// ranked checks the ranks of confidences.
func ranked(b bench) {
	rank := func(model string, confidence float64) float64 {
		b.Helper()
		share := errtest.Must(b.store.Responses.Rank(b.ctx, model, confidence))(b)
		if share == nil {
			return -1
		}
		return *share
	}
	for i := range 20 {
		if got := rank("m", float64(i)/20); got != -1 {
			b.Fatalf("after %d answers the rank is %v, want unknown", i, got)
		}
	}
	for _, test := range []struct{ confidence, want float64 }{
		{2, -1}, {math.NaN(), -1}, {math.Inf(-1), -1}, // not valid confidences, and not stored
		{1, 1}, {0, 0}, {0.5, (11.0 + 0.5) / 22},
	} {
		if got := rank("m", test.confidence); math.Abs(got-test.want) > 1e-9 {
			b.Errorf("the rank of %v is %v, want %v", test.confidence, got, test.want)
		}
	}
	if got := rank("other", 0.5); got != -1 {
		b.Errorf("another model's answers count: %v, want %v", got, -1)
	}
	for range 200 {
		rank("m", 0.9)
		rank("always 0.95", 0.95)
		rank("always 0.3", 0.3)
	}
	for model, want := range map[string]float64{"always 0.95": 0.95, "always 0.3": 0.3} {
		if got := rank(model, want); math.Abs(got-want) > 1e-6 {
			b.Errorf("the rank of a confidence that is %s is %v, want %v", model, got, want)
		}
	}
	if got := rank("m", 0.95); got != 1 {
		b.Errorf("more than the last 200 count: %v, want 1", got)
	}
}

// sourcesOf saves three hundred responses, the last thirty of them later, in two scopes.
func sourcesOf(b bench) {
	for n := range graph.MessageID(300) {
		if n == 270 {
			b.subject.Advance(9 * 24 * time.Hour) // engines may round when entries expire
		}
		scope := home
		if n%2 == 0 {
			scope = "g1.c5"
		}
		b.save(Example(scope, n+1))
	}
	engine := &counting{Engine: b.subject.Engine}
	b.subject.Engine = engine
	b = newBench(b.T, b.subject)
	edited := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	own := Example(home, 400)
	own.Sources = []store.SourceRef{
		{Message: 400, Channel: general, Edited: edited},
		{Message: 400, Channel: general, Edited: edited.Add(-1)},
		{Message: 399, Channel: 7, Forwarded: true},
		{Message: 398, Channel: 7, Author: own.Self},
		{Channel: general, Author: 3},
	}
	all := errtest.Must(b.store.Archive.Sources(b.ctx, 30, []store.Response{own}, home, "g1.c5"))(b)
	var replies []graph.MessageID
	for _, source := range all.Messages {
		replies = append(replies, source.Message)
	}
	var want []graph.MessageID
	for trigger := graph.MessageID(300); len(want) < 30; trigger-- {
		want = append(want, 1000*trigger)
	}
	if !slices.Equal(replies, want) || !slices.Equal(all.Answers[300], []graph.MessageID{300_000}) || len(all.Answers) >= 300 {
		b.Errorf("the newest of %d questions' messages are %v, and those of one answer %v; want %v and 300000", len(all.Answers), replies, all.Answers[300], want)
	}
	if reads := engine.reads.Load(); reads > 20 {
		b.Errorf("the sources of the newest responses take %d reads, want a few", reads)
	}
	all = errtest.Must(b.store.Archive.Sources(b.ctx, 30, []store.Response{own}))(b)
	one := []store.Source{
		{Channel: general, Message: 400, Edited: edited.Add(-1)},
		{Channel: 7, Message: 399, Edited: time.Unix(1<<40, 0), Fixed: true},
		{Channel: 7, Message: 398, Fixed: true},
	}
	if !slices.Equal(all.Messages, one) {
		b.Errorf("the sources of one response are %+v, want %+v", all.Messages, one)
	}
}
