package conversation

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"heddle/bot/sources"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// recollected is what the store knows of answers.
type recollected map[graph.MessageID]store.Response

// Recollect implements sources.Responses.
func (r recollected) Recollect(context.Context, store.Scope, []graph.MessageID) (map[graph.MessageID]store.Response, error) {
	return r, nil
}

// TestWhatIsFulfilledIsNotRecalled recalls two questions whose answers hold a file. By its
// record, the second answer made its file.
func TestWhatIsFulfilledIsNotRecalled(t *testing.T) {
	var matches []match
	for _, id := range []graph.MessageID{10, 20} {
		matches = append(matches, match{id, []graph.Message{
			{ID: id, Channel: 2, Author: 3, Text: "a loom?"},
			{ID: id + 1, Channel: 2, Author: 9, Origin: graph.OriginSelf, Answers: id, Attachments: []graph.Attachment{{ID: 5, Name: "loom.png"}}},
		}})
	}
	given := store.Output{Text: "Here.", FinishReason: llm.FinishStop}
	made := given
	made.Artifacts = []store.Artifact{{Artifact: path.Artifact{Message: 21, Attachment: 5, Name: "loom.png"}}}
	rule := &sources.Rule{People: sources.Everybody{}, Log: slog.New(slog.DiscardHandler)}
	past := sources.NewReader(nil, recollected{11: {Output: given}, 21: {Output: made}}, rule).For(sources.Asker{})
	recalled, err := recaller{new(Preparer)}.quotable(t.Context(), matches, &Prepared{Graph: &graph.Graph{Trigger: graph.Message{ID: 99, Text: "and now?"}}, Past: past})
	var ids []graph.MessageID
	for i := range recalled {
		ids = append(ids, recalled[i].ID)
	}
	if want := []graph.MessageID{10, 11}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("recalled are %v, %v, want %v", ids, err, want)
	}
}
