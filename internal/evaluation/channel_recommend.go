package evaluation

const (
	// messagePrice is the share of the parents that one more message in the context has to
	// find to be worth sending: 15 more messages for one parent in 44.
	messagePrice = 0.0015
	// worthAChange is by how much other settings have to be better than those in effect.
	worthAChange = 0.005
	// worthASwitch is the same for settings that switch AFFINITY: replies tell what was
	// found, not what is mixed into a context, and parting talks is what AFFINITY is for.
	worthASwitch = 0.02
)

// worth is the share of the parents that settings find, less the price of their messages.
func (t *Tried) worth() float64 { return t.Parents.InSent - messagePrice*t.Parents.Sent }

// recommend returns the settings that are worth the most: those in effect unless others are
// clearly better.
func recommend(now Tried, grid []Tried) *Tried {
	best, most := now, now.worth()
	for i := range grid {
		margin := worthAChange
		if grid[i].Thresholds.Affinity != now.Thresholds.Affinity {
			margin = worthASwitch
		}
		if worth := grid[i].worth(); worth > now.worth()+margin && worth > most {
			best, most = grid[i], worth
		}
	}
	return &best
}
