package fetch_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func TestEditsAndDeletionsChangeWhatIsRead(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 5)
	w.hear(ids...)
	m, source := w.mention(ids[4])
	w.before(source, ids[4], 10)
	errtest.None(t, w.server.Chat.Edit(w.channel, ids[1], "changed"))
	w.history.Update(w.wire(w.channel, ids[1]))
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: []graph.MessageID{ids[2]}})
	w.history.Create(w.wire(w.channel, ids[2])) // late
	stretch := w.before(source, ids[4], 10)
	w.expect("messages", idsOf(stretch.Messages), []graph.MessageID{ids[3], ids[1], ids[0]})
	w.expect("text", stretch.Messages[1].Text, "changed")
	if stretch.Messages[1].Edited.IsZero() {
		t.Error("the edit's time is not known")
	}
	w.expect("lookup", w.look(source, w.channel, ids[2]).State, graph.ReferenceDeleted)
	w.expect("reads", m.Reads(), 1)
}

func TestAnEditChangesWhatAMessageLinksTo(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 1)
	w.hear(ids...)
	link := graph.Reference{Kind: graph.ReferenceLink, Channel: 8, Message: 9}
	for _, c := range []struct {
		content string
		want    []graph.Reference
	}{
		{"https://discord.com/channels/1/8/9", []graph.Reference{link}},
		{"<@" + w.bob.String() + "> https://discord.com/channels/1/8/9", []graph.Reference{{Kind: graph.ReferenceAddress, Channel: w.channel, User: w.bob}, link}},
		{"never mind", nil},
	} {
		errtest.None(t, w.server.Chat.Edit(w.channel, ids[0], c.content))
		w.history.Update(w.wire(w.channel, ids[0]))
		held, _ := w.history.Message(w.channel, ids[0])
		w.expect(c.content, held.References, c.want)
	}
}

func TestOwnAnswersStandBehindTheirTriggerInOnePiece(t *testing.T) {
	for _, told := range []bool{false, true} {
		t.Run(fmt.Sprintf("told=%v", told), func(t *testing.T) {
			w := newWorld(t)
			first := w.say(w.ann, "first?")
			second := w.say(w.bob, "second?")
			answer := func(to graph.MessageID, text string) graph.MessageID {
				return w.post(w.channel, w.bot.User, discordtest.Draft{Content: text, ReplyTo: to})
			}
			b1 := answer(second, "b1")
			a1 := answer(first, "a1")
			a2 := answer(a1, "a2")
			a3 := answer(a2, "a3")
			trigger := w.say(w.ann, "heddle?")
			if told { // events in the worst order, together with what the bot itself knows
				for _, id := range []graph.MessageID{trigger, a3, a2, second, a1, b1, first} {
					w.hear(id)
				}
				for _, id := range []graph.MessageID{a3, a2, a1} {
					w.history.Own(w.channel, first, &discord.Message{ID: id})
				}
			}
			_, source := w.mention(trigger)
			stretch := w.before(source, trigger, 10)
			w.expect("order", idsOf(stretch.Messages), []graph.MessageID{b1, second, a1, first})
			w.expect("text", stretch.Messages[2].Text, "a1\na2\na3")
			w.expect("trigger", stretch.Messages[2].Answers, first)
			w.expect("a part leads to the whole", w.look(source, w.channel, a3).Message.ID, a1)
			newer := read(t, source, graph.Batch{Walks: []graph.Walk{{
				Channel: w.channel, From: stretch.Messages[2].Position(), Direction: graph.Newer, Limit: 2,
			}}}).Stretches[0]
			w.expect("what follows the answer", idsOf(newer.Messages), []graph.MessageID{second, b1})
			_, source = w.mention(second)
			w.expect("an answer that came after the trigger to a question before it",
				idsOf(w.before(source, second, 10).Messages), []graph.MessageID{a1, first})
		})
	}
}

func TestAnAnswerIsHeldBeforeItsEventComes(t *testing.T) {
	w := newWorld(t)
	first := w.say(w.ann, "first?")
	w.hear(first)
	_, source := w.mention(first)
	w.before(source, first, 10)
	answer := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "with a file", Attachments: []discordtest.Attachment{{Name: "f"}}})
	second := w.say(w.ann, "second?")
	w.history.Own(w.channel, first, w.wire(w.channel, answer))
	w.hear(second)
	for _, when := range []string{"before the event", "after the event"} {
		m, source := w.mention(second)
		stretch := w.before(source, second, 10)
		w.expect(when, []any{idsOf(stretch.Messages), m.Reads()}, []any{[]graph.MessageID{answer, first}, 0})
		held := stretch.Messages[0]
		w.expect(when, []any{held.Text, held.Answers, len(held.Attachments)}, []any{"with a file", first, 1})
		w.hear(answer)
	}
}

