package llm

import (
	"context"

	"heddle/graph/path"
	"heddle/internal/lru"
)

// CountFunc returns the number of tokens of a turn. Once ctx has ended, the number may
// be too large.
type CountFunc func(ctx context.Context, turn path.Turn) int

// countedTurns bounds the turns whose sizes are remembered: those of a few hundred
// busy conversations.
const countedTurns = 16_384

// Cached returns a count that counts each turn once. Nearly all turns come again with
// every question of their conversation, and then cost only their hash. A count that ctx
// cut short is not remembered.
func Cached(count CountFunc) CountFunc {
	counts := lru.New[path.Hash, int](countedTurns)
	return func(ctx context.Context, turn path.Turn) int {
		hash := turn.Hash()
		n, known := counts.Get(hash)
		if !known {
			n = count(ctx, turn)
			if ctx.Err() == nil {
				counts.Add(hash, n)
			}
		}
		return n
	}
}

// Request returns how many tokens a request takes at most, without its answer. The
// tail, which is new each time, counts with a token for each of its bytes.
func (count CountFunc) Request(ctx context.Context, request *Request) int {
	return countRequest(request, func(turn path.Turn) int { return count(ctx, turn) })
}

func countRequest(request *Request, count func(path.Turn) int) int {
	tokens := len(tailLabel) + len(request.Tail)
	for _, turns := range [][]path.Turn{request.Path.Turns, request.Since} {
		for _, turn := range turns {
			tokens += count(turn)
		}
	}
	for _, tool := range request.Path.Tools {
		parts := []path.Part{path.Text(tool.Name), path.Text(tool.Description), path.Text(tool.Schema)}
		tokens += count(path.Turn{Role: path.RoleSystem, Parts: parts})
	}
	return tokens
}
