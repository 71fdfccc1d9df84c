package storetest

import (
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

func chosenOnes(b bench) {
	first, second := Example(home, 1), Example(home, 1)
	second.ID, second.Text, second.Created = store.ResponseID{2}, "another answer", first.Created.AddDate(0, 0, 1)
	second.ResponseHash = path.ResponseHash(second.Text, second.FinishReason)
	second.Replies = []store.Reply{{ID: first.Replies[0].ID, Text: second.Text}}
	b.save(first, second)
	replies := []graph.MessageID{first.Replies[0].ID, 12345}
	if chosen, err := b.store.Displays.Chosen(b.ctx, home, replies); err != nil || len(chosen) != 0 {
		b.Errorf("chosen are %v, %v before anybody chose, want none and no error", chosen, err)
	}
	b.must(b.store.Displays.Show(b.ctx, home, replies[:1], second.ID))
	if chosen, err := b.store.Displays.Chosen(b.ctx, home, replies); err != nil || !slices.Equal(chosen, []store.ResponseID{second.ID}) {
		b.Errorf("chosen are %v, %v, want %v and no error", chosen, err, second.ID)
	}
	if chosen, err := b.store.Displays.Chosen(b.ctx, "g2", replies); err != nil || len(chosen) != 0 {
		b.Errorf("chosen in another scope are %v, %v, want none and no error", chosen, err)
	}
}
