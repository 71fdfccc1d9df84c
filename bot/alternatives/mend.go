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

var (
	// ErrMended means that messages of an answer did not show what was sent, and do
	// now.
	ErrMended = errors.New("the answer was put right")
	// ErrTorn means that a part of what was sent no longer exists.
	ErrTorn = errors.New("a part of the answer is missing")
	// ErrUnknown means that it is not known what was sent.
	ErrUnknown = errors.New("it is not known what was sent")
)

// Mend makes the messages of an answer show what heddle sent, and deletes those that do
// not belong to it. It is needed because another process may have written to the same
// messages. stands returns the messages that reply to the question, and to each other,
// oldest first. Mend calls it while the answer is locked. What should stand is what the
// store has recorded or, failing that, sent. Mend returns nil if nothing had to be
// changed, and ErrMended if something was. It fails with ErrTorn if a part of sent no
// longer exists, and changes nothing then. If neither record nor sent is known, Mend
// deletes the messages if the question was deleted, and fails with ErrUnknown otherwise.
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
	want, d, err := s.displays.wanted(ctx, q, said[0].ID, sent)
	if err != nil || want == nil {
		return err
	}
	whole := stand(said, want)
	if d == nil && !whole {
		return ErrTorn
	}
	err = s.displays.mend(ctx, q.Channel, said, want)
	if d == nil || err != nil && !errors.Is(err, ErrMended) {
		return err
	}
	if !whole { // a missing part is sent again, together with those after it
		if err := s.displays.show(ctx, log, d, d.shown, outbox.Withdrawal(d.parts[0])); err != nil {
			return err
		}
		return ErrMended
	}
	if err != nil { // putting a message right removed its buttons
		return errors.Join(err, s.displays.relabel(ctx, d))
	}
	return nil
}

// wanted returns the texts that the messages of an answer should have, where first is the
// first of them, and the display of what is recorded, or nil if nothing is. The texts are
// nil if somebody has changed since what the messages show.
func (ds *displays) wanted(
	ctx context.Context, q answer.Question, first graph.MessageID, sent []outbox.Sent,
) (want map[graph.MessageID]string, d *display, err error) {
	d, err = ds.read(ctx, q.Place.Scope, q.Channel, first)
	if err != nil && !errors.Is(err, ErrAnswersGone) && !errors.Is(err, store.ErrUnavailable) {
		return nil, nil, err
	}
	want = make(map[graph.MessageID]string)
	switch {
	case d != nil && !slices.Equal(d.parts, partsOf(d.current())):
		return nil, d, nil
	case d != nil:
		for _, reply := range d.current().Replies {
			want[reply.ID] = reply.Text
		}
	case len(sent) > 0:
		for _, part := range sent {
			want[part.ID] = part.Text
		}
	case !ds.outbox.IsGone(ctx, q.Channel, q.ID):
		return nil, nil, ErrUnknown
	}
	return want, d, nil
}

// stand reports whether all wanted messages exist.
func stand(said []discord.Message, want map[graph.MessageID]string) bool {
	found := 0
	for i := range said {
		if _, wanted := want[said[i].ID]; wanted {
			found++
		}
	}
	return found == len(want)
}

// mend makes messages show the wanted texts. It returns ErrMended if any of them did
// not.
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
