package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Ratings stores what people think of responses.
type Ratings struct{ base *base }

// Rating is a reaction by which a person rates an answer.
type Rating struct {
	Message graph.MessageID `json:"message"` // the message of the answer that has the reaction
	Person  graph.UserID    `json:"person"`
	Good    bool            `json:"good"`
	At      time.Time       `json:"at"`
}

// Rate stores a rating of the response that a message shows. The rating belongs to that
// response, whatever the message shows later, and is erased with it. Rate returns
// ErrForgotten if the message shows no stored response.
func (s *Ratings) Rate(ctx context.Context, scope Scope, rating Rating) error {
	shown, err := s.base.shown(ctx, scope, []graph.MessageID{rating.Message})
	if err != nil {
		return fmt.Errorf("rate an answer: %w", err)
	}
	response := shown[rating.Message].response
	if response == nil {
		return fmt.Errorf("rate an answer: %w", ErrForgotten)
	}
	if rating.At.IsZero() {
		rating.At = s.base.clock()
	}
	name, ttl := recordName(response.Original()), s.base.lives.Response
	member, err := json.Marshal(rating)
	if err != nil {
		return fmt.Errorf("rate an answer: %w", err)
	}
	return s.base.update(ctx, "rate an answer", scope, func(t *tx) error {
		if t.value(name) == nil {
			return ErrForgotten
		}
		t.add(ratingsName(name), string(member), ttl)
		t.add(ratedName, name, ttl)
		return nil
	})
}

// Unrate removes those ratings by reactions to a message for which gone returns true,
// whichever alternative they rate.
func (s *Ratings) Unrate(ctx context.Context, scope Scope, message graph.MessageID, gone func(Rating) bool) error {
	found, err := s.base.in(ctx, scope, replyName(message))
	if err != nil {
		return fmt.Errorf("take back a rating: %w", err)
	}
	names := each(found, func(r Response) string { return recordName(r.Original()) })
	return s.base.write(ctx, "take back a rating", scope, func(t *tx) {
		t.unrate(names, func(r Rating) bool { return r.Message == message && gone(r) })
	})
}

// unrate removes ratings of the named responses.
func (t *tx) unrate(names []string, gone func(Rating) bool) {
	sets := each(names, ratingsName)
	for i, members := range t.members(sets...) {
		for _, member := range members {
			if rating, err := decodeRating(member); err == nil && gone(rating) {
				t.take(sets[i], member)
			}
		}
	}
}

func decodeRating(member string) (rating Rating, err error) {
	if err := json.Unmarshal([]byte(member), &rating); err != nil {
		return Rating{}, fmt.Errorf("%w: a rating: %w", ErrCorrupt, err)
	}
	return rating, nil
}

// Of returns the ratings of the responses of a scope: the latest of each person.
// Responses without ratings are not in the map.
func (s *Ratings) Of(ctx context.Context, scope Scope) (map[ResponseID][]Rating, error) {
	var names []string
	var all [][]string
	err := s.base.read(ctx, scope, func(t *tx) {
		names = slices.DeleteFunc(t.members(ratedName)[0], func(name string) bool { return !isRecord(name) })
		all = t.members(each(names, ratingsName)...)
	})
	if err != nil {
		return nil, fmt.Errorf("read the ratings of answers: %w", err)
	}
	ratings := make(map[ResponseID][]Rating, len(all))
	for i, members := range all {
		if last := s.base.lastOfEach(ctx, members); len(last) > 0 {
			ratings[idOfRecord(names[i])] = last
		}
	}
	return ratings, nil
}

// lastOfEach returns the last rating of each person, oldest first. It leaves out what is
// damaged.
func (s *base) lastOfEach(ctx context.Context, members []string) (last []Rating) {
	slices.Sort(members)
	var ratings []Rating
	for _, member := range members {
		rating, err := decodeRating(member)
		if err != nil {
			s.reject(ctx, err)
			continue
		}
		ratings = append(ratings, rating)
	}
	slices.SortStableFunc(ratings, func(a, b Rating) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Message, b.Message)) })
	for _, rating := range ratings {
		last = slices.DeleteFunc(last, func(r Rating) bool { return r.Person == rating.Person })
		last = append(last, rating)
	}
	return last
}

// forgetRater removes all ratings that a person gave in a scope.
func (s *base) forgetRater(ctx context.Context, scope Scope, person graph.UserID) error {
	return s.write(ctx, "forget what a person rated", scope, func(t *tx) {
		t.unrate(t.members(ratedName)[0], func(r Rating) bool { return r.Person == person })
	})
}
