package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/graph"
)

// Ratings stores what people think of responses.
type Ratings struct {
	base      *base
	responses *Responses
}

// Rating is a reaction by which a person rates an answer.
type Rating struct {
	Message graph.MessageID // the message of the answer that has the reaction
	Person  graph.UserID
	Good    bool
	// Tone is the skin tone of the emoji, 1 to 5, or 0 for none. One person can react
	// in several tones.
	Tone byte
	At   time.Time
}

// ratingSize is the size of a stored rating in bytes: two ids of eight bytes, two
// bytes, and a time of eight.
const ratingSize = 26

// member returns the rating as a member of a set. The time is at the end; everything
// before it identifies the reaction.
func (r *Rating) member() string {
	good := byte(0)
	if r.Good {
		good = 1
	}
	b := append([]byte(idBytes(r.Person)+idBytes(r.Message)), good, r.Tone)
	return string(binary.BigEndian.AppendUint64(b, uint64(r.At.UnixNano())))
}

func decodeRating(member string) (Rating, error) {
	if len(member) != ratingSize {
		return Rating{}, fmt.Errorf("%w: a rating of %d bytes", ErrCorrupt, len(member))
	}
	b := []byte(member)
	return Rating{
		Person: graph.UserID(binary.BigEndian.Uint64(b)), Message: graph.MessageID(binary.BigEndian.Uint64(b[8:])),
		Good: b[16] == 1, Tone: b[17], At: time.Unix(0, int64(binary.BigEndian.Uint64(b[18:]))).UTC(), //nolint:gosec // as it was written
	}, nil
}

// Rate stores a rating of the response that a message shows. The rating belongs to that
// response, whatever the message shows later, and is erased with it. Rate returns
// ErrForgotten if the message shows no stored response.
func (s *Ratings) Rate(ctx context.Context, scope Scope, rating Rating) error {
	shown, err := s.responses.ByReplies(ctx, scope, []graph.MessageID{rating.Message})
	if err != nil {
		return fmt.Errorf("rate an answer: %w", err)
	}
	response, known := shown[rating.Message]
	if !known {
		return fmt.Errorf("rate an answer: %w", ErrForgotten)
	}
	if rating.At.IsZero() {
		rating.At = s.base.clock()
	}
	name, ttl := recordName(response.Original()), s.base.lives.Response
	failed, err := s.base.change(ctx, Change{scope, []Op{
		{Kind: OpPresent, Name: name},
		{Kind: OpAdd, Name: ratingsName(name), Value: rating.member(), TTL: ttl},
		{Kind: OpAdd, Name: ratedName, Value: name, TTL: ttl},
	}})
	if err != nil {
		return fmt.Errorf("rate an answer: %w", err)
	}
	if failed[0] != Applied {
		return fmt.Errorf("rate an answer: %w", ErrForgotten)
	}
	return nil
}

// Unrate removes those ratings by reactions to a message for which gone returns true,
// whichever alternative they rate.
func (s *Ratings) Unrate(ctx context.Context, scope Scope, message graph.MessageID, gone func(Rating) bool) error {
	found, err := s.base.follow(ctx, scope, Query{Set: replyName(message)})
	if err != nil {
		return fmt.Errorf("take back a rating: %w", err)
	}
	names := make(map[string]bool, len(found[0]))
	for _, response := range found[0] {
		names[recordName(response.Original())] = true
	}
	return s.unrate(ctx, scope, names, func(r Rating) bool { return r.Message == message && gone(r) })
}

// unrate removes ratings of the named responses.
func (s *Ratings) unrate(ctx context.Context, scope Scope, names map[string]bool, gone func(Rating) bool) error {
	all, err := s.ratingsOf(ctx, scope, names)
	if err != nil {
		return err
	}
	for name, given := range all {
		var ops []Op
		for _, rating := range given {
			if gone(rating) {
				ops = append(ops, Op{Kind: OpRemove, Name: ratingsName(name), Value: rating.member()})
			}
		}
		if len(ops) == 0 {
			continue
		}
		if err := s.base.apply(ctx, "take back a rating", Change{scope, ops}); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the ratings of the responses of a scope: the latest of each person.
// Responses without ratings are not in the map.
func (s *Ratings) Of(ctx context.Context, scope Scope) (map[ResponseID][]Rating, error) {
	names, err := s.rated(ctx, scope)
	if err != nil {
		return nil, err
	}
	all, err := s.ratingsOf(ctx, scope, names)
	if err != nil {
		return nil, err
	}
	ratings := make(map[ResponseID][]Rating, len(all))
	for name, given := range all {
		if last := lastOfEach(given); len(last) > 0 {
			ratings[ResponseID([]byte(name[len(RecordPrefix):]))] = last
		}
	}
	return ratings, nil
}

// rated returns the names of the rated responses of a scope.
func (s *Ratings) rated(ctx context.Context, scope Scope) (map[string]bool, error) {
	members, err := s.base.members(ctx, scope, Query{Set: ratedName, Names: true})
	if err != nil {
		return nil, fmt.Errorf("list the rated responses: %w", err)
	}
	names := make(map[string]bool, len(members[0]))
	for _, member := range members[0] {
		if len(member.Name) == len(recordName(ResponseID{})) {
			names[member.Name] = true
		}
	}
	return names, nil
}

// ratingsOf returns all ratings of responses, oldest first.
func (s *Ratings) ratingsOf(ctx context.Context, scope Scope, names map[string]bool) (map[string][]Rating, error) {
	const some = 64 // responses in a round trip
	all := make(map[string][]Rating, len(names))
	for batch := range slices.Chunk(slices.Sorted(maps.Keys(names)), some) {
		queries := make([]Query, len(batch))
		for i, name := range batch {
			queries[i] = Query{Set: ratingsName(name), Names: true}
		}
		members, err := s.base.members(ctx, scope, queries...)
		if err != nil {
			return nil, fmt.Errorf("read the ratings of answers: %w", err)
		}
		for i, name := range batch {
			all[name] = s.decodeRatings(ctx, members[i])
		}
	}
	return all, nil
}

// decodeRatings returns the ratings of one response, oldest first. Those that are
// damaged are left out.
func (s *Ratings) decodeRatings(ctx context.Context, members []Member) []Rating {
	var ratings []Rating
	for _, member := range members {
		rating, err := decodeRating(member.Name)
		if err != nil {
			s.base.reject(ctx, err)
			continue
		}
		ratings = append(ratings, rating)
	}
	slices.SortFunc(ratings, func(a, b Rating) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.member(), b.member()))
	})
	return ratings
}

// lastOfEach returns the last rating of each person. ratings are oldest first.
func lastOfEach(ratings []Rating) []Rating {
	var last []Rating
	for _, rating := range ratings {
		last = slices.DeleteFunc(last, func(r Rating) bool { return r.Person == rating.Person })
		last = append(last, rating)
	}
	return last
}

// forgetPerson removes all ratings that a person gave in a scope, if set is the author
// set of that person. It does nothing for other sets.
func (s *Ratings) forgetPerson(ctx context.Context, scope Scope, set string) error {
	person, ok := authorOf(set)
	if !ok {
		return nil
	}
	names, err := s.rated(ctx, scope)
	if err != nil {
		return err
	}
	return s.unrate(ctx, scope, names, func(r Rating) bool { return r.Person == person })
}

// unrated returns the steps that remove the ratings of a response.
func unrated(name string) []Op {
	return []Op{{Kind: OpRemove, Name: ratedName, Value: name}, {Kind: OpDelete, Name: ratingsName(name)}}
}
