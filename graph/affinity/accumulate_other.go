//go:build !amd64

package affinity

// add adds what active inputs give to the hidden units.
func (net *Network) add(u *units, a *active) { net.addPlainly(u, a) }
