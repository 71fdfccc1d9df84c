package affinity

import "math"

// hidden is the number of hidden units. All but unit 0 are rectified (ReLU). Unit 0 is a
// linear model beside them, whose weight in the score is 1.
const hidden = 32

// units holds a value for each hidden unit.
type units [hidden]float32

// Network holds the weights of a link model, a network with one hidden layer. The score of
// a candidate with the inputs x is
//
//	u₀ + Σₕ out[h] · max(0, uₕ), for h from 1, where u = bias + Σᵢ x[i] · in[i].
//
// The softmax of the scores of all candidates and of "none" is a row of links. A Network
// never changes, and may be used by many goroutines.
type Network struct {
	in   [inputs]units
	bias units
	out  units
	wide bool // the processor and the system support 256-bit vectors
}

// toward returns the network that lies the given share of the way to another one that
// was trained from it.
func (net *Network) toward(other *Network, share float32) *Network {
	between := *net
	var theirs []*units
	other.each(func(u *units) { theirs = append(theirs, u) })
	between.each(func(u *units) {
		for h := range u {
			u[h] += share * (theirs[0][h] - u[h])
		}
		theirs = theirs[1:]
	})
	return &between
}

// read returns the score that follows from the values of the hidden units. It adds in the
// same order as scoreAVX, so that both return the same bits.
func (net *Network) read(u *units) float32 {
	const lanes = 8
	var p units
	p[0] = u[0]
	for h := 1; h < hidden; h++ {
		if x := u[h]; x > 0 {
			p[h] = net.out[h] * x
		}
	}
	for l := range lanes {
		p[l] = (p[l] + p[l+lanes]) + (p[l+2*lanes] + p[l+3*lanes])
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for l := range half {
			p[l] += p[l+half]
		}
	}
	return p[0]
}

// scorePlainly is scoreAVX in Go.
func (net *Network) scorePlainly(base, own *units, a *active) float32 {
	u := *base
	u.plus(own)
	net.add(&u, a)
	return net.read(&u)
}

// addPlainly is accumulate in Go. Without the conversion, a compiler may fuse the product
// and the sum, which rounds once instead of twice.
func (net *Network) addPlainly(u *units, a *active) {
	for k := range a.n {
		x, from := a.value[k], &net.in[a.index[k]]
		for h := range u {
			u[h] += float32(x * from[h])
		}
	}
}

// addTimesPlainly is addScaled in Go. It rounds as addPlainly does.
func addTimesPlainly(to, from []float32, x float32) {
	for k := range to {
		to[k] += float32(x * from[k])
	}
}

func (u *units) plus(o *units) {
	for h := range u {
		u[h] += o[h]
	}
}

// hopeless is the distance from the highest score below which a probability counts as 0.
// It is less than 4e-11 there.
const hopeless = -24

// unjudged is the score of a message that is no candidate. Its probability is 0.
const unjudged = -1e30

// softmax replaces scores by probabilities, which are proportional to their exponentials.
// A score whose distance from the highest one is at most floor, which is negative, gets 0.
func softmax(scores []float32, floor float32) {
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
