package bot

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph/path"
)

// countedTurns is how many turns' sizes are remembered: a few hundred busy
// conversations'.
const countedTurns = 16_384

// cachedCount counts each turn once: a turn that comes again, as nearly all do with
// every mention of one conversation, costs its hash only.
func cachedCount(count func(path.Turn) int) func(path.Turn) int {
	if count == nil {
		return nil
	}
	counts, err := lru.New[path.Hash, int](countedTurns)
	if err != nil {
		return count // never: the size is positive
	}
	return func(turn path.Turn) int {
		hash := turn.Hash()
		n, known := counts.Get(hash)
		if !known {
			n = count(turn)
			counts.Add(hash, n)
		}
		return n
	}
}
