package affinity

// accumulate adds value[k] times the row in[index[k]] to u, for every k below n.
//
//go:noescape
func accumulate(u *units, index *uint16, value *float32, n int, in *units)

// add adds what active inputs give to the hidden units.
func (net *Network) add(u *units, a *active) {
	accumulate(u, &a.index[0], &a.value[0], a.n, &net.in[0])
}
