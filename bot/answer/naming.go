package answer

import (
	"heddle/graph/path"
	"heddle/internal/lookalike"
)

// naming is how the people of conversations are named: nobody passes for another person,
// for heddle or for one of its tools.
type naming struct {
	base   path.Naming
	guilds Guilds
}

func newNaming(tools specs, guilds Guilds) naming {
	base := path.NewNaming(lookalike.Fold)
	for _, tool := range tools.Specs() {
		base = base.Reserving(tool.Name)
	}
	return naming{base, guilds}
}

// now returns the naming with the names that heddle has on Discord now.
func (n naming) now() path.Naming {
	if n.guilds == nil {
		return n.base
	}
	self := n.guilds.Self()
	return n.base.Reserving(self.Name, self.Global)
}
