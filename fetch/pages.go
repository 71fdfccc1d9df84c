package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

const pageSize = discord.PageSize

var errNotRecorded = errors.New("this is not part of the record")

// query identifies one page of a channel: the messages before or around one, or the
// newest.
type query struct {
	side string // "before" or "around"
	at   graph.MessageID
}

// pageState is the outcome of a read.
type pageState uint8

const (
	pageRead       pageState = iota // the messages are in the log now
	pageEmpty                       // there are no messages, or none that may be read
	pageUnreadable                  // Discord refuses the read
	pageGone                        // the channel does not exist
)

// read fills a channel's log with a page. If the log was dropped meanwhile, as after a gap
// in the events, the one that is begun after it does not hold the page.
func (h *History) read(ctx context.Context, c *channelLog, q query) (discord.Page, pageState, error) {
	page, err := h.page(ctx, c.messages.id, q)
	if err != nil {
		return refused(err)
	}
	recallNames(ctx, h, c.messages.id, append(c.unnamed(), page.Messages...)...)
	c.rename(h.selfID())
	c.learned(page, q, h.selfID())
	h.logs.count(c)
	if page.Count == 0 {
		return page, pageEmpty, nil
	}
	return page, pageRead, nil
}

// page reads a page from Discord, or from what is recorded.
func (h *History) page(ctx context.Context, channel graph.ChannelID, q query) (discord.Page, error) {
	if h.recorded != nil {
		return h.recorded.page(channel, q)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return discord.ReadPage(ctx, h.rest, channel, q.side, q.at)
}

func (recorded Recorded) page(channel graph.ChannelID, q query) (discord.Page, error) {
	older, newer := pageSize, 0
	if q.side == "around" {
		older, newer = pageSize/2, pageSize/2-1
	}
	near := recorded(channel, q.at, older, newer)
	if len(near) == 0 {
		return discord.Page{}, errNotRecorded
	}
	if q.side == "before" {
		near = slices.DeleteFunc(near, func(m discord.Message) bool { return m.ID == q.at })
	}
	return discord.Page{Messages: near, Count: len(near)}, nil
}

// refused distinguishes errors that describe the channel from failures.
func refused(err error) (discord.Page, pageState, error) {
	if e, ok := errors.AsType[*discord.Error](err); ok {
		switch {
		case e.Code == discord.CodeMissingAccess, e.Code == discord.CodeMissingPermissions, e.Status == http.StatusForbidden:
			return discord.Page{}, pageUnreadable, nil
		case e.Code == discord.CodeUnknownChannel, e.Code == discord.CodeUnknownMessage, e.Status == http.StatusNotFound:
			return discord.Page{}, pageGone, nil
		}
	}
	return discord.Page{}, pageEmpty, fmt.Errorf("read history: %w", err)
}

// Newest reads the newest page of a channel into its log, at most 100 messages, newest
// first, and returns it as Discord sent it. Catching up starts with it.
func (h *History) Newest(ctx context.Context, channel graph.ChannelID) (discord.Page, error) {
	page, _, err := h.read(ctx, h.logs.use(channel), query{side: "before"})
	return page, err
}

// Back bounds how far to look back in a channel.
type Back struct {
	Channel graph.ChannelID
	Before  graph.MessageID // look at messages before this one
	Until   time.Time       // and not before this time; zero: all
	Reads   int             // the greatest number of REST reads; 0: only what is held
	Pages   int             // the greatest number of pages of 100 messages
	Ahead   int             // the number of pages that are read side by side first, beside Reads
}

// Reached is how far a look back went.
type Reached struct {
	Oldest time.Time // every message since then was seen; zero if none was
	All    bool      // it went as far as it should, or to the channel's start
	Reads  int
}

// Older passes the messages of a channel to each, a page at a time, newest first and
// folded, from what is held and, as far as necessary, from Discord. It stops when each
// returns false. What it reads is held afterwards.
func (h *History) Older(ctx context.Context, back Back, each func(page []graph.Message) bool) (Reached, error) {
	c := h.logs.use(back.Channel)
	readAhead(ctx, h, c, back.Before, back.Ahead)
	if h.rest == nil { // pages of what is recorded begin with a message
		back.Reads += back.Ahead
	}
	var reached Reached
	at := back.Before
	for range back.Pages {
		w, held := c.beforeTrigger(at)
		if !held && reached.Reads < back.Reads {
			reached.Reads++
			if _, _, err := h.read(ctx, c, query{"before", at}); err != nil {
				return reached, err
			}
			w, _ = c.beforeTrigger(at)
		}
		lookUpOriginals(ctx, h, c.forwardsIn(&w))
		from := graph.Position{Anchor: at, Message: at}
		page := c.walk(graph.Walk{Channel: c.messages.id, From: from, Direction: graph.Older, Limit: 2 * pageSize}, &w, from).Messages
		end := slices.IndexFunc(page, func(m graph.Message) bool { return m.Time.Before(back.Until) })
		if end >= 0 {
			page = page[:end]
		}
		if len(page) > 0 {
			if !each(page) {
				return reached, nil
			}
			reached.Oldest = page[len(page)-1].Time
		}
		reached.All = end >= 0 || w.start
		if reached.All || w.lo >= at {
			return reached, nil
		}
		at = w.lo
	}
	return reached, nil
}

// logs holds the channel logs. While they take more memory than allowed, it drops those
// that were not used for the longest time.
type logs struct {
	bytes  int64 // the bound
	filter filter

	mu       sync.Mutex
	channels map[graph.ChannelID]*channelLog
	held     int64  // the sum of the sizes of the logs, in bytes
	clock    uint64 // counts uses
}

// known returns the log of a channel, or one that stays empty if there is none. It does not
// count as use.
func (l *logs) known(id graph.ChannelID) *channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.channels[id]; c != nil {
		return c
	}
	return newChannelLog(id, &l.filter)
}

// drop drops the logs that match, and returns their number. A mention in progress keeps the
// logs that it reads.
func (l *logs) drop(match func(*channelLog) bool) (dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.channels {
		if match(c) {
			l.removeLocked(c)
			dropped++
		}
	}
	return dropped
}

// use returns the log of a channel, creating it if necessary, and marks it as the one
// used last.
func (l *logs) use(id graph.ChannelID) *channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[id]
	if c == nil {
		c = newChannelLog(id, &l.filter)
		l.channels[id] = c
	}
	l.clock++
	c.used = l.clock
	return c
}

// change applies an event to a channel's log, under its lock.
func (l *logs) change(id graph.ChannelID, apply func(*channelLog)) {
	if id == 0 {
		return
	}
	c := l.use(id)
	c.mu.Lock()
	apply(c)
	c.mu.Unlock()
	l.count(c)
}

// count updates the sum after c has changed. If it exceeds the bound, count drops the
// logs that were not used for the longest time, an eighth more than needed. A mention in
// progress keeps the logs that it reads.
func (l *logs) count(c *channelLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.channels[c.messages.id] != c {
		return
	}
	c.mu.Lock()
	size := channelSize + c.messages.bytes
	c.mu.Unlock()
	l.held += size - c.counted
	c.counted = size
	if l.held <= l.bytes {
		return
	}
	byUse := slices.SortedFunc(maps.Values(l.channels), func(a, b *channelLog) int { return cmp.Compare(a.used, b.used) })
	for _, idle := range byUse[:len(byUse)-1] {
		if l.held <= l.bytes-l.bytes/8 {
			break
		}
		l.removeLocked(idle)
	}
}

func (l *logs) removeLocked(c *channelLog) {
	delete(l.channels, c.messages.id)
	l.held -= c.counted
	c.counted = 0
}
