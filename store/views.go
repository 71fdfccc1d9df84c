package store

import (
	"context"
	"fmt"
	"slices"

	"heddle/graph"
)

// view is what a message of heddle's shows.
type view struct {
	record string            // the name of the response; "" if it shows no stored response
	parts  []graph.MessageID // all messages of the answer that it is a part of
	left   bool              // heddle deleted the message itself, because the answer became shorter
}

// stands reports whether the message shows a response on Discord, as far as the store
// knows.
func (v view) stands() bool { return v.record != "" && !v.left }

// viewer determines what messages of heddle's show.
type viewer struct{ base *base }

// views returns what messages show. People's messages show nothing.
func (w viewer) views(ctx context.Context, scope Scope, messages []graph.MessageID) (map[graph.MessageID]view, error) {
	const width, sets = 64, 3 // messages in a round trip, and sets for each
	views := make(map[graph.MessageID]view, len(messages))
	for some := range slices.Chunk(messages, width) {
		queries := shownBy(some)
		for _, message := range some {
			queries = append(queries, Query{Set: partsName(message), Names: true})
		}
		members, err := w.base.members(ctx, scope, queries...)
		if err != nil {
			return nil, fmt.Errorf("find what messages show: %w", err)
		}
		for i, message := range some {
			views[message] = w.view(ctx, scope, message, [sets][]Member{members[2*i], members[2*i+1], members[2*len(some)+i]})
		}
	}
	return views, w.compareHeads(ctx, scope, views)
}

// compareHeads corrects the views of messages that are no longer parts of their answer
// because it became shorter. The first message of the answer does not list them as
// parts.
func (w viewer) compareHeads(ctx context.Context, scope Scope, views map[graph.MessageID]view) error {
	var messages []graph.MessageID
	var queries []Query
	for message, v := range views {
		if len(v.parts) > 0 && !v.left && slices.Min(v.parts) != message {
			messages = append(messages, message)
			queries = append(queries, Query{Set: partsName(slices.Min(v.parts)), Names: true})
		}
	}
	if len(queries) == 0 {
		return nil
	}
	members, err := w.base.members(ctx, scope, queries...)
	if err != nil {
		return fmt.Errorf("find the parts of answers: %w", err)
	}
	for i, message := range messages {
		v := views[message]
		parts := messagesOf(members[i])
		v.left = len(parts) > 0 && !slices.Contains(parts, message)
		views[message] = v
	}
	return nil
}

// Shown returns, for each of some responses of a scope, the messages that show it. Some
// of them may have been deleted on Discord without the store knowing.
func (a *Archive) Shown(ctx context.Context, scope Scope, responses []Response) ([][]graph.MessageID, error) {
	names := make([]Member, len(responses))
	for i := range responses {
		names[i].Name = recordName(responses[i].ID)
	}
	places, err := a.base.places(ctx, scope, [][]Member{names})
	if err != nil {
		return nil, err
	}
	of := make([][]graph.MessageID, len(responses))
	for i := range responses {
		of[i] = slices.Sorted(slices.Values(append(sentAs(responses[i].Replies), places[names[i].Name]...)))
		of[i] = slices.Compact(of[i])
	}
	all := slices.Sorted(slices.Values(slices.Concat(of...)))
	views, err := viewer{a.base}.views(ctx, scope, slices.Compact(all))
	if err != nil {
		return nil, err
	}
	for i := range of {
		of[i] = slices.DeleteFunc(of[i], func(message graph.MessageID) bool {
			return !views[message].stands() || views[message].record != names[i].Name
		})
	}
	return of, nil
}

// view returns what a message shows. sets holds the response that was chosen for it,
// the responses that were sent as it, and the parts of its answer.
func (w viewer) view(ctx context.Context, scope Scope, message graph.MessageID, sets [3][]Member) view {
	v := view{parts: messagesOf(sets[2])}
	v.left = len(v.parts) > 0 && !slices.Contains(v.parts, message)
	for _, members := range sets[:2] {
		if newest, found := w.newestRecord(ctx, scope, members); found {
			v.record = recordName(newest.ID)
			if len(v.parts) == 0 {
				v.parts = sentAs(newest.Replies)
			}
			break
		}
	}
	return v
}

// newestRecord returns the newest response among the members of a set. It ignores
// erased ones.
func (w viewer) newestRecord(ctx context.Context, scope Scope, members []Member) (newest Response, found bool) {
	for _, r := range w.base.records(ctx, scope, members) {
		if !found || newestFirst(r, newest) < 0 {
			newest, found = r, true
		}
	}
	return newest, found
}

// records decodes the members of a set, without their texts. It leaves out erased and
// damaged ones.
func (s *base) records(ctx context.Context, scope Scope, members []Member) (found []Response) {
	for _, member := range members {
		if member.Value == nil {
			continue
		}
		r, err := decodeRecord(Key{scope, member.Name}, member.Value)
		switch {
		case err != nil:
			s.reject(ctx, err)
		case !r.Gone():
			found = append(found, r.Response)
		}
	}
	return found
}

// sentAs returns the messages that a response was sent as.
func sentAs(replies []Reply) []graph.MessageID {
	messages := make([]graph.MessageID, len(replies))
	for i, reply := range replies {
		messages[i] = reply.ID
	}
	return messages
}
