package outbox

import (
	"context"
	"net/http"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// lookTimeout bounds looking whether a message stands, for which an answer waits.
const lookTimeout = 3 * time.Second

// IsGone reports whether a message was deleted. If Discord does not tell, it was not.
func (o *Outbox) IsGone(ctx context.Context, channel graph.ChannelID, message graph.MessageID) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, err := o.rest.Do(ctx, discord.Call{Method: http.MethodGet, Path: messagesPath(channel) + "/" + message.String()})
	return discord.HasCode(err, discord.CodeUnknownMessage)
}

// question is what an answer is written to.
type question struct {
	stored func(context.Context)      // see To.Stored; nil once it was called
	gone   func(context.Context) bool // see To.Gone; may be nil
	looked bool                       // it was asked, and the question stood
}

// stands fails if the question was deleted. It looks once, after what must be stored of the
// question is stored.
func (q *question) stands(ctx context.Context) error {
	if q.stored != nil {
		q.stored(ctx)
		q.stored = nil
	}
	if q.looked || q.gone == nil {
		return nil
	}
	if q.gone(ctx) {
		return ErrQuestionGone
	}
	q.looked = true
	return nil
}
