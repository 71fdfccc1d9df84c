package affinity

// accumulate adds value[k] times the row in[index[k]] to u, for every k below n.
//
//go:noescape
func accumulate(u *units, index *uint16, value *float32, n int, in *units)

// addScaled adds x times from[k] to to[k], for every k below n.
//
//go:noescape
func addScaled(to, from *float32, n int, x float32)

// scoreAVX does what scorePlainly does, where hasAVX.
//
//go:noescape
func scoreAVX(base, own *units, index *uint16, value *float32, n int, in, out *units) float32

// hasAVX reports whether the processor and the system support 256-bit vectors.
func hasAVX() bool

// add adds the weighted active inputs to the hidden units.
func (net *Network) add(u *units, a *active) {
	accumulate(u, &a.index[0], &a.value[0], a.n, &net.in[0])
}

// score returns the score of a pair: of its row's base, the candidate's own share and
// the active inputs.
func (net *Network) score(base, own *units, a *active) float32 {
	if net.wide {
		return scoreAVX(base, own, &a.index[0], &a.value[0], a.n, &net.in[0], &net.out)
	}
	return net.scorePlainly(base, own, a)
}

// addTimes adds x times from to to, which is as long.
func addTimes(to, from []float32, x float32) {
	if len(to) > 0 {
		_ = from[len(to)-1]
		addScaled(&to[0], &from[0], len(to), x)
	}
}
