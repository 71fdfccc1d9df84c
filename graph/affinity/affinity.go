package affinity

import "heddle/graph"

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct {
	weights Weights
	free    chan *workspace  // not in use, each without a comparison
	compare chan *comparison // not in use
	links   chan graph.Links // not in use
	ahead   judgedAhead
}

// spareWorkspaces is the number of workspaces, and of comparisons, that are kept for the
// next windows. One of each takes half a megabyte.
const spareWorkspaces = 2

var (
	_ graph.Affinity = (*Model)(nil)
	_ graph.Reuser   = (*Model)(nil)
)

// NewModel returns a model with these weights.
func NewModel(weights Weights) *Model {
	return &Model{
		weights: weights, free: make(chan *workspace, spareWorkspaces), compare: make(chan *comparison, spareWorkspaces),
		links: make(chan graph.Links, spareWorkspaces), ahead: newJudgedAhead(),
	}
}

// Weights returns the weights of the model.
func (m *Model) Weights() Weights { return m.weights }

// Links returns the probabilities of what each message of a window answers. The last
// message is taken for a trigger: the links of the others do not depend on it, so they
// are the same whether they were judged ahead or not.
func (m *Model) Links(window []*graph.Message) graph.Links {
	if len(window) == 0 {
		return graph.NewLinks(0)
	}
	before := window[:len(window)-1]
	r := m.ahead.take(window[0].Channel, before)
	if r == nil {
		r = m.takeWorkspace()
		m.weights.judge(r, before)
	} else {
		r.comparison = spare(m.compare)
	}
	m.weights.judgeLast(r, window)
	links := r.links
	r.links = graph.Links{} // they belong to the caller now
	keep(m.compare, r.detach())
	keep(m.free, r)
	return links
}

// Ahead judges the messages of a channel, oldest first, before its next trigger arrives.
// If Links is then asked about these messages and one more, it judges that one alone.
// Until Links has used them or Forget is called, the model keeps the links, and hashes of
// the messages' words and grams. The returned links have an empty row for the next
// message.
func (m *Model) Ahead(before []*graph.Message) graph.Links {
	if len(before) == 0 {
		return graph.NewLinks(0)
	}
	r := m.takeWorkspace()
	m.weights.judge(r, before)
	keep(m.compare, r.detach())
	links := r.links.Clone() // a later call of Links returns the others
	if old := m.ahead.put(before[0].Channel, m.ahead.fingerprint(before), r); old != nil {
		keep(m.free, old)
	}
	return links
}

// Reuse takes back links that are no longer read, so that their memory is used again.
func (m *Model) Reuse(links graph.Links) {
	select {
	case m.links <- links:
	default:
	}
}

// takeWorkspace returns a workspace with a comparison and with memory for links.
func (m *Model) takeWorkspace() *workspace {
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
