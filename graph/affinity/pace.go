package affinity

import (
	"math"
	"slices"
)

const (
	paceGaps = 50 // gaps that the pace is taken from
	paceTrim = 5  // as many of the shortest and of the longest are left out
	minPace  = 1e-3
)

// paces computes for every message of a window the channel's pace before it in
// seconds: the trimmed mean of the last 50 gaps. Where fewer lie before a
// message, the window's first 50 stand in.
func paces(times []float64, pace []float64) {
	for j := range pace {
		end := min(max(j, paceGaps), len(times)-1)
		pace[j] = lastPace(times[:end+1])
	}
}

// lastPace is the pace before the last message of a window: of the last 50 gaps.
func lastPace(times []float64) float64 {
	if len(times) < 2 {
		return 1
	}
	gaps := make([]float64, 0, paceGaps)
	for k := max(1, len(times)-paceGaps); k < len(times); k++ {
		gaps = append(gaps, times[k]-times[k-1])
	}
	slices.Sort(gaps)
	return trimmedMean(gaps)
}

func trimmedMean(sorted []float64) float64 {
	trim := len(sorted) * paceTrim / paceGaps
	kept := sorted[trim : len(sorted)-trim]
	sum := 0.0
	for _, x := range kept {
		sum += x
	}
	return max(minPace, sum/float64(len(kept)))
}

// log2 is the binary logarithm, linear between powers of two: exact enough to
// place a value between knots, and the same on every machine.
func log2(x float32) float32 {
	if x < 1e-20 {
		return -66
	}
	bits := math.Float32bits(x)
	exponent := int32(bits>>23) - 127
	mantissa := math.Float32frombits(bits&0x7fffff | 0x3f800000) // in [1, 2)
	return float32(exponent) + mantissa - 1
}
