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

	"heddle/graph"
	"heddle/internal/discord"
)

// pageSize is how many messages Discord returns at once.
const pageSize = 100

// Pages reads the newest messages of channels; fetch.History does.
type Pages interface {
	// Newest returns the newest messages of a channel, the newest first.
	Newest(ctx context.Context, channel graph.ChannelID) (discord.Page, error)
}

// Clock returns Discord's time, which the ids of messages contain. This machine's clock
// may be wrong.
type Clock interface {
	Now() time.Time
}

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	Clock
	// Delay returns how long a request to the route would have to wait now.
	Delay(method, path string) time.Duration
	room
}

// reader reads from Discord what heddle did not hear.
type reader struct {
	history Pages
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
		if page, err = r.page(ctx, channel, url.Values{"before": {oldest.String()}}); err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		messages = append(messages, page.Messages...)
	}
	slices.SortFunc(messages, byID)
	return messages, nil
}

// readAfter returns all messages of a channel after an id, oldest first.
func (r *reader) readAfter(ctx context.Context, channel graph.ChannelID, after graph.MessageID) ([]discord.Message, error) {
	var messages []discord.Message
	for {
		page, err := r.page(ctx, channel, url.Values{"after": {after.String()}})
		if err != nil {
			return nil, err
		}
		messages = append(messages, page.Messages...)
		if page.Count < pageSize || len(page.Messages) == 0 {
			slices.SortFunc(messages, byID)
			return messages, nil
		}
		after = slices.MaxFunc(page.Messages, byID).ID
	}
}

// page returns a page of the messages of a channel.
func (r *reader) page(ctx context.Context, channel graph.ChannelID, query url.Values) (discord.Page, error) {
	query.Set("limit", strconv.Itoa(pageSize))
	raw, err := r.rest.Get(ctx, "/channels/"+channel.String()+"/messages", query)
	if err != nil {
		return discord.Page{}, err
	}
	return discord.DecodePage(raw)
}

// isQuestion reports whether a message is a question. It reports true for a message that
// no longer exists.
func (r *reader) isQuestion(ctx context.Context, channel graph.ChannelID, id graph.MessageID, asks func(*discord.Message) bool) bool {
	raw, err := r.message(ctx, channel, id)
	if err != nil {
		return discord.HasCode(err, discord.CodeUnknownMessage)
	}
	question, err := discord.DecodeMessage(raw)
	return err == nil && asks(&question)
}

// version returns when a message was last edited, and reports whether it was deleted. If it
// never was edited, or if Discord cannot tell, the time is zero.
func (r *reader) version(ctx context.Context, channel graph.ChannelID, id graph.MessageID) (edited time.Time, gone bool) {
	raw, err := r.message(ctx, channel, id)
	if err != nil {
		return time.Time{}, discord.HasCode(err, discord.CodeUnknownMessage)
	}
	m, _ := discord.DecodeMessage(raw) // what does not decode was never edited
	return m.Edited, false
}

func (r *reader) message(ctx context.Context, channel graph.ChannelID, id graph.MessageID) (json.RawMessage, error) {
	return r.rest.Get(ctx, "/channels/"+channel.String()+"/messages/"+id.String(), nil)
}

func byID(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) }
