package conversation

import (
	"slices"
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

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
	from := &Preparer{deps: Deps{People: guilds.NewPeople(nil, nil, nil)}}
	past := from.Past(Asker{})
	past.said = map[graph.MessageID]said{11: {store.Response{Output: given}, usable}, 21: {store.Response{Output: made}, usable}}
	recalled, err := recaller{from}.quotable(t.Context(), matches, &Prepared{Graph: &graph.Graph{Trigger: graph.Message{ID: 99, Text: "and now?"}}, Past: past})
	var ids []graph.MessageID
	for i := range recalled {
		ids = append(ids, recalled[i].ID)
	}
	if want := []graph.MessageID{10, 11}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("recalled are %v, %v, want %v", ids, err, want)
	}
}