// TestAnOwnMessageIsHeldAsDiscordReturnedIt delivers the events of an edited answer
// after Discord's response to the edit.
func TestAnOwnMessageIsHeldAsDiscordReturnedIt(t *testing.T) {
	w := newWorld(t)
	first := w.say(w.ann, "first?")
	w.hear(first)
	_, source := w.mention(first)
	w.before(source, first, 10)
	answer := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "It beg ▍", ReplyTo: first})
	begun := w.wire(w.channel, answer)
	second := w.say(w.ann, "second?")
	w.hear(second)
	reads := func(want string) {
		t.Helper()
		_, source := w.mention(second)
		w.expect("the answer", w.before(source, second, 10).Messages[0].Text, want)
	}
	edit := func(text string) *discord.Message {
		t.Helper()
		errtest.None(t, w.server.Chat.Edit(w.channel, answer, text))
		return w.wire(w.channel, answer)
	}
	w.history.Own(w.channel, first, edit("It begins and ends."))
	reads("It begins and ends.")
	w.history.Create(begun)
	reads("It begins and ends.")
	w.history.Own(w.channel, first, edit("It begins anew."))
	reads("It begins anew.")
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: []graph.MessageID{answer}})
	w.history.Own(w.channel, first, begun)
	reads("first?")
}

func TestWhatIsForOneTopicOrPersonStaysOut(t *testing.T) {
	w := newWorld(t)
	kept := w.say(w.ann, "kept")
	join := w.post(w.channel, w.bob, discordtest.Draft{Type: 7})
	quiet := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "only you", Flags: 64})
	trigger := w.say(w.ann, "heddle?")
	w.hear(kept, join, quiet, trigger)
	_, source := w.mention(trigger)
	w.expect("messages", idsOf(w.before(source, trigger, 10).Messages), []graph.MessageID{kept})
	found := w.look(source, w.channel, join)
	w.expect("a notice is there, as one", []any{found.State, found.Message.System}, []any{graph.ReferenceResolved, true})
}

func TestAGapInTheEventsCostsOneReadAndLeavesNothingOutOfDate(t *testing.T) {
	w := newWorld(t)
	ids := w.fill(w.channel, 30)
	w.hear(ids...)
	_, source := w.mention(ids[29])
	w.before(source, ids[29], 10)
	w.server.Chat.Delete(w.channel, ids[28])
	missed := w.say(w.ann, "missed")
	w.history.Gap(func(c graph.ChannelID) bool { return c == w.channel })
	trigger := w.say(w.bob, "heddle?")
	w.hear(trigger)
	m, source := w.mention(trigger)
	w.expect("messages", idsOf(w.before(source, trigger, 4).Messages), []graph.MessageID{missed, ids[29], ids[27], ids[26]})
	w.expect("reads", m.Reads(), 1)
}

func TestALogIsBoundedAndTheLogsTogetherAre(t *testing.T) {
	w := newWorld(t)
	h := fetch.NewBounded(w.rest, 500, 900_000)
	for channel := graph.ChannelID(1); channel <= 8; channel++ {
		for id := graph.MessageID(1); id <= 2000; id++ {
			h.Create(&discord.Message{ID: id, Channel: channel, Author: discord.User{ID: 9, Name: "ann"}, Content: "x", Whole: true})
		}
	}
	channels, bytes := h.Held()
	if bytes > 900_000 || channels < 3 || channels > 7 {
		t.Errorf("%d logs of %d bytes are held, want 3 to 7 of at most 900,000", channels, bytes)
	}
	if _, held := h.Message(8, 2000); !held {
		t.Error("the newest message of the channel used last was dropped, want it held")
	}
	for _, gone := range []struct {
		channel graph.ChannelID
		id      graph.MessageID
	}{{8, 1400}, {1, 2000}} {
		if _, held := h.Message(gone.channel, gone.id); held {
			t.Errorf("message %d of channel %d is still held, want it gone", gone.id, gone.channel)
		}
	}
	h.Forget(8)
	if fewer, less := h.Held(); fewer != channels-1 || less >= bytes {
		t.Errorf("after one was forgotten %d logs of %d bytes are held, want %d of less than %d", fewer, less, channels-1, bytes)
	}
}

func TestDeletedTextLeavesMemory(t *testing.T) {
	w := newWorld(t)
	collected := make(chan struct{}, 1)
	func() {
		m := &discord.Message{ID: 1, Channel: 1, Author: discord.User{ID: 9}, Whole: true}
		content := new([20_000]byte)
		runtime.AddCleanup(content, func(c chan struct{}) { c <- struct{}{} }, collected)
		m.Content = unsafeText(content)
		w.history.Create(m)
	}()
	w.history.Delete(discord.Delete{Channel: 1, Messages: []graph.MessageID{1}})
	ctx := withDeadline(t)
	for {
		runtime.GC()
		select {
		case <-collected:
			return
		case <-ctx.Done():
			t.Fatal("the text of a deleted message is still in memory")
		default:
		}
	}
}

