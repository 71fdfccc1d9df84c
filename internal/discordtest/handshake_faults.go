package discordtest

import (
	"slices"
	"time"
)

// Handshake is an identify or a resume that a client sent.
type Handshake struct {
	Resume bool
	Shard  [2]int // of an identify: its number and how many there are
	At     time.Time
}

// HandshakeFault is a way in which identifies or resumes go wrong. The zero value leaves
// one of them unanswered.
type HandshakeFault struct {
	// Close is the close code to answer with.
	Close int
	// Op is a payload to answer with: 7, or 9 that says that the session is lost.
	Op int
	// Resume strikes only resumes.
	Resume bool
	// Times is the number of handshakes that are struck: 0 is one, below 0 is all.
	Times int
}

// handshakes holds the handshakes so far and the faults that strike further ones.
type handshakes struct {
	seen   []Handshake
	faults []*HandshakeFault
}

// InjectHandshake activates a fault. Several faults strike one after another.
func (g *Gateway) InjectHandshake(f HandshakeFault) {
	g.world.mu.Lock()
	defer g.world.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	g.handshakes.faults = append(g.handshakes.faults, &f)
}

// Handshakes returns the identifies and resumes so far, in their order.
func (g *Gateway) Handshakes() []Handshake {
	g.world.mu.RLock()
	defer g.world.mu.RUnlock()
	return slices.Clone(g.handshakes.seen)
}

// strike records a handshake. It reports whether a fault strikes the handshake, and answers
// it in that case.
func (all *handshakes) strike(k *socket, h Handshake) bool {
	all.seen = append(all.seen, h)
	for _, f := range all.faults {
		if f.Times == 0 || f.Resume && !h.Resume {
			continue
		}
		f.Times--
		switch {
		case f.Close != 0:
			k.closeWith(f.Close)
		case f.Op != 0:
			k.write(control(f.Op, false))
		}
		return true
	}
	return false
}
