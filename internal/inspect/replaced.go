package inspect

import (
	"time"

	"heddle/graph"
	"heddle/store"
)

// lineage holds the first answer of each generation of a question.
type lineage map[generation]stood

// stood is an answer, and when it was given.
type stood struct {
	id store.ResponseID
	at time.Time
}

// generation is a question after a number of edits.
type generation struct {
	question graph.MessageID
	number   int
}

// add records an answer.
func (l lineage) add(r *store.Response) {
	if r.IsSummary() || r.Gone() {
		return
	}
	key := generation{r.Trigger, r.Generation}
	if first, known := l[key]; !known || given(r).Before(first.at) {
		l[key] = stood{r.Original(), given(r)}
	}
}

// before returns the answer that this one replaced, or zero.
func (l lineage) before(r *store.Response) store.ResponseID {
	for number := r.Generation - 1; number >= 0; number-- {
		if first, known := l[generation{r.Trigger, number}]; known {
			return first.id
		}
	}
	return store.ResponseID{}
}