// script is the events of a channel, with the trigger.
type script struct {
	events  []func(*fetch.History)
	trigger graph.MessageID
}

// happen makes random changes in the channel and returns their events.
func (w *world) happen(random *rand.Rand, n int) script {
	w.t.Helper()
	var s script
	var people, own []graph.MessageID
	create := func(id graph.MessageID) {
		m := w.wire(w.channel, id)
		s.events = append(s.events, func(h *fetch.History) { h.Create(m) })
	}
	for i := range n {
		switch k := random.IntN(10); {
		case k == 0 && len(people) > 0:
			id := people[random.IntN(len(people))]
			if w.server.Chat.Edit(w.channel, id, fmt.Sprintf("edit %d", i)) == nil {
				m := w.wire(w.channel, id)
				s.events = append(s.events, func(h *fetch.History) { h.Update(m) })
			}
		case k == 1 && len(people) > 0:
			id := people[random.IntN(len(people))]
			w.server.Chat.Delete(w.channel, id)
			s.events = append(s.events, func(h *fetch.History) {
				h.Delete(discord.Delete{Channel: w.channel, Messages: []graph.MessageID{id}})
			})
		case k == 2 && len(people) > 0:
			id := w.post(w.channel, w.bot.User, discordtest.Draft{Content: fmt.Sprintf("answer %d", i), ReplyTo: people[random.IntN(len(people))]})
			own = append(own, id)
			create(id)
		case k == 3 && len(own) > 0:
			id := w.post(w.channel, w.bot.User, discordtest.Draft{Content: fmt.Sprintf("part %d", i), ReplyTo: own[len(own)-1]})
			own = append(own, id)
			create(id)
		default:
			people = append(people, w.say(w.ann, fmt.Sprintf("line %d", i)))
			create(people[len(people)-1])
		}
	}
	s.trigger = w.say(w.bob, "heddle?")
	create(s.trigger)
	return s
}

// seen returns everything that a mention can read, as text.
func (w *world) seen(h *fetch.History, trigger graph.MessageID) string {
	w.t.Helper()
	source := h.Mention(fetch.Place{Channel: w.channel, Trigger: trigger}).Source(w.t.Context())
	stretch := w.before(source, trigger, 1000)
	var out strings.Builder
	for _, m := range stretch.Messages {
		fmt.Fprintf(&out, "%s+%v behind %s, edited %d: %q %v\n", m.ID, m.Parts, m.Answers, m.Edited.UnixMicro(), m.Text, m.References)
	}
	ends := map[graph.End]string{graph.EndChannel: "channel", graph.EndUnread: "unread"}
	fmt.Fprintf(&out, "end %s", ends[stretch.End])
	return out.String()
}

// orders is the number of orders in which the events of each of ten worlds are
// delivered. With 1000 the test takes three minutes.
const orders = 30

func TestEventsInAnyOrderEndInTheSameLog(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			w := newWorld(t)
			random := rand.New(rand.NewPCG(seed, 1))
			s := w.happen(random, 20+random.IntN(110))
			want := w.seen(w.newHistory(), s.trigger)
			for order := range orders {
				events := inAnyOrder(random, s)
				h := w.newHistory()
				if (seed+uint64(order))%2 == 1 {
					w.hearSome(random, h, s, someLost(random, events))
					h.Gap(nil)
				} else {
					w.hearSome(random, h, s, events)
				}
				got := w.seen(h, s.trigger)
				// A channel whose events arrived in pieces may be complete without the
				// log knowing it.
				got = strings.Replace(got, "end unread", "end channel", 1)
				if got != want {
					t.Fatalf("order %d, warm:\n%s\n\nwant it as cold:\n%s", order, got, want)
				}
			}
		})
	}
}

// inAnyOrder returns the events in a random order, some of them twice.
func inAnyOrder(random *rand.Rand, s script) []func(*fetch.History) {
	events := slices.Clone(s.events)
	for range len(events) / 4 {
		events = append(events, events[random.IntN(len(events))])
	}
	random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	return events
}

// someLost returns events without a random part of them.
func someLost(random *rand.Rand, events []func(*fetch.History)) []func(*fetch.History) {
	return slices.DeleteFunc(events, func(func(*fetch.History)) bool { return random.IntN(5) == 0 })
}

// hearSome delivers events to a history, with reads at random times between.
func (w *world) hearSome(random *rand.Rand, h *fetch.History, s script, events []func(*fetch.History)) {
	for _, event := range events {
		event(h)
		if random.IntN(30) == 0 {
			w.seen(h, s.trigger)
		}
	}
}
