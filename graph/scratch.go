package graph

// Scratch is memory that expansions work in one after the other, so that it need not be
// allocated for each. It holds nothing of what was read once an expansion has ended. Many
// goroutines may use one.
type Scratch struct {
	free chan *workspace // that nobody works in
}

// spareWorkspaces is how many workspaces are kept for the next expansions. One takes
// about 150 kB, and 280 kB where turns counted.
const spareWorkspaces = 4

// NewScratch returns memory to work in.
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

// keep takes over the memory that an expansion has worked in.
func (w *workspace) keep(d *draft, rs *references) {
	w.nodes, w.joints, w.references = d.nodes, d.joints, rs.all
}

// keepWeighing takes over the memory that an expansion has weighed in. The links that it
// asked for go back to the affinity.
func (w *workspace) keepWeighing(g *weighing) {
	if reuser, can := g.options.Affinity.(Reuser); can {
		for i := range g.asked {
			reuser.Reuse(g.asked[i].links)
		}
	}
	w.explored, w.recent = g.exploration.explored, g.exploration.recent
	w.asked, w.window, w.numbers = g.asked, g.window, g.numbers
}

// take returns a workspace. Without a scratch it is new.
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

// put takes a workspace back, and lets go of the messages in it.
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
