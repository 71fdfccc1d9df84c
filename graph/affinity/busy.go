package affinity

// isBusy reports whether the busy network judges the row of message j: the channel is not
// slow, as less than two minutes pass between messages. Too short a window does not show the
// pace and is left to the busy network, which parts small channels better. The first messages
// of a longer one have the pace of the messages after them. A teacher is the only network, so
// its answer makes no difference.
func (w *window) isBusy(j int) bool {
	if w.n <= slowGaps {
		return true
	}
	return meanGap(w.times[max(0, j-slowGaps):]) < slowFrom
}
