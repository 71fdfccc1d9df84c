//go:build !amd64

package affinity

func hasAVX() bool { return false }

// add adds the weighted active inputs to the hidden units.
func (net *Network) add(u *units, a *active) { net.addPlainly(u, a) }

// score returns the score of a pair: of its row's base, the candidate's own share and
// the active inputs.
func (net *Network) score(base, own *units, a *active) float32 {
	return net.scorePlainly(base, own, a)
}

// addTimes adds x times from to to, which is as long.
func addTimes(to, from []float32, x float32) { addTimesPlainly(to, from, x) }
