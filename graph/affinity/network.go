package affinity

import "math"

// hidden is the number of hidden units. All but unit 0 are rectified (ReLU). Unit 0 is a
// linear model beside them, whose weight in the score is 1.
const hidden = 32

// Units holds a value for each hidden unit.
type Units [hidden]float32

// Network holds the weights of a link model, a network with one hidden layer. The score of
// a candidate with the inputs x is
//
//	u₀ + Σₕ out[h] · max(0, uₕ), for h from 1, where u = bias + Σᵢ x[i] · in[i].
//
// The softmax of the scores of all candidates and of "none" is a row of links. A Network
// never changes, and may be used by many goroutines.
type Network struct {
	In   [inputs]Units
	Bias Units
	Out  Units
}

// Read returns the score that follows from the values of the hidden units.
func (net *Network) Read(u *Units) float32 {
	score := u[0]
	for h := 1; h < hidden; h++ {
		if x := u[h]; x > 0 {
			score += float32(net.Out[h] * x)
		}
	}
	return score
}

// score returns the score of a pair: of its row's base, the candidate's own share and
// the active inputs.
func (net *Network) score(base, own *Units, a *Inputs) float32 {
	u := *base
	u.plus(own)
	net.Add(&u, a)
	return net.Read(&u)
}

// Add adds the weighted active inputs to the hidden units, eight of these at a time, so
// that the sums stay in registers. Without the conversions, a compiler may fuse product
// and sum, which rounds once instead of twice.
func (net *Network) Add(u *Units, a *Inputs) {
	const lanes = 8
	for at := 0; at < hidden; at += lanes {
		to := (*[lanes]float32)(u[at:])
		s0, s1, s2, s3, s4, s5, s6, s7 := to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]
		for k := range a.N {
			x, from := a.Value[k], (*[lanes]float32)(net.In[a.Index[k]][at:])
			s0 += float32(x * from[0])
			s1 += float32(x * from[1])
			s2 += float32(x * from[2])
			s3 += float32(x * from[3])
			s4 += float32(x * from[4])
			s5 += float32(x * from[5])
			s6 += float32(x * from[6])
			s7 += float32(x * from[7])
		}
		*to = [lanes]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// addTimes adds x times from to to, which is as long. It rounds as add does.
func addTimes(to, from []float32, x float32) {
	from = from[:len(to)]
	for k := range to {
		to[k] += float32(x * from[k])
	}
}

func (u *Units) plus(o *Units) {
	for h := range u {
		u[h] += o[h]
	}
}

// hopeless is the distance from the highest score below which a probability counts as 0.
// It is less than 4e-11 there.
const hopeless = -24

// unjudged is the score of a message that is no candidate. Its probability is 0.
const unjudged = -1e30

// Softmax replaces scores by probabilities, which are proportional to their exponentials.
// A score whose distance from the highest one is at most floor, which is negative, gets 0.
func Softmax(scores []float32, floor float32) {
	top := scores[0]
	for _, s := range scores {
		top = max(top, s)
	}
	sum := float32(0)
	for i, s := range scores {
		var p float32
		if s -= top; s > floor {
			p = float32(math.Exp(float64(s)))
		}
		scores[i] = p
		sum += p
	}
	for i := range scores {
		scores[i] /= sum
	}
}
