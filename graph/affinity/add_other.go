//go:build !amd64

package affinity

// Add adds the weighted active inputs to the hidden units.
func (net *Network) Add(u *Units, a *Inputs) { net.addEach(u, a) }
