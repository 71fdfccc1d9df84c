package calibration

import (
	"cmp"
	"math"
	"slices"
)

// bins is the number of equal intervals of confidence that ECE compares.
const bins = 10

// ECE returns the expected calibration error: the mean distance between confidence and
// share of good answers, over ten equal intervals of confidence. 0 is perfect. Without
// ratings it returns NaN.
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

// AUROC returns how often a good answer has a higher confidence than a bad one, with
// equal ones counting half. 1 is perfect, 0.5 is chance. If all ratings are good, or
// all bad, it returns NaN.
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

// folds is the number of parts that CrossFit leaves out in turn.
const folds = 10

// CrossFit returns the ratings with calibrated confidences. Each one comes from a curve
// fitted to other ratings, so the result shows what a curve is worth for new answers.
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
