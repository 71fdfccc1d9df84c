package storetest

import (
	"bytes"
	"math"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// withTools returns a response with tool calls, whose results contain secret.
func withTools(secret string) store.Response {
	r := response(home, 1, said("Ann", "what did Bob say?"))
	r.Text = "Look:\n\n```Go\nx := 1\n```\nHe said it."
	r.ResponseHash = path.ResponseHash(r.Text, r.FinishReason)
	r.Code = []store.CodeBlock{{Language: "go", From: 13, Size: 7}}
	r.Transcript = store.Turns{
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "search_channel", Arguments: `{"person":"Bob"}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "search_channel", Parts: []path.Part{path.Text(secret)}}}},
		answered(r.Text),
	}
	r.Requests = []store.Request{{Hash: path.RequestHash([]byte("one"))}, {Hash: path.RequestHash([]byte("two")), Turns: 2, Without: []string{"tools"}}}
	branch := store.Branch{Call: "c1", Turns: store.Turns{said("assistant", "condense")}, Text: "short", FinishReason: "stop"}
	branch.PathHash = path.Path{Turns: branch.Turns, Options: branch.Options}.Hash()
	branch.ResponseHash = path.ResponseHash(branch.Text, branch.FinishReason)
	r.Branches = []store.Branch{branch}
	r.Sources = append(r.Sources, store.SourceRef{Message: 77, Channel: general, Author: person("Bob")})
	r.TimeBound = true
	return r
}

// transcripts checks that the results of tools are stored, verified and erased.
func transcripts(b bench) {
	const secret = "the password is hunter2"
	r := withTools(secret)
	b.save(r)
	found, err := b.byPath(r)
	b.same(found, err, r)
	if faults := b.verify(1, 2, 0); len(faults) != 0 {
		b.Errorf("the faults are %v, want none", faults)
	}
	forget(b, []graph.MessageID{77})
	b.gone(r)
	_, err = b.subject.Engine.Sweep(b.ctx)
	b.must(err)
	if bytes.Contains(b.subject.Dump(), []byte(secret)) {
		b.Error("the result of a tool is still stored")
	}
}

func verifiedBranch(b bench) {
	r := withTools("nothing")
	r.Branches[0].Text = "something else"
	b.save(r)
	if faults := b.verify(0, 2, 0); len(faults) != 1 {
		b.Errorf("the faults are %v, want one", faults)
	}
}

func measured(b bench) {
	ratios(b)
	ranked(b)
}

// ratios checks the stored ratios of token counts.
func ratios(b bench) {
	for i := range 40 {
		all, err := b.store.Measures.AddRatio(b.ctx, "m", float64(i)/4)
		b.must(err)
		if len(all) != min(i+1, 32) || all[len(all)-1] != float64(i)/4 {
			b.Fatalf("after %d ratios the last are %v, want the last 32 at most, up to %v", i+1, all, float64(i)/4)
		}
	}
	kept, err := b.store.Measures.Ratios(b.ctx, "m")
	b.must(err)
	if len(kept) != 32 || kept[0] != 2 || kept[31] != 9.75 {
		b.Errorf("the stored ratios are %v, want 32 from 2 to 9.75", kept)
	}
	if other, err := b.store.Measures.Ratios(b.ctx, "other"); err != nil || len(other) != 0 {
		b.Errorf("another model has the ratios %v, %v, want none", other, err)
	}
}

// ranked checks the ranks of confidences.
func ranked(b bench) {
	rank := func(model string, confidence float64) float64 {
		b.Helper()
		share, err := b.store.Measures.Rank(b.ctx, model, confidence)
		b.must(err)
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
