package answer

import (
	"sync"

	"heddle/bot/outbox"
	"heddle/graph/path"
)

// HostsNamed returns the hosts that people named in a conversation. Hosts in files and
// earlier answers do not count, as people did not choose them. turns must not change
// afterwards.
func HostsNamed(turns []path.Turn) outbox.Hosts {
	return sync.OnceValue(func() []string {
		var texts []string
		for _, turn := range turns {
			if turn.Role == path.RoleUser {
				texts = append(texts, turn.PlainText())
			}
		}
		return outbox.HostsIn(texts...)
	})
}

// to returns where the answer is written.
func (p *Prepared) to() outbox.To {
	to := p.Job.to()
	to.Hosts, to.Gone = HostsNamed(p.Built.Path.Turns), p.gone
	return to
}
