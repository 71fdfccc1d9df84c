package fetch_test

import (
	"net/http"
	"testing"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func TestAColdChannelCostsOneReadAndAWarmOneNone(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 150)
	trigger := w.say(w.ann, "heddle?")
	w.hear(trigger)
	m, source := w.mention(trigger)
	stretch := w.before(source, trigger, 100)
	w.expect("the last hundred", idsOf(stretch.Messages), reversed(ids[50:]))
	w.expect("the end of a full stretch", stretch.End, graph.EndNone)
	w.expect("reads when cold", m.Reads(), 1)
	w.before(source, trigger, 30)
	w.expect("reads after another walk", m.Reads(), 1)
	other := graph.Walk{Channel: w.channel + 1, From: graph.Position{Anchor: trigger, Message: trigger}, Limit: 30}
	w.expect("the end of a walk from what was not looked up", read(t, source, graph.Batch{Walks: []graph.Walk{other}}).Stretches[0].End, graph.EndUnread)

	next := w.say(w.bob, "and now?")
	w.hear(next)
	m, source = w.mention(next)
	stretch = w.before(source, next, 100)
	w.expect("the newest is the former trigger", stretch.Messages[0].ID, trigger)
	w.expect("reads when warm", m.Reads(), 0)
	w.expect("length", len(stretch.Messages), 100)
	far := w.before(source, next, 500)
	w.expect("no further than a page, warm or cold", []any{len(far.Messages), far.End}, []any{100, graph.EndUnread})
}

func TestAShortChannelIsKnownToItsStart(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 7)
	w.hear(ids[6])
	m, source := w.mention(ids[6])
	stretch := w.before(source, ids[6], 100)
	w.expect("messages", idsOf(stretch.Messages), reversed(ids[:6]))
	w.expect("end", stretch.End, graph.EndChannel)
	again, source := w.mention(ids[6])
	w.before(source, ids[6], 100)
	w.expect("reads", []int{m.Reads(), again.Reads()}, []int{1, 0})
}

func TestAReferenceOutsideCostsOneReadWithItsNeighbours(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 400)
	old := ids[100]
	trigger := w.post(w.channel, w.ann, discordtest.Draft{Content: "this?", ReplyTo: old})
	w.hear(trigger)
	m, source := w.mention(trigger)
	w.before(source, trigger, 100)
	found := w.look(source, w.channel, old)
	w.expect("state", found.State, graph.ReferenceResolved)
	at := found.Message.Position()
	around := read(t, source, graph.Batch{Walks: []graph.Walk{
		{Channel: w.channel, From: at, Direction: graph.Older, Limit: 30},
		{Channel: w.channel, From: at, Direction: graph.Newer, Limit: 30},
		{Channel: w.channel, From: at, Direction: graph.Older, Limit: 300},
	}})
	w.expect("older neighbours", idsOf(around.Stretches[0].Messages), reversed(ids[70:100]))
	w.expect("newer neighbours", idsOf(around.Stretches[1].Messages), ids[101:131])
	w.expect("the held page's end", []any{len(around.Stretches[2].Messages), around.Stretches[2].End}, []any{49, graph.EndUnread})
	w.look(source, w.channel, ids[395])
	w.look(source, w.channel, ids[120])
	w.expect("reads", m.Reads(), 2)
}

func TestReferencesThatAreGoneOrHiddenAreStates(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 10)
	hidden := w.server.World.AddChannel(w.guild, discordtest.ChannelDraft{Name: "staff", Private: true})
	secret := w.post(hidden, w.ann, discordtest.Draft{Content: "secret"})
	if w.server.Chat.Delete(w.channel, ids[2]) != 1 {
		t.Fatal("the message was not deleted")
	}
	trigger := w.say(w.ann, "heddle?")
	all := w.history.Mention(fetch.Place{Channel: w.channel, Trigger: trigger, Readable: func(graph.Lookup) bool { return true }})
	source := all.Source(t.Context())
	w.expect("deleted", w.look(source, w.channel, ids[2]).State, graph.ReferenceDeleted)
	w.expect("hidden", w.look(source, hidden, secret).State, graph.ReferenceUnreadable)
	w.expect("no such channel", w.look(source, 4711, secret).State, graph.ReferenceDeleted)
	w.expect("reads", all.Reads(), 4)
	w.look(source, w.channel, ids[2])
	w.expect("reads, asked again", all.Reads(), 4)

	own, source := w.mention(trigger)
	w.expect("another channel", w.look(source, hidden, secret).State, graph.ReferenceUnreadable)
	w.expect("reads", own.Reads(), 0)
}

// TestAQuestionWhoseEventDidNotComeIsRead delivers the events of the messages before
// and after a question, but not that of the question itself. The question must be read,
// and must not count as deleted.
func TestAQuestionWhoseEventDidNotComeIsRead(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 3)
	w.hear(ids[0], ids[2])
	_, source := w.mention(ids[1])
	w.expect("the question", w.look(source, w.channel, ids[1]).State, graph.ReferenceResolved)
	_, source = w.mention(ids[2])
	w.expect("the question, referred to", w.look(source, w.channel, ids[1]).State, graph.ReferenceResolved)
}

