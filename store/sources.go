package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Source is a message that stored responses were made from, or that shows one.
type Source struct {
	Channel graph.ChannelID
	Message graph.MessageID
	Edited  time.Time // edit time of the oldest version that was used
	Fixed   bool      // its edits change nothing: it is heddle's own, or only a forward of it was read
}

// Sources are the messages on Discord that some responses depend on.
type Sources struct {
	Messages []Source                              // the newest first, each once
	Answers  map[graph.MessageID][]graph.MessageID // the messages of the answers to each question

	most int
}

// Sources returns the sources of some responses and of those that are stored in some
// scopes, most of them at most. In each scope it reads the newest responses first, and stops
// as soon as they have that many sources (finding 4.4).
func (a *Archive) Sources(ctx context.Context, most int, of []Response, scopes ...Scope) (Sources, error) {
	all := Sources{Answers: make(map[graph.MessageID][]graph.MessageID), most: most}
	for i := range of {
		all.add(&of[i], nil)
	}
	for _, scope := range scopes {
		names, err := a.base.set(ctx, scope, responsesName) // those first that expire last
		if err != nil {
			return Sources{}, fmt.Errorf("list the responses: %w", err)
		}
		in := Sources{Answers: all.Answers, most: most}
		const some = 64
		for names := range slices.Chunk(names, some) {
			if err := a.addSources(ctx, &in, scope, names); err != nil {
				return Sources{}, fmt.Errorf("read the responses of %s: %w", scope, err)
			}
			if len(in.Messages) < 2*most { // most of these are equal
				continue
			}
			if in.settle(); len(in.Messages) == most {
				break
			}
		}
		all.Messages = append(all.Messages, in.Messages...)
	}
	all.settle()
	return all, nil
}

// addSources adds the sources of those responses of a scope that have names.
func (a *Archive) addSources(ctx context.Context, to *Sources, scope Scope, names []string) error {
	var responses []Response
	for r, err := range a.base.load(ctx, scope, names) {
		switch {
		case err == nil:
			responses = append(responses, r)
		case !errors.Is(err, ErrCorrupt):
			return err
		}
	}
	shown, err := a.Shown(ctx, scope, responses)
	if err != nil {
		return fmt.Errorf("find where answers stand: %w", err)
	}
	for i := range responses {
		to.add(&responses[i], shown[i])
	}
	return nil
}

// add adds the sources of a response, which some messages show.
func (s *Sources) add(r *Response, shown []graph.MessageID) {
	for _, message := range shown {
		s.Messages = append(s.Messages, Source{Channel: r.Channel, Message: message, Fixed: true})
	}
	for _, reply := range r.Replies {
		s.Answers[r.Trigger] = append(s.Answers[r.Trigger], reply.ID)
	}
	for _, ref := range r.Sources {
		if ref.Forwarded {
			ref.Edited = time.Unix(1<<40, 0) // what was read of the message itself comes first
		}
		if ref.Message != 0 && ref.Channel != 0 {
			s.Messages = append(s.Messages, Source{ref.Channel, ref.Message, ref.Edited, ref.Forwarded || ref.Author == r.Self && r.Self != 0})
		}
	}
}

// settle sorts the messages, the newest first, and removes duplicates and those that are too
// many.
func (s *Sources) settle() {
	slices.SortFunc(s.Messages, func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Message, a.Message), cmp.Compare(a.Channel, b.Channel), a.Edited.Compare(b.Edited))
	})
	s.Messages = slices.CompactFunc(s.Messages, func(a, b Source) bool { return a.Message == b.Message && a.Channel == b.Channel })
	s.Messages = s.Messages[:min(len(s.Messages), s.most)]
}
