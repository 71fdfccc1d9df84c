package questions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

// REST reads from Discord; discord.REST is one.
type REST interface {
	discord.Getter
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
}

// read returns all messages of a channel from an id on, oldest first, and older ones
// that came with them.
func (r *reader) read(ctx context.Context, channel graph.ChannelID, from graph.MessageID) ([]discord.Message, error) {
	page, err := r.history.Newest(ctx, channel)
	if err != nil {
		return nil, fmt.Errorf("read what was missed: %w", err)
	}
	messages := slices.Clone(page.Messages)
	for page.Count >= discord.PageSize && len(page.Messages) > 0 {
		oldest := slices.MinFunc(page.Messages, byID).ID
		if oldest < from {
			break
		}
		if page, err = discord.ReadPage(ctx, r.rest, channel, "before", oldest); err != nil {
			return nil, fmt.Errorf("read what was missed: %w", err)
		}
		messages = append(messages, page.Messages...)
	}
	slices.SortFunc(messages, byID)
	return messages, nil
}

// message reads one message. What is answered afterwards is answered as it reads here, or as it
// reads since then: an answer is made from what the history holds.
func (r *reader) message(ctx context.Context, channel graph.ChannelID, id graph.MessageID) (discord.Message, error) {
	m, err := discord.ReadMessage(ctx, r.rest, channel, id)
	if err == nil {
		r.history.Hold(ctx, &m)
	}
	return m, err
}

func byID(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) }
