//go:build !amd64

package affinity

func hasAVX() bool { return false }

// add adds what active inputs give to the hidden units.
func (net *Network) add(u *units, a *active) { net.addPlainly(u, a) }

// score gives the score that a row's base, a candidate's own share and the active
// inputs of the pair come to.
func (net *Network) score(base, own *units, a *active) float32 {
	return net.scorePlainly(base, own, a)
}

// addTimes adds x times from to to, which is as long.
func addTimes(to, from []float32, x float32) { addTimesPlainly(to, from, x) }
