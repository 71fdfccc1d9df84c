package store

import (
	_ "embed"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// goldenRecord is the record of golden and the turn that it links to, in hexadecimal,
// as the first version with schema 1 wrote them.
//
//go:embed testdata/record.hex
var goldenRecord string

// golden is a response with every stored field set.
func golden() Response {
	rank, calibrated := 0.75, 0.5
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	r := Response{
		ID: ResponseID{1, 2, 3},
		Standing: Standing{
			Scope: "g1.c5", Channel: 5, Trigger: 7,
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
			Files: []Artifact{{Attachment: 12, Message: 4, Name: "plan.md"}}, Shown: []graph.AttachmentID{13},
		},
		Output: Output{
			ResponseHash: path.ResponseHash("two\nparts", "stop"), Text: "two\nparts", FinishReason: "stop",
			Usage:      Usage{Prompt: 1, Completion: 2, Cached: 3},
			Confidence: &Confidence{Value: 0.9, Method: "logprobs", Tokens: 4, Min: 0.1, P5: 0.2, Rank: &rank, Calibrated: &calibrated},
			Reported:   "m-2026", Fingerprint: "fp",
			Artifacts:  []Artifact{{Attachment: 11, Message: 8, Name: "a.png", Title: "a", Type: "image/png", Size: 12}},
			Transcript: Turns{{Role: path.RoleAssistant, Parts: []path.Part{path.Text("two\nparts")}}},
			Requests:   []Request{{Hash: path.Hash{2}, Turns: 0, Without: []string{"images"}}},
			Branches:   []Branch{{Call: "c1", Text: "t", FinishReason: "stop", Usage: Usage{Prompt: 1}}},
			TimeBound:  true,
		},
	}
	r.PathHash = path.Path{Turns: r.Path, Tools: r.Tools, Options: r.Options}.Hash()
	return r
}

// TestRecordsOfSchema1StayReadable decodes bytes that an earlier heddle wrote.
func TestRecordsOfSchema1StayReadable(t *testing.T) {
	t.Parallel()
	want := golden()
	if err := want.complete(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(goldenRecord)
	var stored [2][]byte
	for i := range stored {
		value, err := hex.DecodeString(lines[i])
		if err != nil {
			t.Fatal(err)
		}
		stored[i] = value
	}
	name := recordName(want.ID)
	got, err := decodeResponse(Key{want.Scope, name}, Member{Name: name, Value: stored[0], Linked: stored[1]})
	want.Path, want.Tools = nil, nil
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("it decodes as %+v, %v\nwant %+v", got, err, want)
	}
}
