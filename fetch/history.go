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

// Caller reads from Discord's REST API. An answer that is no success is an error
// that holds a *discord.Error. It is called from many goroutines at once and ends
// with its context.
type Caller interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
}

// Options bound a History. Zero values mean the defaults.
type Options struct {
	Messages int           // messages held of one channel; 10,000, at least 400
	Bytes    int64         // bytes held of all channels together, about; 256 MiB
	Timeout  time.Duration // of one REST read, waits for rate limits included; 30 s
	Log      *slog.Logger  // nil: nothing is logged
}

const (
	defaultMessages = 10_000
	leastMessages   = 4 * pageSize
	defaultBytes    = 256 << 20
	defaultTimeout  = 30 * time.Second
)

// History is Discord's history: a log of each channel that events keep true, and
// REST for what the logs do not hold. It is safe for concurrent use; events of one
// channel should come in their order, though any other order ends in the same log.
type History struct {
	messages int
	log      *slog.Logger
	self     atomic.Uint64
	watch    watch
	logs     logs
	rest     rest
}

// NewHistory makes an empty history. Close ends it.
func NewHistory(caller Caller, options Options) (*History, error) {
	if caller == nil {
		return nil, errors.New("a history needs a caller of Discord's API")
	}
	h := &History{
		messages: defaultMessages, log: options.Log,
		logs: logs{bytes: defaultBytes, channels: make(map[graph.ChannelID]*channelLog), withheld: &withheld{}},
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

// SetSelf sets heddle's own user, which READY names. If it changes, all messages that
// are held are forgotten.
func (h *History) SetSelf(self graph.UserID) {
	if h.self.Swap(uint64(self)) != uint64(self) {
		h.Gap(nil)
	}
}

func (h *History) selfID() graph.UserID { return graph.UserID(h.self.Load()) }

// Create takes in MESSAGE_CREATE.
func (h *History) Create(m *discord.Message) {
	m = h.logs.withoutWithheld(m)
	h.logs.change(m.Channel, func(c *channelLog) { c.created(m, h.selfID(), h.messages) })
	h.watch.added(m.Channel)
}

// Update takes in MESSAGE_UPDATE, whole or partial, and reports whether somebody edited
// the content. For a message that is held, link previews, pins and the like are no
// edits; for any other, Discord's edit time decides.
func (h *History) Update(m *discord.Message) (edited bool) {
	m = h.logs.withoutWithheld(m)
	h.logs.change(m.Channel, func(c *channelLog) { edited = c.updated(m, h.selfID(), h.messages) })
	h.watch.changed(m.Channel)
	return edited
}

// Delete takes in MESSAGE_DELETE and MESSAGE_DELETE_BULK: the texts leave memory,
// and the messages stay away though a page or an event of them comes late.
func (h *History) Delete(d discord.Delete) {
	h.logs.change(d.Channel, func(c *channelLog) { c.deleted(d.Messages) })
	h.watch.changed(d.Channel)
}

// Own records that heddle sent or edited a message, which is (part of) the answer to a
// trigger. The message is what Discord answered with, or what is known
// of it: at least its id and its text. It may come before or after the message's own
// events: the next question may be waiting, and must find the answer to the last.
func (h *History) Own(channel graph.ChannelID, trigger graph.MessageID, sent *discord.Message) {
	h.logs.change(channel, func(c *channelLog) { c.said(sent, trigger, h.selfID()) })
	h.watch.added(channel)
}

// Bind records that an answer is made from the versions of messages that are held.
// Until somebody edits them, their texts stay as they are: a link preview that
// resolves later changes nothing that the answer was made from, so that a follow-up's
// path begins with the answer's.
func (h *History) Bind(channel graph.ChannelID, messages []graph.MessageID) {
	h.logs.change(channel, func(c *channelLog) { c.bind(messages) })
}

// Forget drops all that is known of a channel or thread: it was deleted, or may no
// longer be read.
func (h *History) Forget(channel graph.ChannelID) {
	if c := h.logs.remove(channel); c != nil {
		c.forget()
	}
	h.watch.changed(channel)
}

// Gap records that events were lost, as after a gateway session that could not be
// resumed. What is held of the affected channels may be out of date and is dropped. A
// nil function affects all.
func (h *History) Gap(affected func(graph.ChannelID) bool) {
	for _, c := range h.logs.all() {
		if affected == nil || affected(c.id) {
			c.forget()
			h.logs.count(c)
			h.watch.changed(c.id)
		}
	}
}

// Message returns the version of a message that is held, folded, without reading.
func (h *History) Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool) {
	c := h.logs.known(channel)
	if c == nil {
		return graph.Message{}, false
	}
	m, known := c.lookup(id)
	shown := []graph.Message{m}
	h.logs.unquoted(shown)
	return shown[0], known == stateHeld
}

// Stats are figures for metrics.
type Stats struct {
	Channels int   // channel logs held
	Bytes    int64 // about what they take
	Requests int64 // REST reads sent since the start
}

// Stats counts.
func (h *History) Stats() Stats {
	channels, bytes := h.logs.stats()
	return Stats{Channels: channels, Bytes: bytes, Requests: h.rest.requests.Load()}
}

// Close ends the reads under way and waits for them. Reads after it fail.
func (h *History) Close() { h.rest.close() }
