package store

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
	goldenfile "heddle/internal/golden"
)

// golden is a response with every stored field set.
func golden() Response {
	rank := 0.75
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	r := Response{
		ID: ResponseID{1, 2, 3},
		Standing: Standing{
			Scope: "g1.c5", Channel: 5, Trigger: 7, Asked: []graph.MessageID{4},
			Replies:    []Reply{{ID: 8, Text: "two"}, {ID: 9, Text: "parts"}, {ID: 10, Text: "elsewhere"}},
			Generation: 2, Reply: 6, Notice: "a notice", Self: 99, Created: at, Reuses: ResponseID{7}, Reused: at.Add(time.Hour),
		},
		Input: Input{
			RequestHash: path.Hash{2}, FactsHash: path.Hash{4},
			Path:  []path.Turn{{Role: path.RoleUser, Speaker: "Ann", Parts: []path.Part{path.Text("hi")}}},
			Model: "m", Options: path.Options{MaxTokens: 10}, Tail: "Today is Friday.", Without: []string{"logprobs"}, Pictures: []path.Hash{{5}},
			Sources: []SourceRef{{Message: 7, Channel: 5, Author: 3, Edited: at.Truncate(time.Microsecond), Position: 1}, {Message: 6, Channel: 4, Author: 2}},
		},
		Lineage: Lineage{
			Continues: ResponseID{9}, CacheKey: "key", Cut: 4, Checkpoint: 3,
			Files: []path.Artifact{{Attachment: 12, Message: 4, Name: "plan.md"}},
		},
		Output: Output{
			ResponseHash: path.ResponseHash("two\nparts", "stop"), Text: "two\nparts", FinishReason: "stop",
			Usage:      Usage{Prompt: 1, Completion: 2, Cached: 3},
			Confidence: &Confidence{Value: 0.9, Method: "logprobs", Tokens: 4, Min: 0.1, Rank: &rank},
			Reported:   "m-2026", Fingerprint: "fp",
			Artifacts:  []Artifact{{Artifact: path.Artifact{Attachment: 11, Message: 8, Name: "a.png"}, Title: "a", Type: "image/png", Size: 12}},
			Transcript: []path.Turn{{Role: path.RoleAssistant, Parts: []path.Part{path.Text("two\nparts")}}},
			Requests:   []Request{{Hash: path.Hash{2}, Turns: 0, Without: []string{"images"}}},
			Owes:       2,
			Branches:   []Branch{{Call: "c1", Turns: []path.Turn{}, Text: "t", FinishReason: "stop", Usage: Usage{Prompt: 1}}},
			TimeBound:  true,
		},
	}
	r.PathHash = path.Path{Turns: r.Path, Tools: r.Tools, Options: r.Options}.Hash()
	return r
}

// TestARecordChangesWithTheSchemaAlone compares the stored form with that of the schema.
func TestARecordChangesWithTheSchemaAlone(t *testing.T) {
	want := golden()
	want.complete()
	record := errtest.Must(want.encode())(t)
	goldenfile.Check(t, "testdata/record.json", record)
	got, err := decodeResponse(Key{want.Scope, recordName(want.ID)}, []byte(record))
	want.Path, want.Tools = nil, nil
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("it decodes as %+v, %v\nwant %+v", got, err, want)
	}
}

func TestClaimKeysNeverCollide(t *testing.T) {
	const id = 1 << 62
	at := time.Unix(1, 0)
	seen := make(map[ClaimKey]bool)
	for _, key := range []ClaimKey{
		TriggerClaim(id), NoticeClaim(id), CheckClaim(id), CheckClaim(0), IdentifyClaim(1),
		WelcomeClaim(id, at), WelcomeClaim(id, at.Add(time.Microsecond)), WelcomeClaim(id+1, at),
	} {
		if seen[key] || len(key.scope) > 64 || !strings.HasPrefix(string(key.scope), "_") {
			t.Errorf("the key %s is taken, too long or a scope of callers, want one of its own below _", key)
		}
		seen[key] = true
	}
}

// BenchmarkExpensiveRecord reads records that are none.
func BenchmarkExpensiveRecord(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = decodeResponse(Key{"g1", "r"}, []byte(text))
	})
}

// TestAFullEngineHasRoomOnceItRefusesNothingForAWhile notes the results of writes.
func TestAFullEngineHasRoomOnceItRefusesNothingForAWhile(t *testing.T) {
	var h health
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for i, write := range []struct {
		after time.Duration
		err   error
		full  bool
	}{
		{0, nil, false},
		{0, ErrFull, true},
		{roomAfter - 1, nil, true},
		{0, ErrFull, true},
		{roomAfter - 1, nil, true},
		{1, nil, false},
	} {
		now = now.Add(write.after)
		if _, state := h.note(true, write.err, now); state.full != write.full || state.away {
			t.Errorf("after write %d it is %+v, want full %t", i+1, state, write.full)
		}
	}
}
