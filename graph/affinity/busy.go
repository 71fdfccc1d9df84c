package affinity

// isBusy reports whether the busy network judges the row of message j: the channel is not
// slow, as less than two minutes pass between messages. The first messages of a window have
// the pace of the messages after them. A teacher is the only network, so its answer makes no
// difference.
func (w *window) isBusy(j int) bool {
	first := max(0, j-slowGaps)
	return meanGap(w.times[first:min(w.n, first+slowGaps+1)]) < slowFrom
}
