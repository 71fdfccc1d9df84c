package store

import (
	"cmp"
	"slices"
	"time"
)

// Alternatives returns the alternatives among the responses to a question, oldest
// first. They are the responses of one generation that have a text. A response that was
// given again is listed once.
func Alternatives(responses []Response, generation int) []Response {
	all := slices.DeleteFunc(slices.Clone(responses), func(r Response) bool { return r.Generation != generation || r.Text == "" })
	slices.SortFunc(all, func(a, b Response) int {
		return cmp.Or(a.Created.Compare(b.Created), Given(&a).Compare(Given(&b)), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	seen := make(map[ResponseID]bool)
	return slices.DeleteFunc(all, func(r Response) bool {
		known := seen[r.Original()]
		seen[r.Original()] = true
		return known
	})
}

// Given returns when a response was given to people. If it is a reuse, that is later
// than when the model made it.
func Given(r *Response) time.Time {
	if !r.Reused.IsZero() {
		return r.Reused
	}
	return r.Created
}
