package calibration

import (
	"cmp"
	"math"
	"slices"
)

// bins is how many equal steps of confidence ECE looks at.
const bins = 10

// ECE is the expected calibration error: how far in the mean the confidence is from
// the share of good answers, over ten equal steps of confidence. 0 is perfect; NaN
// without ratings.
func ECE(ratings []Rating) float64 {
	var count, good, value [bins]float64
	for _, r := range ratings {
		i := min(int(r.Value*bins), bins-1)
		count[i]++
		value[i] += r.Value
		if r.Good {
			good[i]++
		}
	}
	sum := 0.0
	for i := range bins {
		sum += math.Abs(good[i] - value[i])
	}
	return sum / float64(len(ratings))
}

// AUROC is how often a good answer has the higher confidence than a bad one, equal
// ones counting half: 1 is perfect, 0.5 is chance. It is NaN where all are good or
// all bad.
func AUROC(ratings []Rating) float64 {
	sorted := slices.Clone(ratings)
	slices.SortFunc(sorted, func(a, b Rating) int { return cmp.Compare(a.Value, b.Value) })
	wins, good, bad := 0.0, 0.0, 0.0
	for i := 0; i < len(sorted); {
		equalGood, equalBad := 0.0, 0.0
		for from := i; i < len(sorted) && sorted[i].Value == sorted[from].Value; i++ {
			if sorted[i].Good {
				equalGood++
			} else {
				equalBad++
			}
		}
		wins += equalGood * (bad + equalBad/2)
		good, bad = good+equalGood, bad+equalBad
	}
	return wins / (good * bad)
}

// folds is how many parts CrossFit leaves out in turn.
const folds = 10

// CrossFit gives the ratings with the confidence that a curve fitted to the others
// has for them: what a curve is worth for answers that it has not seen.
func CrossFit(ratings []Rating) []Rating {
	fitted := slices.Clone(ratings)
	for fold := range min(folds, len(ratings)) {
		var others []Rating
		for i, r := range ratings {
			if i%folds != fold {
				others = append(others, r)
			}
		}
		curve := Fit(others)
		for i := fold; i < len(ratings); i += folds {
			if share, ok := curve.At(ratings[i].Value); ok {
				fitted[i].Value = share
			}
		}
	}
	return fitted
}
