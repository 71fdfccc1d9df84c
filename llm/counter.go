package llm

import (
	"context"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph/path"
)

// The tokens of a message besides its text, and of a picture. OpenAI counts 3 for a
// message and 3 for the start of the answer. A picture is scaled to at most 2048 by 768
// pixels, and costs 85 plus 170 for each of at most 8 tiles of 512 pixels. gpt-4o-mini
// charges 33⅓ times as much.
const (
	messageTokens = 4
	imageTokens   = 85 + 8*170
)

// Counter counts tokens offline. It counts exactly for OpenAI's models since GPT-4o, and
// for others rather too many than too few. Its methods may be called from any goroutine.
type Counter struct {
	exact  bool
	images int // tokens charged for each token of a picture
	turns  *lru.Cache[path.Hash, int]
}

// NewCounter returns a counter for a model. The first count loads the vocabulary, which
// takes some fifty milliseconds.
func NewCounter(model string) *Counter {
	model = model[strings.LastIndexByte(model, '/')+1:]
	model = strings.TrimPrefix(model, "ft:")
	turns, _ := lru.New[path.Hash, int](countedTurns) // the size is positive
	counter := &Counter{images: 1, turns: turns}
	counter.exact = hasAnyPrefix(model, "gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "o1", "o3", "o4")
	if strings.HasPrefix(model, "gpt-4o-mini") {
		counter.images = 34
	}
	return counter
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}

// Text returns the number of tokens of a text. If the tokenizer is unknown, that is 30%
// more than with o200k, and at least one for every character outside ASCII, as in
// small vocabularies. Once ctx has ended, every remaining byte counts as a token.
func (c *Counter) Text(ctx context.Context, text string) int {
	count := 0
	for rest := text; rest != ""; {
		if ctx.Err() != nil {
			count += len(rest)
			break
		}
		end := nextWord(rest)
		count += countTokens(rest[:end])
		rest = rest[end:]
	}
	if c.exact {
		return count
	}
	wide := 0
	for _, r := range text {
		if r >= 0x80 {
			wide++
		}
	}
	return max((count*13+9)/10, wide)
}

// countedTurns bounds the turns whose sizes are remembered: those of a few hundred
// busy conversations.
const countedTurns = 16_384

// Turn returns the number of tokens of a turn as it is sent, including pictures. Nearly
// all turns come again with every question of their conversation, and then cost only
// their hash. Once ctx has ended, the number may be too large, and is not remembered.
func (c *Counter) Turn(ctx context.Context, turn path.Turn) int {
	hash := turn.Hash()
	tokens, known := c.turns.Get(hash)
	if !known {
		tokens = c.count(ctx, turn)
		if ctx.Err() == nil {
			c.turns.Add(hash, tokens)
		}
	}
	return tokens
}

// count counts a turn: its text as it is sent, and its pictures.
func (c *Counter) count(ctx context.Context, turn path.Turn) int {
	tokens := messageTokens
	shown := path.Turn{Role: turn.Role, Speaker: turn.Speaker}
	for _, part := range turn.Parts {
		if _, ok := part.(path.Image); ok {
			tokens += imageTokens * c.images
		} else {
			shown.Parts = append(shown.Parts, part)
		}
	}
	return tokens + c.Text(ctx, Render(shown))
}

// CountFunc returns the number of tokens of a turn, as Counter.Turn does.
type CountFunc func(ctx context.Context, turn path.Turn) int

// shortTail is the size in bytes of a tail up to which each byte counts as a token. A tail is
// new each time, and counting it takes time.
const shortTail = 1 << 10

// Request returns how many tokens a request takes at most, without its answer.
func (c *Counter) Request(ctx context.Context, request *Request) int {
	if len(request.Tail) > shortTail {
		return messageTokens + c.Sent(ctx, request)
	}
	return len(tailLabel) + len(request.Tail) + c.withoutTail(ctx, request)
}

// Sent returns how many tokens a request takes, with its tail. That is asked before and after
// an answer, whose end waits for it.
func (c *Counter) Sent(ctx context.Context, request *Request) int {
	tail := tailLabel + request.Tail
	hash := path.RequestHash([]byte(tail))
	tokens, known := c.turns.Get(hash)
	if !known {
		tokens = c.Text(ctx, tail)
		if ctx.Err() == nil {
			c.turns.Add(hash, tokens)
		}
	}
	return tokens + c.withoutTail(ctx, request)
}

func (c *Counter) withoutTail(ctx context.Context, request *Request) int {
	tokens := 0
	for _, turn := range slices.Concat(request.Path.Turns, request.Since) {
		tokens += c.Turn(ctx, turn)
	}
	for _, tool := range request.Path.Tools {
		parts := []path.Part{path.Text(tool.Name), path.Text(tool.Description), path.Text(tool.Schema)}
		tokens += c.Turn(ctx, path.Turn{Role: path.RoleSystem, Parts: parts})
	}
	return tokens
}
