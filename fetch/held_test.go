package fetch_test

import (
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

// held returns the ids of what is held before a message.
func (w *world) held(before graph.MessageID, most int) []graph.MessageID {
	w.t.Helper()
	var ids []graph.MessageID
	for _, m := range w.history.Held(w.channel, before, most) {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestWhatIsHeldIsReadFromMemoryAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.fill(w.channel, 150)
	trigger := w.say(w.ann, "heddle?")
	w.expect("nothing yet", len(w.held(trigger, 1000)), 0)
	if _, err := w.history.Older(t.Context(), fetch.Back{Channel: w.channel, Before: trigger, Pages: 2, Reads: 2}, func(*graph.Message) bool { return true }); err != nil {
		t.Fatal(err)
	}
	requests := w.history.Stats().Requests
	w.expect("all, oldest first", w.held(trigger, 1000), ids)
	w.expect("the newest", w.held(trigger, 20), ids[130:])
	w.expect("before another", w.held(ids[10], 1000), ids[:10])
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: ids[:140]})
	w.expect("without the deleted", w.held(trigger, 1000), ids[140:])
	w.expect("no reads", w.history.Stats().Requests, requests)
}
