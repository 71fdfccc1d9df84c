package store

import (
	"cmp"
	"slices"
	"time"
)

// Alternatives returns the alternatives among responses to a question, oldest first: those
// of one generation that have a text, each once however often it was given again.
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

// Given returns when a response was given, which for one that is given again is later than
// when it was made.
func Given(r *Response) time.Time {
	if !r.Reused.IsZero() {
		return r.Reused
	}
	return r.Created
}
