package fetch_test

import (
	"testing"

	"heddle/fetch"
	"heddle/graph"
)

func TestARecordIsReadThroughTheSameWindows(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 200)
	answer := ids[150]
	_, source := w.mention(ids[199])
	live := w.before(source, ids[199], 100)
	old := w.look(source, w.channel, ids[20]).Message

	var messages []graph.Message
	for _, id := range reversed(ids) {
		messages = append(messages, fetch.Render(*w.wire(w.channel, id), w.bot.User))
	}
	recorded := fetch.NewRecord()
	recorded.Add(fetch.Stretch{Messages: messages[:150], Start: false, End: true}) // the newest
	again := recorded.Mention(fetch.Place{Channel: w.channel, Trigger: ids[199]}).Source(t.Context())
	w.expect("before the trigger", w.before(again, ids[199], 100), live)
	w.expect("what is not held", w.look(again, w.channel, ids[20]).State, graph.ReferenceNotLoaded)

	recorded.Add(fetch.Stretch{Messages: messages[120:], Start: true})
	again = recorded.Mention(fetch.Place{Channel: w.channel, Trigger: ids[199]}).Source(t.Context())
	w.expect("a reference", w.look(again, w.channel, ids[20]).Message, old)
	w.expect("what the record does not hold", w.look(again, w.channel, answer+1).State, graph.ReferenceNotLoaded)
}
