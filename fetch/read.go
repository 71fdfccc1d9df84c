package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"heddle/graph"
	"heddle/internal/discord"
)

// ErrClosed is returned by reads on a history that was closed.
var ErrClosed = errors.New("the history was closed")

// query identifies one page of one channel.
type query struct {
	kind    pageKind
	channel graph.ChannelID
	at      graph.MessageID // zero for the newest
}

func (q query) key() string {
	return strconv.Itoa(int(q.kind)) + "/" + q.channel.String() + "/" + q.at.String()
}

func (q query) values() url.Values {
	v := url.Values{"limit": {strconv.Itoa(pageSize)}}
	switch q.kind {
	case pageBefore:
		v.Set("before", q.at.String())
	case pageAround:
		v.Set("around", q.at.String())
	case pageNewest:
	}
	return v
}

// answer is the outcome of a read.
type answer struct {
	page  discord.Page
	state answerState
}

type answerState uint8

const (
	answerRead       answerState = iota // the messages are in the log now
	answerEmpty                         // there are no messages, or none that may be read
	answerUnreadable                    // Discord refuses the read
	answerGone                          // the channel does not exist
)

// read fills a channel's log with a page. Concurrent calls for the same page share one
// request. The request does not end with the ctx of one of them, but by its own timeout
// or with Close.
func (h *History) read(ctx context.Context, c *channelLog, q query) (answer, error) {
	outcome := h.rest.reads.DoChan(q.key(), func() (any, error) {
		return h.request(ctx, c, q)
	})
	select {
	case <-ctx.Done():
		return answer{}, fmt.Errorf("read history: %w", ctx.Err())
	case result := <-outcome:
		a, ok := result.Val.(answer)
		if !ok {
			return answer{}, result.Err
		}
		return a, result.Err
	}
}

// request reads a page, and reads it once more if a gap in the events invalidated the
// first read.
func (h *History) request(ctx context.Context, c *channelLog, q query) (answer, error) {
	ctx, done, err := h.rest.begin(ctx)
	if err != nil {
		return answer{}, err
	}
	defer done()
	defer h.watch.changed(c.id)
	defer h.logs.count(c)
	for {
		epoch := c.epochNow()
		raw, err := h.rest.get(ctx, "/channels/"+q.channel.String()+"/messages", q.values())
		if err != nil {
			return refused(err)
		}
		page, err := discord.DecodePage(raw)
		if err != nil {
			return answer{}, fmt.Errorf("read history: %w", err)
		}
		for i := range page.Messages {
			page.Messages[i].Channel = q.channel // some servers leave it out
			page.Messages[i] = *h.logs.withoutWithheld(&page.Messages[i])
		}
		if !c.learned(page, q.kind, q.at, epoch, h.selfID()) && ctx.Err() == nil {
			continue
		}
		if page.Count == 0 {
			return answer{state: answerEmpty}, nil
		}
		return answer{page: page}, nil
	}
}

// refused distinguishes errors that describe the channel from failures.
func refused(err error) (answer, error) {
	if e, ok := errors.AsType[*discord.Error](err); ok {
		switch {
		case e.Code == discord.CodeMissingAccess, e.Code == discord.CodeMissingPermissions, e.Status == http.StatusForbidden:
			return answer{state: answerUnreadable}, nil
		case e.Code == discord.CodeUnknownChannel, e.Code == discord.CodeUnknownMessage, e.Status == http.StatusNotFound:
			return answer{state: answerGone}, nil
		}
	}
	return answer{}, fmt.Errorf("read history: %w", err)
}

// Newest reads the newest page of a channel into its log, at most 100 messages, newest
// first, and returns it as Discord sent it. Catching up starts with it.
func (h *History) Newest(ctx context.Context, channel graph.ChannelID) (discord.Page, error) {
	a, err := h.read(ctx, h.logs.use(channel), query{kind: pageNewest, channel: channel})
	if err != nil {
		return discord.Page{}, err
	}
	return a.page, nil
}
