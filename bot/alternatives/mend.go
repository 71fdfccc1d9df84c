package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// ErrMended means that messages of an answer did not show what was sent, and do now.
var ErrMended = errors.New("the answer was put right")

// Mend makes the messages of an answer show what was sent, and deletes those that do not
// belong to it: another process may have written to it, too. What was sent is what is
// recorded, or else sent. If neither is known, only what replies to a deleted question is
// deleted. The answer is locked while stands is called, which returns the messages that
// reply to the question, and to each other, oldest first. If anything was to be done,
// Mend returns ErrMended.
func (s *Questions) Mend(ctx context.Context, log *slog.Logger, q answer.Question, stands func(context.Context) ([]discord.Message, error), sent []outbox.Sent) error {
	said, err := stands(ctx)
	if err != nil || len(said) == 0 {
		return err
	}
	release, err := s.displays.locks.lock(ctx, log, q.Channel, said[0].ID)
	if err != nil {
		return err
	}
	defer release()
	if said, err = stands(ctx); err != nil || len(said) == 0 {
		return err
	}
	d, err := s.displays.read(ctx, q.Place.Scope, q.Channel, said[0].ID)
	if err != nil && !errors.Is(err, ErrAnswersGone) && !errors.Is(err, store.ErrUnavailable) {
		return err
	}
	want, known := s.wanted(ctx, q, d, sent)
	if !known {
		return nil
	}
	err = s.displays.mend(ctx, q.Channel, said, want)
	if d != nil && errors.Is(err, ErrMended) {
		return errors.Join(err, s.displays.relabel(ctx, d))
	}
	return err
}

// wanted returns the texts of the messages of an answer, given its display, which may be
// nil, and reports whether they are known. An answer to a deleted question has none.
func (s *Questions) wanted(ctx context.Context, q answer.Question, d *display, sent []outbox.Sent) (want map[graph.MessageID]string, known bool) {
	want = make(map[graph.MessageID]string)
	switch {
	case d != nil && !slices.Equal(d.parts, partsOf(d.current())): // somebody has changed it since
		return nil, false
	case d != nil:
		for _, reply := range d.current().Replies {
			want[reply.ID] = reply.Text
		}
	case len(sent) > 0:
		for _, part := range sent {
			want[part.ID] = part.Text
		}
	case !s.displays.outbox.IsGone(ctx, q.Channel, q.ID):
		return nil, false
	}
	return want, true
}

// mend makes messages show what is wanted. It returns ErrMended if they did not.
func (ds *displays) mend(ctx context.Context, channel graph.ChannelID, said []discord.Message, want map[graph.MessageID]string) error {
	var mended error
	for i := range slices.Backward(said) {
		m := &said[i]
		text, known := want[m.ID]
		var err error
		switch {
		case !known:
			err = ds.outbox.Remove(ctx, channel, m.ID)
		case outbox.Shows(m, text):
			continue
		default:
			err = ds.outbox.Rewrite(ctx, channel, m.ID, text)
		}
		if err != nil && !errors.Is(err, outbox.ErrDeleted) {
			return fmt.Errorf("put an answer right: %w", err)
		}
		mended = ErrMended
	}
	return mended
}
