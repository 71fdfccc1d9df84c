package affinity

import "heddle/graph"

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct {
	net *Network
}

var _ graph.Affinity = (*Model)(nil)

// NewModel makes a model of a network.
func NewModel(net *Network) *Model { return &Model{net: net} }

// Links says of every message of a window what it answers.
func (m *Model) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	w := newWindow(window)
	m.net.infer(w)
	for j := range window {
		copy(links.Row(j), w.link[j*w.n:j*w.n+j])
	}
	return links
}
