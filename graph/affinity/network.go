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
	wide bool // 256-bit vectors are there to compute with
}

// Toward returns the network that lies the given share of the way to another one that
// was trained from it.
func (net *Network) Toward(other *Network, share float32) *Network {
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

// read returns the score of the hidden units. It adds in the order of vectors of eight,
// pair by pair.
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

// scorePlainly is what score does, in Go.
func (net *Network) scorePlainly(base, own *units, a *active) float32 {
	u := *base
	u.plus(own)
	net.add(&u, a)
	return net.read(&u)
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

// addTimesPlainly is what addTimes does, in Go, and rounds twice as addPlainly does.
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

// hopeless is the logarithm of a share that is nothing beside 1: softmax need not
// compute what is below it.
const hopeless = -24

// unjudged is the score of a candidate that is not judged: no share at all.
const unjudged = -1e30

// softmax turns scores, the last of them for "none", into probabilities. Those that
// lie further below the highest than the floor get none.
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
