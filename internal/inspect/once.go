package inspect

import (
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// once merges samples with byte-for-byte equal requests and answers into the first of
// them. samples is oldest first.
func once(samples []sample) []sample {
	type row struct {
		request path.Hash
		said    string
	}
	first := make(map[row]int)
	var left []sample
	for _, s := range samples {
		of := row{s.response.RequestHash, s.response.Said() + "\x00" + string(s.said)}
		at, known := first[of]
		if !known {
			first[of] = len(left)
			left = append(left, s)
			continue
		}
		left[at].again = append(left[at].again, s.response)
	}
	return left
}

// responses returns the responses that the sample stands for, oldest first.
func (s *sample) responses() []store.Response {
	return append([]store.Response{s.response}, s.again...)
}

// tallyOf counts the latest rating of each person.
func tallyOf(ratings []store.Rating) (t tally) {
	slices.SortFunc(ratings, func(a, b store.Rating) int { return b.At.Compare(a.At) })
	counted := make(map[graph.UserID]bool)
	for _, rating := range ratings {
		if !counted[rating.Person] {
			counted[rating.Person] = true
			t.count(rating)
		}
	}
	return t
}

// alike is the key by which answers to one path count as equal. It ignores tool calls
// on the way.
type alike struct {
	model, finish, text string
	temperature         float64 // -1 for the model's default
	generation          int
}

func (a *Answer) alike() alike {
	key := alike{model: a.Model, finish: a.Finish, text: a.Text, temperature: -1, generation: a.Generation}
	if a.Temperature != nil {
		key.temperature = *a.Temperature
	}
	return key
}

// distinct merges equal answers to one path into the first of them, and records in
// stands which answer stands for each merged one. answers is oldest first.
func distinct(answers []Answer, stands map[store.ResponseID]store.ResponseID) []Answer {
	first := make(map[alike]int)
	left := answers[:0]
	for _, a := range answers {
		at, known := first[a.alike()]
		if !known || len(a.Steps) > 0 || len(left[at].Steps) > 0 {
			first[a.alike()] = len(left)
			left = append(left, a)
			continue
		}
		left[at].Sampled += a.Sampled
		left[at].ReusedAt = append(left[at].ReusedAt, a.ReusedAt...)
		left[at].ratings = append(left[at].ratings, a.ratings...)
		stands[a.ID] = left[at].ID
	}
	return left
}

// standsFor returns the answer that stands for a merged one, or id itself.
func standsFor(stands map[store.ResponseID]store.ResponseID, id store.ResponseID) store.ResponseID {
	if other, ok := stands[id]; ok {
		return other
	}
	return id
}
