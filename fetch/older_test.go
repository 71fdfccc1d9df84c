package fetch_test

import (
	"testing"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// older calls Older and returns the messages that it saw, and how far it got.
func (w *world) older(back fetch.Back) ([]graph.MessageID, fetch.Reached) {
	w.t.Helper()
	var seen []graph.MessageID
	back.Channel = w.channel
	reached := errtest.Must(w.history.Older(w.t.Context(), back, func(page []graph.Message) bool {
		for i := range page {
			seen = append(seen, page[i].ID)
		}
		return true
	}))(w.t)
	return seen, reached
}

func TestLookingBackReadsPagesAsFarAsAllowed(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 250)
	trigger := w.say(w.ann, "heddle?")

	seen, reached := w.older(fetch.Back{Before: trigger, Pages: 10})
	w.expect("nothing held, nothing read", []any{len(seen), reached.Reads, reached.All}, []any{0, 0, false})
	seen, reached = w.older(fetch.Back{Before: trigger, Pages: 10, Reads: 2})
	w.expect("two pages", seen, reversed(ids[50:]))
	w.expect("not all", []any{reached.All, reached.Reads}, []any{false, 2})
	seen, reached = w.older(fetch.Back{Before: trigger, Pages: 1})
	w.expect("one page of what is held", seen, reversed(ids[150:]))
	w.expect("without a read, as far as it", []any{reached.Reads, reached.All, reached.Oldest.Equal(ids[150].Time())}, []any{0, false, true})
	seen, reached = w.older(fetch.Back{Before: trigger, Pages: 10, Reads: 5})
	w.expect("the whole channel", seen, reversed(ids))
	w.expect("to its start, what was held not read again", []any{reached.All, reached.Reads}, []any{true, 1})
}

func TestLookingBackEndsWhereItIsToldTo(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 30)
	until := w.now.Add(-9 * time.Minute)
	seen, reached := w.older(fetch.Back{Before: ids[29], Until: until, Pages: 3, Reads: 3})
	w.expect("since then", seen, reversed(ids[20:29]))
	w.expect("all that was wanted", reached.All, true)

	last := w.fill(w.channel, 250)[249]
	pages := 0
	reached, err := w.history.Older(t.Context(), fetch.Back{Channel: w.channel, Before: last, Pages: 3, Reads: 3}, func([]graph.Message) bool {
		pages++
		return pages < 2
	})
	w.expect("it stops when it is told to", []any{pages, reached.All, err}, []any{2, false, nil})
}

func TestLookingBackSeesAnswersOnceAndNothingDeleted(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 150)
	first := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "part one", ReplyTo: ids[40]})
	w.post(w.channel, w.bot.User, discordtest.Draft{Content: "part two", ReplyTo: first})
	w.server.Chat.Delete(w.channel, ids[100])
	trigger := w.say(w.ann, "heddle?")
	seen, reached := w.older(fetch.Back{Before: trigger, Pages: 10, Reads: 5})
	counts := map[graph.MessageID]int{}
	for _, id := range seen {
		counts[id]++
	}
	w.expect("all but the deleted", []any{len(counts), reached.All}, []any{150, true})
	w.expect("the answer once, the deleted never", []any{counts[first], counts[ids[100]], len(seen)}, []any{1, 0, 150})
}
