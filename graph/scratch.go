package graph

// Scratch is memory that expansions use one after the other instead of allocating it.
// It holds no messages once an expansion has ended. It may be used by any goroutine.
type Scratch struct {
	free chan *workspace // workspaces that no expansion uses
}

// spareWorkspaces is the number of workspaces that are kept. Each takes about 150 kB,
// or 280 kB if it was used for turns.
const spareWorkspaces = 4

// NewScratch returns an empty Scratch.
func NewScratch() *Scratch { return &Scratch{free: make(chan *workspace, spareWorkspaces)} }

// workspace is the memory of one expansion.
type workspace struct {
	entries []entry
	index   map[MessageID]int
	belief  belief

	explored, recent []int
	references       []reference
	nodes            []node
	joints           []joint
	asked            []stretch
	window           []*Message
	numbers          []int
}

// keep stores the memory that an expansion has used.
func (w *workspace) keep(d *draft, rs *references) {
	w.nodes, w.joints, w.references = d.nodes, d.joints, rs.all
}

// keepWeighing stores the memory that a weighing has used, and returns to the affinity
// the links that it made.
func (w *workspace) keepWeighing(g *weighing) {
	if reuser, can := g.options.Affinity.(Reuser); can {
		for i := range g.judging.asked {
			reuser.Reuse(g.judging.asked[i].links)
		}
	}
	w.explored, w.recent = g.exploration.explored, g.exploration.recent
	w.asked, w.window, w.numbers = g.judging.asked, g.judging.window, g.judging.numbers
}

// take returns a free workspace, or a new one. A nil Scratch always returns a new one.
func (s *Scratch) take() *workspace {
	if s != nil {
		select {
		case w := <-s.free:
			return w
		default:
		}
	}
	return &workspace{index: make(map[MessageID]int)}
}

// put returns a workspace for reuse, and drops the messages in it.
func (s *Scratch) put(w *workspace) {
	if s == nil {
		return
	}
	clear(w.entries)
	clear(w.index)
	clear(w.nodes)
	clear(w.asked)
	clear(w.window[:cap(w.window)])
	select {
	case s.free <- w:
	default:
	}
}
