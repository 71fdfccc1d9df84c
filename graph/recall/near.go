package recall

import (
	"math"
	"slices"

	"heddle/graph"
)

// Meaning is what an exchange means: a vector that a model made of it, each of its
// numbers times the same number and rounded.
type Meaning struct {
	Anchor graph.MessageID
	Values []int8
}

// Rounded returns a vector of length 1 as a Meaning holds it.
func Rounded(vector []float32) []int8 {
	most := float32(0)
	for _, x := range vector {
		most = max(most, float32(math.Abs(float64(x))))
	}
	values := make([]int8, len(vector))
	if most == 0 {
		return values
	}
	for i, x := range vector {
		values[i] = int8(math.Round(float64(x / most * math.MaxInt8)))
	}
	return values
}

const (
	// fewest is the number of exchanges from which on one can stand out.
	fewest = 12
	// standsOut is how many standard deviations above the mean the likeness of an exchange
	// lies that is found. Models differ in how alike they find unrelated texts, so no
	// likeness by itself is high.
	standsOut = 2
)

// Near returns the exchanges before a message whose meanings stand out among all by their
// likeness to a question's, at most so many, the most alike first. A score is the cosine.
func Near(question []float32, meanings []Meaning, before graph.MessageID, most int) []Scored {
	var all []Scored
	sum, squares := 0.0, 0.0
	for i := range meanings {
		m := &meanings[i]
		if m.Anchor >= before || len(m.Values) != len(question) {
			continue
		}
		like := cosine(question, m.Values)
		sum += like
		squares += like * like
		all = append(all, Scored{m.Anchor, like})
	}
	n := float64(len(all))
	if len(all) < fewest {
		return nil
	}
	mean := sum / n
	least := mean + standsOut*math.Sqrt(max(squares/n-mean*mean, 0))
	all = slices.DeleteFunc(all, func(s Scored) bool { return s.Score <= least })
	slices.SortFunc(all, bestFirst)
	return all[:min(len(all), most)]
}

// cosine returns how alike a vector of length 1 and a rounded one are.
func cosine(question []float32, values []int8) float64 {
	product, square := float32(0), 0
	for i, x := range values {
		product += question[i] * float32(x)
		square += int(x) * int(x)
	}
	if square == 0 {
		return 0
	}
	return float64(product) / math.Sqrt(float64(square))
}

// fusion is by how much later ranks count less when two lists are fused. It is the usual
// number for reciprocal rank fusion.
const fusion = 60

// Fuse makes one list of two, each best first: what is high in either, and highest what
// is high in both. The scores are those of the fused list.
func Fuse(a, b []Scored) []Scored {
	fused := make(map[graph.MessageID]float64, len(a)+len(b))
	for _, list := range [...][]Scored{a, b} {
		for rank, s := range list {
			fused[s.Anchor] += 1 / float64(fusion+rank)
		}
	}
	all := make([]Scored, 0, len(fused))
	for anchor, score := range fused {
		all = append(all, Scored{anchor, score})
	}
	slices.SortFunc(all, bestFirst)
	return all
}
