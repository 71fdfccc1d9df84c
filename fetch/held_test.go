package fetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/discord"
	"heddle/internal/errtest"
)

// sharing returns the messages before one that contain a word.
func (w *world) sharing(before graph.MessageID, word string) []graph.MessageID {
	w.t.Helper()
	words := recall.WordsOf(&graph.Message{Text: word})
	var ids []graph.MessageID
	for _, s := range w.history.Search(w.channel, before, words, nil).Find(0) {
		ids = append(ids, s.Anchor)
	}
	slices.Sort(ids)
	return ids
}

// kiln returns a word that has no prefix in common with others.
func kiln(i int) string { return fmt.Sprintf("%04dkiln", i) }

func TestWhatIsHeldIsComparedInMemoryAlone(t *testing.T) {
	w := newWorld(t)
	ids := make([]graph.MessageID, 150)
	for i := range ids {
		ids[i] = w.say(w.ann, kiln(i/3)+" fires")
	}
	trigger := w.say(w.ann, "heddle?")
	w.expect("nothing yet", len(w.sharing(trigger, kiln(20))), 0)
	errtest.Must(w.history.Older(t.Context(), fetch.Back{Channel: w.channel, Before: trigger, Pages: 2, Reads: 2}, func([]graph.Message) bool { return true }))(t)
	for i := range 50 {
		w.expect("every message", w.sharing(trigger, kiln(i)), ids[3*i:3*i+3])
	}
	w.expect("before another", w.sharing(ids[61], kiln(20)), ids[60:61])
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: ids[61:63]})
	w.expect("without the deleted", w.sharing(trigger, kiln(20)), ids[60:61])
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: ids[:130]})
	w.expect("without all that are deleted", w.sharing(trigger, kiln(20)), nil)
	w.expect("but the others", w.sharing(trigger, kiln(48)), ids[144:147])
}

// TestNewMessagesAndVersionsAreCompared adds and edits messages after the first
// question.
func TestNewMessagesAndVersionsAreCompared(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.hear(w.say(w.ann, fmt.Sprint("cup ", i)))
	}
	w.expect("nothing yet", w.sharing(1<<62, "kiln"), nil)
	id := w.say(w.ann, "the kiln")
	w.hear(id)
	w.expect("a new one", w.sharing(1<<62, "kiln"), []graph.MessageID{id})
	m := w.server.Chat
	errtest.None(t, m.Edit(w.channel, id, "the oven"))
	w.history.Update(w.wire(w.channel, id))
	w.expect("not as it was", w.sharing(1<<62, "kiln"), nil)
	w.expect("as it is now", w.sharing(1<<62, "oven"), []graph.MessageID{id})
	w.history.Forget(w.channel)
	w.expect("nothing that is forgotten", w.sharing(1<<62, "oven"), nil)
}

// noCaller is a Caller that fails, for logs that must not read.
type noCaller struct{}

func (noCaller) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, errors.New("read while warm")
}

// chat returns the i-th message of a channel. It has 60 characters, and every fourth
// message is a reply.
func chat(i int) *discord.Message {
	m := &discord.Message{
		ID: graph.MessageID(i+1) << 22, Channel: 1, Whole: true,
		Author:  discord.User{ID: graph.UserID(i%40 + 1), Name: fmt.Sprint("person ", i%40)},
		Content: fmt.Sprintf("this is line %8d of a channel where people say things.", i),
	}
	m.Time = m.ID.Time()
	if i%4 == 0 && i > 20 {
		m.Type = discord.TypeReply
		m.Reference = &discord.Reference{Message: graph.MessageID(i-10) << 22, Channel: 1}
	}
	return m
}

// TestTheBoundOfLogsIsThatOfTheMemory fills the logs of many channels far over a bound, and
// measures what they hold.
func TestTheBoundOfLogsIsThatOfTheMemory(t *testing.T) {
	const bound = 16 << 20
	before := inUse()
	h := fetch.NewBounded(noCaller{}, 10_000, bound)
	for n := range 100_000 {
		m := chat(n)
		m.Channel = graph.ChannelID(n%50 + 1)
		h.Create(m)
	}
	held := inUse() - before
	if _, counted := h.Held(); counted > bound || held > bound {
		t.Errorf("%d bytes are counted and %d held, want at most %d", counted, held, bound)
	}
	runtime.KeepAlive(h)
}

// inUse returns the bytes of heap in use after garbage was collected. What sync.Pools hold
// survives the first collection.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
