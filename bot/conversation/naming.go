package conversation

import (
	"sync/atomic"

	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/lookalike"
)

// naming decides how the people in conversations are named, so that nobody passes for
// another person, for heddle or for one of its tools.
type naming struct {
	base   path.Naming
	guilds self
	last   *atomic.Pointer[namedAs]
}

// self returns heddle's account; guilds.Permissions does.
type self interface {
	Self() discord.User
}

// namedAs is a naming together with heddle's own names.
type namedAs struct {
	name, global string
	naming       path.Naming
}

func newNaming(tools Tools, guilds self) naming {
	base := path.NewNaming(lookalike.Fold)
	for _, tool := range tools.Specs() {
		base = base.Reserving(tool.Name)
	}
	return naming{base, guilds, new(atomic.Pointer[namedAs])}
}

// now returns the naming with heddle's current names on Discord.
func (n naming) now() path.Naming {
	if n.guilds == nil {
		return n.base
	}
	self := n.guilds.Self()
	last := n.last.Load()
	if last == nil || last.name != self.Name || last.global != self.Global {
		last = &namedAs{self.Name, self.Global, n.base.Reserving(self.Name, self.Global)}
		n.last.Store(last)
	}
	return last.naming
}
