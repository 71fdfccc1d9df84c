package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/discord"
)

const (
	heldMessages = 10_000           // of one channel
	heldBytes    = 256 << 20        // of all channels together, about
	readTimeout  = 30 * time.Second // of one REST read, including waits for rate limits

	mostUnsearched = 1024 // guilds; see History.unsearched
)

// History is Discord's history: a log of each channel that events keep up to date, and
// REST for everything else. It is safe for concurrent use. Events of one channel should
// arrive in order, though any order results in the same log.
type History struct {
	rest     discord.Getter // nil: what is recorded is read
	recorded Recorded
	logs     logs
	messages int
	log      *slog.Logger
	self     atomic.Uint64
	// unsearched holds the guilds that cannot be searched now, with the time until which it is not
	// tried.
	unsearched *lru.Cache[graph.GuildID, time.Time]
}

// NewHistory returns an empty history.
func NewHistory(rest discord.Getter, log *slog.Logger) *History {
	return newHistory(rest, log, heldMessages, heldBytes)
}

// Recorded returns a message of a recorded channel with at most older and newer neighbours
// on its two sides. It returns none if the message is not recorded.
type Recorded func(channel graph.ChannelID, message graph.MessageID, older, newer int) []discord.Message

// NewRecord returns a history of recorded channels, such as exported ones, by heddle's
// account self. They are read as Discord is, page by page.
func NewRecord(recorded Recorded, self graph.UserID) *History {
	h := NewHistory(nil, slog.New(slog.DiscardHandler))
	h.recorded = recorded
	h.SetSelf(self)
	return h
}

func newHistory(rest discord.Getter, log *slog.Logger, messages int, bytes int64) *History {
	unsearched, _ := lru.New[graph.GuildID, time.Time](mostUnsearched) // the size is positive
	return &History{
		rest: rest, messages: messages, log: log, unsearched: unsearched,
		logs: logs{bytes: bytes, filter: newFilter(), channels: make(map[graph.ChannelID]*channelLog)},
	}
}

// SetSelf sets heddle's own user, as in READY. If it changes, all messages that are
// held are dropped.
func (h *History) SetSelf(self graph.UserID) {
	if h.self.Swap(uint64(self)) != uint64(self) {
		h.Gap(nil)
	}
}

func (h *History) selfID() graph.UserID { return graph.UserID(h.self.Load()) }

// Withhold withholds the messages of the people for whom is returns true. After a change
// of what it returns, ForgetPerson must be called. is may be called from any goroutine,
// and must not wait. Withhold is called before anything is held.
func (h *History) Withhold(is func(graph.UserID) bool) { h.logs.filter.withholds = is }

// LeaveOut has said decide what of the text of a message of heddle's own belongs to the
// conversation. A message of which nothing does is left out of everything that is read.
// said may be called from any goroutine, and must not wait. LeaveOut is called before
// anything is held.
func (h *History) LeaveOut(said func(text string) string) { h.logs.filter.said = said }

// ForgetPerson drops the log of every channel that contains something a person wrote,
// or their name. It returns the number of logs.
func (h *History) ForgetPerson(person graph.UserID) int {
	return h.logs.drop(func(c *channelLog) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, met := c.people[person]
		return met
	})
}

// Create handles MESSAGE_CREATE.
func (h *History) Create(m *discord.Message) {
	h.logs.change(m.Channel, func(c *channelLog) { c.created(m, h.selfID(), h.messages) })
}

// Update handles MESSAGE_UPDATE. It reports whether the message is a deferred answer of a bot that
// arrives, which is no edit even if Discord names a time of one.
func (h *History) Update(m *discord.Message) (arrives bool) {
	h.logs.change(m.Channel, func(c *channelLog) { arrives = c.updated(m, h.selfID(), h.messages) })
	return arrives
}

// Hold adds a message that somebody else has read from Discord.
func (h *History) Hold(ctx context.Context, m *discord.Message) {
	recallNames(ctx, h, m.Channel, *m)
	h.logs.change(m.Channel, func(c *channelLog) { c.note(m, h.selfID(), byPage) })
}

// Delete handles MESSAGE_DELETE and MESSAGE_DELETE_BULK. It removes the texts from
// memory, and later pages and events do not bring the messages back.
func (h *History) Delete(d discord.Delete) {
	h.logs.change(d.Channel, func(c *channelLog) {
		for _, id := range d.Messages {
			c.messages.remove(id)
		}
	})
}

