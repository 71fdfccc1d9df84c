package llm

import (
	"strings"

	"heddle/graph/path"
)

// The finish reasons, with OpenAI's names. A reason of another provider with the same
// meaning is mapped to them; any other is kept.
const (
	FinishStop          = "stop"
	FinishLength        = "length" // the answer is cut off at a token limit
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	FinishRefusal       = "refusal" // the text is the model's own refusal
)

// Answer is a model's answer. After an error it holds what had arrived by then.
type Answer struct {
	Text         string // never any reasoning
	FinishReason string // "" if the answer broke off
	Usage        Usage
	Asked        string // the model that was asked
	Model        string // as reported by the provider; "" if it reports none
	Fingerprint  string // of the provider's configuration, as reported by it; "" if it reports none
	ToolCalls    []path.ToolCall
	Confidence   *Confidence // nil where unknown
	Tokens       []Token     // of Text, in order, if Config.KeepTokens is set and the provider sends them

	Request     []byte    // the exact bytes of the request's body
	RequestHash path.Hash // of Request
	// Dropped names what the caller asked for and the request left out because the
	// provider rejects it, such as "tools", "images" or "temperature".
	Dropped []string
	// Without names everything that the request left out, including Dropped. Rebuild
	// needs it.
	Without []string
}

// Token is a token that a model sampled.
type Token struct {
	Text string
	// Bytes are the token's bytes if they are not Text: a token may be a part of a
	// character. They are nil otherwise, and if the provider sends none and Text holds all
	// of them.
	Bytes   []byte
	Logprob float64
}

// Complete reports whether the answer is neither cut off nor refused nor waiting for
// tools.
func (a Answer) Complete() bool { return a.FinishReason == FinishStop && a.Text != "" }

// Usage is what the provider charged, in tokens; zero if unknown.
type Usage struct {
	Prompt     int
	Completion int
	Cached     int // of Prompt, read from the provider's cache
}

// Delta is the next piece of an answer.
type Delta struct {
	Text      string
	Reasoning string // the model's thoughts, never part of the answer
}

// finishReason returns OpenAI's name of a provider's finish reason.
func finishReason(reason string) string {
	switch reason = strings.ToLower(reason); reason {
	case "end_turn", "eos", "eos_token", "stop_sequence", "complete":
		return FinishStop
	case "max_tokens", "model_length":
		return FinishLength
	case "function_call", "tool_use":
		return FinishToolCalls
	case "safety", "recitation", "blocked", "prohibited_content":
		return FinishContentFilter
	default:
		return reason
	}
}
