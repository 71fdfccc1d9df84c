package llm

import (
	"strings"

	"github.com/tiktoken-go/tokenizer/codec"

	"heddle/graph/path"
)

// What a message and a picture take besides their text, in tokens. OpenAI gives 3 a
// message and 3 for the answer's beginning. A picture costs 85 in low detail; in any other at most 85 + 170 for
// each of 8 tiles of 512 pixels, as it is scaled to at most 2048 by 768 pixels.
// gpt-4o-mini charges 33⅓ times as many.
const (
	messageTokens   = 4
	lowImageTokens  = 85
	highImageTokens = 85 + 8*170
)

// Counter counts tokens offline: exactly for models of OpenAI whose tokenizer is
// known, and for others too many rather than too few. It remembers nothing; whoever
// needs a count twice keeps it. Its methods may be called from any goroutine.
type Counter struct {
	codec  *codec.Codec
	exact  bool
	images int // what each token of a picture is charged as
}

// NewCounter is a counter for a model. The first of a tokenizer takes some
// milliseconds to load.
func NewCounter(model string) *Counter {
	model = model[strings.LastIndexByte(model, '/')+1:]
	model = strings.TrimPrefix(model, "ft:")
	counter := &Counter{images: 1}
	switch {
	case hasAnyPrefix(model, "gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "o1", "o3", "o4"):
		counter.codec, counter.exact = codec.NewO200kBase(), true
	case hasAnyPrefix(model, "gpt-4", "gpt-3.5", "gpt-35"):
		counter.codec, counter.exact = codec.NewCl100kBase(), true
	default:
		counter.codec = codec.NewO200kBase()
	}
	if strings.HasPrefix(model, "gpt-4o-mini") {
		counter.images = 34
	}
	return counter
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// Exact says whether the model's own tokenizer is known.
func (c *Counter) Exact() bool { return c.exact }

// Text is how many tokens a text takes. Where the tokenizer is not known that is
// what o200k takes and 30% more, and at least one for every character that is not
// ASCII, as small vocabularies have none longer than that.
func (c *Counter) Text(text string) int {
	count, err := c.codec.Count(text)
	if err != nil { // the splitter gave up: no token is shorter than a byte
		return len(text)
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

// Turn is how many tokens a turn takes as it is sent, pictures shown.
func (c *Counter) Turn(turn path.Turn) int {
	count := messageTokens
	shown := path.Turn{Role: turn.Role, Speaker: turn.Speaker}
	for _, part := range turn.Parts {
		if image, ok := part.(path.Image); ok {
			count += c.image(image)
			continue
		}
		shown.Parts = append(shown.Parts, part)
	}
	return count + c.Text(Render(shown))
}

func (c *Counter) image(image path.Image) int {
	if image.Detail == "low" {
		return lowImageTokens * c.images
	}
	return highImageTokens * c.images
}
