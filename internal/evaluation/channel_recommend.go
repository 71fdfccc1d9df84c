package evaluation

const (
	// messagePrice is the share of the parents that one more message in the context
	// must find to be worth sending. At this price 15 more messages must find one more
	// parent in 44.
	messagePrice = 0.0015
	// worthAChange is by how much other settings must be better than those in effect to
	// be recommended.
	worthAChange = 0.005
	// worthASwitch is the same for settings that switch AFFINITY on or off. It is
	// higher because replies measure what is found, and not which messages of other
	// talks are in the context, which AFFINITY is meant to keep out.
	worthASwitch = 0.02
)

// worth returns the share of the parents that settings find, less the price of their
// messages.
func (t *Tried) worth() float64 { return t.Parents.InSent - messagePrice*t.Parents.Sent }

// recommend returns the settings that are worth most. It prefers those in effect unless
// others are clearly better, and by more than the margin of error: AFFINITY=off was recommended
// for channels in which it found as much (finding 5).
func recommend(now Tried, grid []Tried) *Tried {
	best, most, unsure := now, now.worth(), now.Parents.unsure()
	for i := range grid {
		margin := worthAChange
		if grid[i].Thresholds.Affinity != now.Thresholds.Affinity {
			margin = worthASwitch
		}
		if worth := grid[i].worth(); worth > now.worth()+max(margin, unsure) && worth > most {
			best, most = grid[i], worth
		}
	}
	return &best
}
