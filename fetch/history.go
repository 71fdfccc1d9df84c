package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// Caller reads from Discord's REST API. If the response is not a success, the error
// wraps a *discord.Error. Calls are concurrent, and end with their context.
type Caller interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
}

// Options bound a History. Zero values mean defaults.
type Options struct {
	Messages int           // messages held for one channel; 10,000, at least 400
	Bytes    int64         // bytes held for all channels together, roughly; 256 MiB
	Timeout  time.Duration // of one REST read, including waits for rate limits; 30 s
	Log      *slog.Logger  // nil: nothing is logged
}

const (
	defaultMessages = 10_000
	leastMessages   = 4 * pageSize
	defaultBytes    = 256 << 20
	defaultTimeout  = 30 * time.Second
)

// History is Discord's history: a log of each channel that events keep up to date, and
// REST for everything else. It is safe for concurrent use. Events of one channel should
// arrive in order, though any order results in the same log.
type History struct {
	held

	messages int
	log      *slog.Logger
	self     atomic.Uint64
	watch    watch
	rest     rest
}

// NewHistory returns an empty history. The caller must Close it.
func NewHistory(caller Caller, options Options) (*History, error) {
	if caller == nil {
		return nil, errors.New("a history needs a caller of Discord's API")
	}
	h := &History{
		messages: defaultMessages, log: options.Log,
		held: held{logs{bytes: defaultBytes, channels: make(map[graph.ChannelID]*channelLog), withheld: &withheld{}}},
		rest: rest{caller: caller, timeout: defaultTimeout, stop: make(chan struct{})},
	}
	if options.Messages != 0 {
		h.messages = max(options.Messages, leastMessages)
	}
	if options.Bytes > 0 {
		h.logs.bytes = options.Bytes
	}
	if options.Timeout > 0 {
		h.rest.timeout = options.Timeout
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h, nil
}

// SetSelf sets heddle's own user, as in READY. If it changes, all messages that are
// held are dropped.
func (h *History) SetSelf(self graph.UserID) {
	if h.self.Swap(uint64(self)) != uint64(self) {
		h.Gap(nil)
	}
}

func (h *History) selfID() graph.UserID { return graph.UserID(h.self.Load()) }

// Create handles MESSAGE_CREATE.
func (h *History) Create(m *discord.Message) {
	m = h.logs.withoutWithheld(m)
	h.logs.change(m.Channel, func(c *channelLog) { c.created(m, h.selfID(), h.messages) })
	h.watch.added(m.Channel)
}

// Update handles MESSAGE_UPDATE, whole or partial, and reports whether somebody edited
// the content. For a message that is held, link previews, pins and the like are no
// edits. For any other, Discord's edit time decides.
func (h *History) Update(m *discord.Message) (edited bool) {
	m = h.logs.withoutWithheld(m)
	h.logs.change(m.Channel, func(c *channelLog) { edited = c.updated(m, h.selfID(), h.messages) })
	h.watch.changed(m.Channel)
	return edited
}

// Delete handles MESSAGE_DELETE and MESSAGE_DELETE_BULK. It removes the texts from
// memory, and later pages and events do not bring the messages back.
func (h *History) Delete(d discord.Delete) {
	h.logs.change(d.Channel, func(c *channelLog) { c.deleted(d.Messages) })
	h.watch.changed(d.Channel)
}

// Own records that heddle sent or edited a message, which is the answer to a trigger or
// a part of it. sent is Discord's response, or at least the message's id and text. Own
// may be called before or after the message's own events arrive. It is called at once,
// because the next question may be waiting and has to find the answer to the last one.
func (h *History) Own(channel graph.ChannelID, trigger graph.MessageID, sent *discord.Message) {
	h.logs.change(channel, func(c *channelLog) { c.said(sent, trigger, h.selfID()) })
	h.watch.added(channel)
}

// Bind records that an answer is made from the versions of messages that are held.
// Their texts stay as they are until somebody edits them. A link preview that resolves
// later thus does not change what the answer was made from, and a follow-up's path
// begins with that of the answer.
func (h *History) Bind(channel graph.ChannelID, messages []graph.MessageID) {
	h.logs.change(channel, func(c *channelLog) { c.bind(messages) })
}

// Forget drops everything about a channel or thread that was deleted, or may no longer
// be read.
func (h *History) Forget(channel graph.ChannelID) {
	if c := h.logs.remove(channel); c != nil {
		c.forget()
	}
	h.watch.changed(channel)
}

// Gap records that events were lost, as after a gateway session that could not be
// resumed. It drops what is held of the affected channels, which may be out of date. If
// affected is nil, all channels are.
func (h *History) Gap(affected func(graph.ChannelID) bool) {
	for _, c := range h.logs.all() {
		if affected == nil || affected(c.id) {
			c.forget()
			h.logs.count(c)
			h.watch.changed(c.id)
		}
	}
}

// Stats are numbers for metrics.
type Stats struct {
	Channels int   // channel logs held
	Bytes    int64 // roughly how many bytes they take
	Requests int64 // REST reads sent since the start
}

// Stats returns the current numbers.
func (h *History) Stats() Stats {
	channels, bytes := h.logs.stats()
	return Stats{Channels: channels, Bytes: bytes, Requests: h.rest.requests.Load()}
}

// Close ends the reads in progress and waits for them. Later reads fail.
func (h *History) Close() { h.rest.close() }
