package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

// pageSize is how many messages Discord returns at once.
const pageSize = 100

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	// Now returns Discord's time, which the ids of messages contain. This machine's clock
	// may be wrong.
	Now() time.Time
	// Delay returns how long a request to the route would have to wait now.
	Delay(method, path string) time.Duration
}

// reader reads from Discord what heddle did not hear.
type reader struct {
	history *fetch.History
	rest    REST
	buttons bool // every whole answer has buttons below its last message
}

// read returns all messages of a channel from an id on, oldest first, and older ones
// that came with them.
func (r *reader) read(ctx context.Context, channel graph.ChannelID, from graph.MessageID) ([]discord.Message, error) {
	page, err := r.history.Newest(ctx, channel)
	if err != nil {
		return nil, fmt.Errorf("read what was missed: %w", err)
	}
	messages := slices.Clone(page.Messages)
	for page.Count >= pageSize && len(page.Messages) > 0 {
		oldest := slices.MinFunc(page.Messages, byID).ID
		if oldest < from {
			break
		}
		if page, err = r.page(ctx, channel, pageOf("before", oldest)); err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		messages = append(messages, page.Messages...)
	}
	slices.SortFunc(messages, byID)
	return messages, nil
}

// mostAfter bounds the pages that are read after a question. Answers stand close to their
// questions.
const mostAfter = 10

// readAfter returns the messages of a channel after an id, oldest first.
func (r *reader) readAfter(ctx context.Context, channel graph.ChannelID, after graph.MessageID) ([]discord.Message, error) {
	var messages []discord.Message
	for range mostAfter {
		page, err := r.page(ctx, channel, pageOf("after", after))
		if err != nil {
			return nil, err
		}
		messages = append(messages, page.Messages...)
		if page.Count < pageSize || len(page.Messages) == 0 {
			break
		}
		after = slices.MaxFunc(page.Messages, byID).ID
	}
	slices.SortFunc(messages, byID)
	return messages, nil
}

// pageOf returns the query of the page of messages before or after one.
func pageOf(direction string, message graph.MessageID) url.Values {
	return url.Values{direction: {message.String()}, "limit": {strconv.Itoa(pageSize)}}
}

// page returns a page of the messages of a channel.
func (r *reader) page(ctx context.Context, channel graph.ChannelID, query url.Values) (discord.Page, error) {
	raw, err := r.rest.Get(ctx, "/channels/"+channel.String()+"/messages", query)
	if err != nil {
		return discord.Page{}, err
	}
	return discord.DecodePage(raw)
}

// message reads one message. What is answered afterwards is answered as it reads here, or as it
// reads since then: an answer is made from what the history holds.
func (r *reader) message(ctx context.Context, channel graph.ChannelID, id graph.MessageID) (discord.Message, error) {
	raw, err := r.rest.Get(ctx, "/channels/"+channel.String()+"/messages/"+id.String(), nil)
	if err != nil {
		return discord.Message{}, err
	}
	m, err := discord.Decode[discord.Message](raw)
	if err != nil {
		return discord.Message{}, err
	}
	m.Channel = channel // some servers leave it out
	r.history.Hold(&m)
	return m, nil
}

func byID(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) }