// Own records that heddle sent or edited a message, which is the answer to a trigger or
// a part of it. sent is Discord's response, or at least the message's id. Own may be called
// before or after the message's own events arrive. It is called at once, because the next
// question may be waiting and has to find the answer to the last one.
func (h *History) Own(channel graph.ChannelID, trigger graph.MessageID, sent *discord.Message) {
	h.logs.change(channel, func(c *channelLog) { c.said(sent, trigger, h.selfID()) })
}

// Bind records that an answer is made from the versions of messages that are held.
// Their texts stay as they are until somebody edits them. A link preview that resolves
// later thus does not change what the answer was made from, and a follow-up's path
// begins with that of the answer. The names in them are kept for the same reason.
func (h *History) Bind(channel graph.ChannelID, messages []graph.MessageID) {
	var named []Named
	h.logs.change(channel, func(c *channelLog) {
		for _, id := range messages {
			at := c.messages.find(id)
			if at < 0 || c.messages.entries[at].own() {
				continue
			}
			e := &c.messages.entries[at]
			e.bound = true
			if named = append(named, e.named...); e.Origin != graph.OriginWebhook && !e.withheld {
				named = append(named, Named{id, uint64(e.Author), e.Name})
			}
		}
	})
	if h.logs.filter.names != nil {
		h.logs.filter.names.Keep(channel, named)
	}
}

// Forget drops everything about a channel or thread that was deleted, or may no longer
// be read.
func (h *History) Forget(channel graph.ChannelID) {
	is := func(other graph.ChannelID) bool { return other == channel }
	h.logs.filter.doubt(is)
	h.logs.drop(func(c *channelLog) bool { return is(c.messages.id) })
}

// Gap records that events were lost, as after a gateway session that could not be
// resumed. It drops what is held of the affected channels, which may be out of date. If
// affected is nil, all channels are.
func (h *History) Gap(affected func(graph.ChannelID) bool) {
	h.logs.filter.doubt(affected)
	h.logs.drop(func(c *channelLog) bool { return affected == nil || affected(c.messages.id) })
}

// Message returns the version of a message that is held, folded. It never reads from
// Discord.
func (h *History) Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool) {
	m, known := h.logs.known(channel).lookup(id)
	return m, known == stateHeld || known == stateNotice
}

var errNoPoll = errors.New("the message has no poll")

// ReadPoll reads the poll on a message with the votes so far, which no log holds.
func ReadPoll(ctx context.Context, h *History, channel graph.ChannelID, id graph.MessageID) (*discord.Poll, error) {
	m, err := readMessage(ctx, h, channel, id)
	if err != nil {
		return nil, fmt.Errorf("read a poll: %w", err)
	}
	if m.Poll == nil {
		return nil, errNoPoll
	}
	return m.Poll, nil
}

// readMessage reads a message from Discord, or from what is recorded.
func readMessage(ctx context.Context, h *History, channel graph.ChannelID, id graph.MessageID) (discord.Message, error) {
	if h.recorded == nil {
		return discord.ReadMessage(ctx, h.rest, channel, id)
	}
	near := h.recorded(channel, id, 0, 0)
	if at := slices.IndexFunc(near, func(m discord.Message) bool { return m.ID == id }); at >= 0 {
		return near[at], nil
	}
	return discord.Message{}, nil
}

// Search returns a search for the words of a question among the exchanges of a channel
// before it: those that are held, which may have gaps, and further, which counts as if it
// were held. It never reads from Discord.
func (h *History) Search(channel graph.ChannelID, before graph.MessageID, words recall.Words, further []graph.Message) *recall.Search {
	search := recall.NewSearch(words)
	c := h.logs.known(channel)
	add := func(m *graph.Message) {
		if m.Position().Anchor < before {
			search.Add(m)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.messages.entries {
		if e := &c.messages.entries[i]; !e.unseen() {
			add(&e.Message)
		}
	}
	for i := range further {
		if m := &further[i]; c.messages.find(m.ID) < 0 {
			add(m)
		}
	}
	return search
}

// Next returns an id behind every message that events have reported in a channel, and
// reports whether events have reported any.
func (h *History) Next(channel graph.ChannelID) (graph.MessageID, bool) {
	c := h.logs.known(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live {
		return 0, false
	}
	return c.spans[len(c.spans)-1].hi + 1, true
}
