package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// chunk is the data of one event of a stream, or a whole answer of a server that does not
// stream. A field of an unexpected type is as good as missing and costs nothing else: each
// field that some provider is known to fill differently has a type that takes any JSON.
// The package documentation lists what go-openai's type loses.
type chunk struct {
	Type        text            `json:"type"`
	Object      text            `json:"object"`
	Model       text            `json:"model"`
	Fingerprint text            `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       json.RawMessage `json:"usage"`
	Error       json.RawMessage `json:"error"`
	Base        struct {
		Status number `json:"status_code"`
	} `json:"base_resp"` // MiniMax sends it with every answer, and errors as nothing else

	// Where an error without a name of its own says what is wrong.
	Message, Msg, Detail json.RawMessage
	ErrorMessage         json.RawMessage `json:"error_msg"`
}

type choice struct {
	Index        number          `json:"index"`
	Delta        *delta          `json:"delta"`
	Message      *delta          `json:"message"` // in an answer that is not streamed
	FinishReason reason          `json:"finish_reason"`
	Camel        reason          `json:"finishReason"` // Gemini (llmcord#84)
	Logprobs     json.RawMessage `json:"logprobs"`
}

// delta is a piece of a message. What it holds besides the known fields may have to be
// returned with the calls of the message.
type delta struct {
	Content          content         `json:"content"`
	Refusal          text            `json:"refusal"`
	ReasoningContent text            `json:"reasoning_content"` // DeepSeek and most servers
	Reasoning        text            `json:"reasoning"`         // OpenRouter, vLLM
	ToolCalls        []toolCallDelta `json:"tool_calls"`
	FunctionCall     *functionDelta  `json:"function_call"` // the older form of a call

	raw fields
}

type toolCallDelta struct {
	Index    *number       `json:"index"`
	ID       text          `json:"id"`
	Function functionDelta `json:"function"`

	raw fields
}

type functionDelta struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`

	raw fields
}

// fields are all fields of a JSON object.
type fields map[string]json.RawMessage

// UnmarshalJSON reads the known fields and keeps them all.
func (d *delta) UnmarshalJSON(data []byte) error {
	type known delta
	lenient(data, (*known)(d))
	lenient(data, &d.raw)
	return nil
}

// UnmarshalJSON reads the known fields and keeps them all.
func (d *toolCallDelta) UnmarshalJSON(data []byte) error {
	type known toolCallDelta
	lenient(data, (*known)(d))
	lenient(data, &d.raw)
	return nil
}

// UnmarshalJSON reads the known fields and keeps them all.
func (d *functionDelta) UnmarshalJSON(data []byte) error {
	type known functionDelta
	lenient(data, (*known)(d))
	lenient(data, &d.raw)
	return nil
}

// lenient decodes valid JSON as far as its types fit: encoding/json leaves out a field whose
// type does not, and goes on.
func lenient(data []byte, to any) { _ = json.Unmarshal(data, to) }

// isWhole reports whether data is one JSON object or list.
func isWhole(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Valid(data)
}

// failed reports whether the chunk is an error, whichever field holds it.
func (c *chunk) failed() bool {
	if given(c.Error) || c.Object == "error" || c.Type == "error" || c.Base.Status != 0 {
		return true
	}
	return c.Choices == nil && (given(c.Message) || given(c.Msg) || given(c.Detail) || given(c.ErrorMessage))
}

// given reports whether an optional field holds anything.
func given(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", "0", `""`, "{}", "[]":
		return false
	}
	return true
}

// text is a string. A number in its place is its digits, and anything else is none.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	*t = text(scalar(data))
	return nil
}

// number is a whole number, which may be written as a string. Anything else is 0.
type number int

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	const most = 1 << 40 // so that sums never overflow
	if value, _ := strconv.ParseFloat(scalar(data), 64); !math.IsNaN(value) {
		*n = number(min(max(value, -most), most))
	}
	return nil
}

// reason is a finish reason. SGLang may send an object with its type.
type reason string

