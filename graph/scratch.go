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
	select {
	case s.free <- w:
	default:
	}
}
