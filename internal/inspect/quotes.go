package inspect

import (
	"bytes"
	"slices"

	"heddle/graph"
	"heddle/store"
)

// forwarded is the line in a request that precedes a forwarded message, whose author is
// unknown. People cannot forge it, because heddle escapes lines that look like it.
const forwarded = "[forwarded message]"

// quotes records from whose words heddle's own messages were made.
type quotes struct {
	consent Consent
	made    map[graph.MessageID][]store.Response // responses without their texts, by the messages that showed them
	covered map[graph.MessageID]bool
}

func newQuotes(consent Consent) *quotes {
	return &quotes{consent, make(map[graph.MessageID][]store.Response), make(map[graph.MessageID]bool)}
}

// add adds a response.
func (q *quotes) add(r *store.Response) {
	known := store.Response{ID: r.ID, Standing: r.Standing}
	known.Sources = r.Sources
	for _, reply := range r.Replies {
		q.made[reply.ID] = append(q.made[reply.ID], known)
	}
}

// unclear reports whether a request contains a message of heddle's that may quote
// somebody who did not consent, because it was made from their words or because its
// sources are no longer known.
func (q *quotes) unclear(r *store.Response) bool {
	return slices.ContainsFunc(r.Sources, func(source store.SourceRef) bool {
		return source.Author == r.Self && r.Self != 0 && source.Message != 0 && !q.covers(source.Message)
	})
}

// covers reports whether everybody consents from whose words a message of heddle's was
// made, directly or by way of heddle's earlier messages.
func (q *quotes) covers(message graph.MessageID) bool {
	if covered, known := q.covered[message]; known {
		return covered
	}
	q.covered[message] = true // assumed during the recursion, because an answer cannot be made from itself
	all := q.made[message]
	covered := len(all) > 0 && !slices.ContainsFunc(all, func(r store.Response) bool {
		return r.Gone() || !q.consent.covers(&r) || q.unclear(&r)
	})
	q.covered[message] = covered
	return covered
}

// forwards reports whether a request contains a forwarded message.
func (r *request) forwards() bool { return bytes.Contains(r.body, []byte(forwarded)) }
