package inspect

import (
	"bytes"
	"slices"

	"heddle/graph"
	"heddle/store"
)

// forwarded is how a request begins what somebody forwarded. A forward does not name who
// wrote it. Nobody can write this line: heddle marks a line that only looks like it.
const forwarded = "[forwarded message]"

// quotes knows whose words heddle's own messages were made from.
type quotes struct {
	consent Consent
	made    map[graph.MessageID][]store.Response // without what they say, by the messages that showed them
	covered map[graph.MessageID]bool
}

func newQuotes(consent Consent) *quotes {
	return &quotes{consent, make(map[graph.MessageID][]store.Response), make(map[graph.MessageID]bool)}
}

// add takes in a response.
func (q *quotes) add(r *store.Response) {
	known := store.Response{ID: r.ID, Standing: r.Standing}
	known.Sources = r.Sources
	for _, reply := range r.Replies {
		q.made[reply.ID] = append(q.made[reply.ID], known)
	}
}

// unclear reports whether a request holds a message of heddle's that may quote somebody
// who did not consent: it was made from their words, or nobody knows any more from whose.
func (q *quotes) unclear(r *store.Response) bool {
	return slices.ContainsFunc(r.Sources, func(source store.SourceRef) bool {
		return source.Author == r.Self && r.Self != 0 && source.Message != 0 && !q.covers(source.Message)
	})
}

// covers reports whether everybody consents whose words a message of heddle's was made
// from, those included that it was made from by way of earlier messages.
func (q *quotes) covers(message graph.MessageID) bool {
	if covered, known := q.covered[message]; known {
		return covered
	}
	q.covered[message] = true // until it is known: an answer was not made from itself
	all := q.made[message]
	covered := len(all) > 0 && !slices.ContainsFunc(all, func(r store.Response) bool {
		return r.Gone() || !q.consent.covers(&r) || q.unclear(&r)
	})
	q.covered[message] = covered
	return covered
}

// forwards reports whether a request holds something that was forwarded.
func (r *request) forwards() bool { return bytes.Contains(r.body, []byte(forwarded)) }
