package inspect

import (
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// once leaves of samples, oldest first, those that make the same row to the first of
// them: what it was made from and what the model said are equal, byte for byte.
func once(samples []sample) []sample {
	type row struct {
		request path.Hash
		said    string
	}
	first := make(map[row]int)
	var left []sample
	for _, s := range samples {
		of := row{s.RequestHash, s.Said()}
		at, known := first[of]
		if !known {
			first[of] = len(left)
			left = append(left, s)
			continue
		}
		left[at].again = append(left[at].again, s.Response)
	}
	return left
}

// responses are those that the sample stands for, oldest first.
func (s *sample) responses() []store.Response {
	return append([]store.Response{s.Response}, s.again...)
}

// tallyOf counts ratings of what says the same: of each person the last one.
func tallyOf(ratings []store.Rating) (t tally) {
	slices.SortFunc(ratings, func(a, b store.Rating) int { return b.At.Compare(a.At) })
	counted := make(map[graph.UserID]bool)
	for _, rating := range ratings {
		if !counted[rating.Person] {
			counted[rating.Person] = true
			t.count(rating.Good)
		}
	}
	return t
}

// alike tells answers to one path apart. What tools did on the way may differ.
type alike struct {
	model, finish, text string
	temperature         float64 // -1 for the model's own
	generation          int
}

func (a *Answer) alike() alike {
	key := alike{model: a.Model, finish: a.Finish, text: a.Text, temperature: -1, generation: a.Generation}
	if a.Temperature != nil {
		key.temperature = *a.Temperature
	}
	return key
}

// distinct leaves of answers to one path, oldest first, those that read the same to the
// first of them, which counts them. It tells which stands for which.
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
		left[at].Reused += a.Reused
		left[at].ratings = append(left[at].ratings, a.ratings...)
		stands[a.ID] = left[at].ID
	}
	return left
}

// standsFor is the answer that counts another one, or that one itself.
func standsFor(stands map[store.ResponseID]store.ResponseID, id store.ResponseID) store.ResponseID {
	if other, ok := stands[id]; ok {
		return other
	}
	return id
}
