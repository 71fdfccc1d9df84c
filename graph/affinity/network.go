package affinity

import "math"

// hidden is how many hidden units the network has. Unit 0 has no kink: it is a
// linear model beside the others.
const hidden = 32

type units [hidden]float32

// Network holds the weights of a link model. It is not changed once made, and may
// be used by many goroutines.
type Network struct {
	in   [inputs]units
	bias units
	out  units
}

// read gives the score that the hidden units come to.
func (net *Network) read(u *units) float32 {
	score := u[0]
	for h := 1; h < hidden; h++ {
		if x := u[h]; x > 0 {
			score += float32(net.out[h] * x)
		}
	}
	return score
}

// addPlainly is what add does, in Go. The conversion keeps processors that could
// from rounding once where others round twice.
func (net *Network) addPlainly(u *units, a *active) {
	for k := range a.n {
		x, from := a.value[k], &net.in[a.index[k]]
		for h := range u {
			u[h] += float32(x * from[h])
		}
	}
}

func (u *units) plus(o *units) {
	for h := range u {
		u[h] += o[h]
	}
}

// softmax turns scores, the last of them for "none", into probabilities.
func softmax(scores []float32) {
	top := scores[0]
	for _, s := range scores {
		top = max(top, s)
	}
	sum := float32(0)
	for i, s := range scores {
		p := float32(math.Exp(float64(s - top)))
		scores[i] = p
		sum += p
	}
	for i := range scores {
		scores[i] /= sum
	}
}