func TestAHistoryThatMayNotBeReadIsRecognised(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 6)
	w.hear(ids[3:]...)
	w.server.World.SetOverwrites(w.channel, discordtest.Overwrite{Member: w.bot.User, Deny: discordtest.ReadMessageHistory})
	m, source := w.mention(ids[5])
	stretch := w.before(source, ids[5], 100)
	w.expect("what was heard, and why no more", []any{idsOf(stretch.Messages), stretch.End},
		[]any{reversed(ids[3:5]), graph.EndUnreadable})
	w.expect("a reference", w.look(source, w.channel, ids[0]).State, graph.ReferenceUnreadable)
	w.expect("reads", m.Reads(), 2)

	w.server.World.SetOverwrites(w.channel, discordtest.Overwrite{Member: w.bot.User, Deny: discordtest.ViewChannel})
	w.history.Gap(nil)
	_, source = w.mention(ids[5])
	w.expect("a channel out of sight", w.before(source, ids[5], 100).End, graph.EndUnreadable)
}

func TestAChannelThatWasEmptyIsReadOnce(t *testing.T) {
	w := newWorld(t)
	first := w.say(w.ann, "heddle?")
	w.hear(first)
	m, source := w.mention(first)
	w.expect("end", w.before(source, first, 100).End, graph.EndChannel)
	second := w.say(w.bob, "heddle!")
	w.hear(second)
	again, source := w.mention(second)
	stretch := w.before(source, second, 100)
	w.expect("what came since, to the start", []any{idsOf(stretch.Messages), stretch.End}, []any{[]graph.MessageID{first}, graph.EndChannel})
	w.expect("reads", []int{m.Reads(), again.Reads()}, []int{1, 0})

	w.history.Gap(nil)
	cold, source := w.mention(second)
	w.expect("after a gap", idsOf(w.before(source, second, 100).Messages), []graph.MessageID{first})
	w.expect("reads after a gap", cold.Reads(), 1)
}

func TestWithoutHistoryPermissionNothingIsRead(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 6)
	w.hear(ids[4:]...)
	m := w.history.Mention(fetch.Place{Channel: w.channel, Trigger: ids[5], NoHistory: true})
	source := m.Source(t.Context())
	stretch := w.before(source, ids[5], 100)
	w.expect("what was heard, and why no more", []any{idsOf(stretch.Messages), stretch.End}, []any{ids[4:5], graph.EndUnreadable})
	w.expect("a reference", w.look(source, w.channel, ids[0]).State, graph.ReferenceUnreadable)
	w.expect("reads", m.Reads(), 0)
}

func TestThreadStartersAreReadInTheParent(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now().Add(-time.Hour) // the thread is opened now
	ids := w.fill(w.channel, 20)
	thread := errtest.Must(w.server.World.AddThread(w.channel, w.ann, discordtest.ThreadDraft{Name: "aside", Starter: ids[10]}))(t)
	w.now = time.Now()
	w.post(thread, w.ann, discordtest.Draft{Content: "in here"})
	trigger := w.post(thread, w.bob, discordtest.Draft{Content: "heddle?"})
	m := w.history.Mention(fetch.Place{Channel: thread, Trigger: trigger, Readable: func(l graph.Lookup) bool { return l.Channel == w.channel }})
	source := m.Source(t.Context())
	stretch := read(t, source, graph.Batch{Walks: []graph.Walk{{
		Channel: thread, From: graph.Position{Anchor: trigger, Message: trigger}, Limit: 100,
	}}}).Stretches[0]
	w.expect("end", stretch.End, graph.EndChannel)
	pointer := stretch.Messages[len(stretch.Messages)-1]
	if len(pointer.References) != 1 || pointer.References[0].Kind != graph.ReferenceStarter || pointer.References[0].Message != ids[10] {
		t.Fatalf("the first message points at %+v, want the thread's starter %v alone", pointer.References, ids[10])
	}
	w.hear(ids[19])
	starter := w.look(source, pointer.References[0].Channel, pointer.References[0].Message)
	w.expect("starter", starter.Message.Text, "line 10")
	since := read(t, source, graph.Batch{Walks: []graph.Walk{{Channel: w.channel, From: starter.Message.Position(), Direction: graph.Newer, Limit: 100}}}).Stretches[0]
	w.expect("what was said in the parent since, to the end", []any{idsOf(since.Messages), since.End}, []any{ids[11:], graph.EndChannel})
	w.expect("reads", m.Reads(), 2)
}

func TestALostReferenceDoesNotLoseTheAnswerAndALostChannelIsAnError(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 300)
	fail := w.server.Faults.Inject(discordtest.Fault{
		Match: func(r discordtest.Request) bool { return r.Query.Has("around") }, Times: -1,
		Status: http.StatusBadRequest, Body: `{"message":"no","code":0}`,
	})
	m, source := w.mention(ids[299])
	w.expect("state", w.look(source, w.channel, ids[3]).State, graph.ReferenceNotLoaded)
	w.look(source, w.channel, ids[3])
	w.expect("reads", m.Reads(), 2)
	fail.Remove()
	w.server.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusBadRequest, Body: "<html>"})
	w.history.Gap(nil)
	_, source = w.mention(ids[299])
	if _, err := source(graph.Batch{}); err == nil {
		t.Error("reading an unreadable channel returned no error")
	}
}

func TestOneBadMessageDoesNotHideTheRest(t *testing.T) {
	w := newWorld(t)
	w.say(w.ann, "before")
	w.post(w.channel, w.ann, discordtest.Draft{Content: "odd", Raw: map[string]any{"author": []int{1}, "components": []any{map[string]any{"type": 99}}}})
	w.server.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteMessages), Rewrite: func(b []byte) []byte {
		return discordtest.NumbersAsStrings(append([]byte(`[{"id":null},`), b[1:]...))
	}})
	trigger := w.say(w.bob, "heddle?")
	_, source := w.mention(trigger)
	stretch := w.before(source, trigger, 10)
	var texts []string
	for _, m := range stretch.Messages {
		texts = append(texts, m.Text)
	}
	w.expect("texts", texts, []string{"odd", "before"})
}
