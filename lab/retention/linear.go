package retention

import "slices"

// windows collects linear windows over conversations: the newest exchanges before each
// request that needs an earlier one, in all sizes.
type windows struct {
	reaches [][]reach
	depths  []int // for each needed exchange, the tokens of the smallest window that contains it; sorted before wasted is called
}

// reach is the used and wasted tokens of a window with one more exchange.
type reach struct{ used, wasted int }

// add adds the windows over a conversation.
func (w *windows) add(t *talk) {
	sizes := t.sizes()
	for i := range t.exchanges {
		if len(t.exchanges[i].needs) == 0 {
			continue
		}
		var at reach
		var back []reach
		for j := i - 1; j >= 0; j-- {
			at.used += sizes[j]
			if slices.Contains(t.exchanges[i].needs, j) {
				w.depths = append(w.depths, at.used)
			} else {
				at.wasted += sizes[j]
			}
			back = append(back, at)
		}
		w.reaches = append(w.reaches, back)
	}
}

// wasted returns the average number of unneeded tokens in a window. All requests have
// the same size of window: the smallest that contains the share recall of needed
// exchanges.
func (w *windows) wasted(recall float64) float64 {
	at := min(int(recall*float64(len(w.depths))+0.5), len(w.depths))
	if at == 0 {
		return 0
	}
	size, sum := w.depths[at-1], 0
	for _, back := range w.reaches {
		for _, at := range slices.Backward(back) {
			if at.used <= size {
				sum += at.wasted
				break
			}
		}
	}
	return float64(sum) / float64(len(w.reaches))
}