// UnmarshalJSON never fails.
func (r *reason) UnmarshalJSON(data []byte) error {
	var object struct {
		Type text `json:"type"`
	}
	if lenient(data, &object); object.Type == "" {
		object.Type = text(scalar(data))
	}
	*r = reason(object.Type)
	return nil
}

// arguments are those of a call: JSON as a string, or that JSON itself.
type arguments string

// UnmarshalJSON never fails.
func (a *arguments) UnmarshalJSON(data []byte) error {
	var encoded *string
	if json.Unmarshal(data, &encoded) != nil {
		*a = arguments(data)
	} else if encoded != nil {
		*a = arguments(*encoded)
	}
	return nil
}

// content is a message's text. Some providers send it as a list of pieces or as one piece,
// which may be the model's reasoning.
type content struct{ text, reasoning string }

// UnmarshalJSON never fails.
func (c *content) UnmarshalJSON(data []byte) error {
	pieces := make([]piece, 1)
	if data[0] == '[' {
		lenient(data, &pieces)
	} else {
		lenient(data, &pieces[0])
	}
	for _, p := range pieces {
		c.reasoning += string(p.Thinking + p.Reasoning)
		if containsAny(string(p.Type), "think", "reason") {
			c.reasoning += string(p.Text)
			continue
		}
		c.text += string(p.Text)
	}
	return nil
}

// piece is a piece of a message's content.
type piece struct {
	Type      text `json:"type"`
	Text      flat `json:"text"`
	Thinking  flat `json:"thinking"`
	Reasoning flat `json:"reasoning"`
}

// UnmarshalJSON reads a piece, or a string in its place.
func (p *piece) UnmarshalJSON(data []byte) error {
	type known piece
	if data[0] == '{' {
		lenient(data, (*known)(p))
		return nil
	}
	return p.Text.UnmarshalJSON(data)
}

// flat is a text, or the texts of a list of pieces.
type flat string

// UnmarshalJSON never fails.
func (f *flat) UnmarshalJSON(data []byte) error {
	type part struct {
		Text  text `json:"text"`
		Value text `json:"value"`
	}
	var parts []part
	switch data[0] {
	case '[':
		lenient(data, &parts)
	case '{':
		parts = make([]part, 1)
		lenient(data, &parts[0])
	default:
		*f = flat(scalar(data))
	}
	for _, p := range parts {
		*f += flat(p.Text + p.Value)
	}
	return nil
}

// tokens returns the tokens of a choice with their log-probabilities; nil if they are
// missing or of an unknown shape. A token without a log-probability is skipped;
// go-openai's type cannot distinguish it from a certain one.
func (c *choice) tokens() []Token {
	if !given(c.Logprobs) {
		return nil
	}
	var wire struct {
		Content []struct {
			Token   string   `json:"token"`
			Bytes   []byte   `json:"bytes"`
			Logprob *float64 `json:"logprob"`
		} `json:"content"`
	}
	if json.Unmarshal(c.Logprobs, &wire) != nil {
		return nil
	}
	tokens := make([]Token, 0, len(wire.Content))
	for _, t := range wire.Content {
		if t.Logprob == nil {
			continue
		}
		token := Token{Text: t.Token, Logprob: *t.Logprob}
		if string(t.Bytes) != t.Token {
			token.Bytes = t.Bytes
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// usage returns what was charged and reports whether the chunk says so. No negative number
// was.
func (c *chunk) usage() (Usage, bool) {
	var wire struct {
		Prompt         number `json:"prompt_tokens"`
		Completion     number `json:"completion_tokens"`
		DeepSeekCached number `json:"prompt_cache_hit_tokens"`
		Details        struct {
			Cached number `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	if given(c.Usage) {
		lenient(c.Usage, &wire)
	}
	usage := Usage{
		Prompt: max(0, int(wire.Prompt)), Completion: max(0, int(wire.Completion)),
		Cached: max(0, int(wire.DeepSeekCached), int(wire.Details.Cached)),
	}
	return usage, usage != Usage{}
}
