package fetch

import (
	"log/slog"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	testSelf  = graph.UserID(9)
	testLimit = 400
)

func newTestLog() *channelLog {
	f := newFilter()
	return newChannelLog(1, &f)
}

func wireMessage(id graph.MessageID, author graph.UserID) *discord.Message {
	return &discord.Message{
		ID: id, Channel: 1, Author: discord.User{ID: author, Name: "ann"}, Content: "x",
		Time: time.Unix(int64(id), 0), Whole: true,
	}
}

func pageOf(ids ...graph.MessageID) discord.Page {
	page := discord.Page{Count: len(ids)}
	for _, id := range ids {
		page.Messages = append(page.Messages, *wireMessage(id, 1))
	}
	return page
}

// heldIDs returns the ids from 1 to last that the log holds.
func heldIDs(c *channelLog, last graph.MessageID) map[graph.MessageID]bool {
	held := map[graph.MessageID]bool{}
	for id := graph.MessageID(1); id <= last; id++ {
		if _, known := c.lookup(id); known == stateHeld {
			held[id] = true
		}
	}
	return held
}

func TestAPageRevealsADeletion(t *testing.T) {
	c := newTestLog()
	for id := graph.MessageID(1); id <= 5; id++ {
		c.created(wireMessage(id, 1), testSelf, testLimit)
	}
	c.learned(pageOf(1, 2, 4, 5), query{"before", 6}, testSelf)
	if held := heldIDs(c, 5); len(held) != 4 || held[3] {
		t.Errorf("held are %v, want 1, 2, 4 and 5, as Discord has them", held)
	}
	c.created(wireMessage(3, 1), testSelf, testLimit)
	if heldIDs(c, 5)[3] {
		t.Error("a late event brings a deleted message back, want it gone")
	}
}

// TestAnEventFromBeforeTheNewestPageProvesNothing hears of a message that a page was read
// after. What was said between the two may be missing, so the page's stretch does not grow.
// From a message of the page on, or a newer one, events are heard.
func TestAnEventFromBeforeTheNewestPageProvesNothing(t *testing.T) {
	for id, live := range map[graph.MessageID]bool{3: false, 4: false, 5: true, 6: true, 8: true, 9: true} {
		c := newTestLog()
		c.spans = c.spans.add(span{lo: 5, hi: 8})
		c.hear(id)
		if last := c.spans[len(c.spans)-1].hi; c.live != live || live && last != max(id, 8) || c.spans.find(4) != nil {
			t.Errorf("after an event of message %d, everything up to %d is heard: %t, and 4 is covered: %t; want %t, and 4 not covered", id, last, c.live, c.spans.find(4) != nil, live)
		}
	}
}

func TestWhatIsOlderThanTheStartOfAChannelIsBeforeIt(t *testing.T) {
	if all := (spans{{lo: 5, hi: 8, start: true}}).add(span{lo: 3, hi: 5}); len(all) != 1 || all[0].start {
		t.Errorf("with what was read from before the start the stretches are %+v, want one that may have more before it", all)
	}
}

func TestAPageFromBeforeAGapIsNotHeldAfterIt(t *testing.T) {
	h := NewHistory(nil, slog.New(slog.DiscardHandler))
	before := h.logs.use(1)
	h.Gap(nil)
	before.learned(pageOf(1, 2, 3), query{"before", 4}, testSelf)
	if held := heldIDs(h.logs.use(1), 3); len(held) > 0 {
		t.Errorf("held are %v of a page that was requested before the gap, want none", held)
	}
}

func TestRepliesAreHeldWithinABound(t *testing.T) {
	c := newTestLog()
	for id := graph.MessageID(2); id < 4*maxReplies; id += 2 {
		c.created(wireMessage(id-1, 1), testSelf, testLimit)
		c.said(wireMessage(id, testSelf), id-1, testSelf)
	}
	c.created(wireMessage(4*maxReplies, 1), testSelf, testLimit)
	if got := len(c.messages.replies); got > maxReplies+testLimit {
		t.Errorf("%d replies are held beside %d messages, want at most %d", got, len(c.messages.entries), maxReplies+testLimit)
	}
	last := graph.MessageID(4*maxReplies - 2)
	if m, known := c.lookup(last); known != stateHeld || m.Answers != last-1 {
		t.Errorf("the last answer answers %v, want %v", m.Answers, last-1)
	}
}

// TestADroppedSpanIsNotHeldWhole drops and shortens spans. The log must not claim to
// hold every message of them.
func TestADroppedSpanIsNotHeldWhole(t *testing.T) {
	c := newTestLog()
	c.learned(pageOf(1, 2, 3), query{"before", 4}, testSelf)
	for id := graph.MessageID(1000); id < 1000+2*testLimit; id++ {
		c.created(wireMessage(id, 1), testSelf, testLimit)
	}
	held := heldIDs(c, 1000+2*testLimit)
	if len(held) > testLimit || held[2] || held[1000] {
		t.Fatalf("%d messages are held, 2: %t, 1000: %t; want at most %d, and neither", len(held), held[2], held[1000], testLimit)
	}
	for _, id := range []graph.MessageID{2, 1000} {
		if c.heard(id) {
			t.Errorf("message %v was dropped, but the log reports that it has heard all messages, want false", id)
		}
	}
	if w, whole := c.beforeTrigger(1050); whole || w.start {
		t.Errorf("before a dropped message the log claims to hold the window %+v, want it incomplete", w)
	}
}
