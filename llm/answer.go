package llm

import (
	"strings"

	"heddle/graph/path"
)

// The finish reasons, as OpenAI names them; other providers' are mapped to them
// where they mean the same, and kept otherwise.
const (
	FinishStop          = "stop"
	FinishLength        = "length" // the answer is cut off at a token limit
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	FinishRefusal       = "refusal" // the text is the model's own refusal
)

// Answer is what a model gave. After a failure it holds what had come by then.
type Answer struct {
	Text         string // never any reasoning
	FinishReason string // "" where the answer broke off
	Usage        Usage
	Model        string // as the provider reports it; "" where it does not
	Fingerprint  string // of the provider's own configuration, as it reports it; "" where it does not
	ToolCalls    []path.ToolCall
	Confidence   *Confidence // nil where unknown

	Request     []byte    // the exact bytes of the request's body
	RequestHash path.Hash // of Request
	// Dropped names what the request asked for and was left out as the provider
	// rejects it, such as "tools", "images" or "temperature".
	Dropped []string
	// Without names everything that the request was made without, Dropped among it:
	// Rebuild makes the same request again.
	Without []string
}

// Complete says whether the answer is whole and meant as one: not cut off, refused
// or waiting for tools.
func (a Answer) Complete() bool { return a.FinishReason == FinishStop && a.Text != "" }

// Usage is what the provider charged, in tokens; zero where it did not say.
type Usage struct {
	Prompt     int
	Completion int
	Cached     int // of Prompt, read from the provider's cache
}

// Delta is a further piece of an answer.
type Delta struct {
	Text      string
	Reasoning string // the model's thoughts, never part of the answer
}

// finishReason maps what providers say to OpenAI's words.
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
