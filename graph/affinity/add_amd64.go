package affinity

// addWeighted adds the weights of n inputs, each times its value, to u. Four sums fit into a
// register of every amd64, which Go's compiler does not use.
//
//go:noescape
func addWeighted(u, weights *Units, index *uint16, value *float32, n int)

// Add adds the weighted active inputs to the hidden units.
func (net *Network) Add(u *Units, a *Inputs) {
	addWeighted(u, &net.In[0], &a.Index[0], &a.Value[0], a.N)
}
