package affinity

import "heddle/graph"

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct {
	net     *Network
	free    chan *room       // that nobody judges in, without a comparison
	compare chan *comparison // that nobody compares in
	links   chan graph.Links // that nobody reads
	ahead   judgedAhead
}

// spareRooms is how many rooms, and comparisons, are kept for the next windows. One of
// each takes half a megabyte.
const spareRooms = 2

var (
	_ graph.Affinity = (*Model)(nil)
	_ graph.Reuser   = (*Model)(nil)
)

// NewModel returns a model with the weights of a network.
func NewModel(net *Network) *Model {
	return &Model{
		net: net, free: make(chan *room, spareRooms), compare: make(chan *comparison, spareRooms),
		links: make(chan graph.Links, spareRooms), ahead: newJudgedAhead(),
	}
}

// Network returns the weights of the model.
func (m *Model) Network() *Network { return m.net }

// Links returns the probabilities of what each message of a window answers. The last
// message is taken for a trigger: it changes nothing of the others' links. So the links
// are the same whether the others were judged ahead or not.
func (m *Model) Links(window []*graph.Message) graph.Links {
	if len(window) == 0 {
		return graph.NewLinks(0)
	}
	before := window[:len(window)-1]
	r := m.ahead.take(window[0].Channel, before)
	if r == nil {
		r = m.room()
		m.net.judge(r, before)
	} else {
		r.comparison = spare(m.compare)
	}
	m.net.judgeLast(r, window)
	links := r.links
	r.links = graph.Links{} // whoever asked has them now
	keep(m.compare, r.detach())
	keep(m.free, r)
	return links
}

// Ahead judges the messages of a channel, oldest first, that stand before its next
// trigger. If Links is then asked about a window of these messages and one more, it
// judges that one alone. What is kept are links, and hashes of words and of strings of
// four characters, until Links has used them or Forget is called. The links returned have
// an empty row for the next message.
func (m *Model) Ahead(before []*graph.Message) graph.Links {
	if len(before) == 0 {
		return graph.NewLinks(0)
	}
	r := m.room()
	m.net.judge(r, before)
	keep(m.compare, r.detach())
	links := r.links.Clone() // those of the room go to whoever asks for them
	if old := m.ahead.put(before[0].Channel, m.ahead.fingerprint(before), r); old != nil {
		keep(m.free, old)
	}
	return links
}

// Reuse takes back links that nobody reads any more.
func (m *Model) Reuse(links graph.Links) {
	select {
	case m.links <- links:
	default:
	}
}

// room returns a room with a comparison and with memory for links.
func (m *Model) room() *room {
	r := spare(m.free)
	r.comparison = spare(m.compare)
	if r.links.Size() == 0 {
		select {
		case r.links = <-m.links:
		default:
		}
	}
	return r
}

// Forget drops what was judged ahead in a channel.
func (m *Model) Forget(channel graph.ChannelID) {
	m.ahead.remove(channel, func(judged) bool { return true })
}

// spare returns memory that is not in use, or new memory.
func spare[T any](free chan *T) *T {
	select {
	case t := <-free:
		return t
	default:
		return new(T)
	}
}

// keep keeps memory for the next use, unless there is enough.
func keep[T any](free chan *T, t *T) {
	select {
	case free <- t:
	default:
	}
}
