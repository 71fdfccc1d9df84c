package affinity

import "heddle/graph"

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct {
	net  *Network
	free chan *room // that nobody judges in
}

// spareRooms is how many rooms are kept for the next windows. One takes half a megabyte.
const spareRooms = 4

var _ graph.Affinity = (*Model)(nil)

// NewModel returns a model with the weights of a network.
func NewModel(net *Network) *Model {
	return &Model{net: net, free: make(chan *room, spareRooms)}
}

// Network returns the weights of the model.
func (m *Model) Network() *Network { return m.net }

// Links returns the probabilities of what each message of a window answers.
func (m *Model) Links(window []*graph.Message) graph.Links {
	r := m.enter()
	defer m.leave(r)
	if len(window) == 0 {
		return graph.NewLinks(0)
	}
	m.net.judge(r, window[:len(window)-1])
	m.net.judgeLast(r, window)
	links := graph.NewLinks(len(window))
	for j := range window {
		copy(links.Row(j), r.link[j*r.stride:j*r.stride+j])
	}
	return links
}

func (m *Model) enter() *room {
	select {
	case r := <-m.free:
		return r
	default:
		return new(room)
	}
}

func (m *Model) leave(r *room) {
	select {
	case m.free <- r:
	default:
	}
}
