package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// chunk is one event of a stream, or a whole answer of a server that does not stream.
// What is not needed to show the answer is decoded separately, so that an odd shape of
// it costs nothing else. The package documentation lists what go-openai's type loses.
type chunk struct {
	Object      string          `json:"object"`
	Model       string          `json:"model"`
	Fingerprint json.RawMessage `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       json.RawMessage `json:"usage"`
	Error       json.RawMessage `json:"error"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        *delta          `json:"delta"`
	Message      *delta          `json:"message"` // in an answer that is not streamed
	FinishReason string          `json:"finish_reason"`
	Logprobs     json.RawMessage `json:"logprobs"`
}

type delta struct {
	Content          content         `json:"content"`
	Refusal          fragment        `json:"refusal"`
	ReasoningContent fragment        `json:"reasoning_content"` // DeepSeek and most servers
	Reasoning        fragment        `json:"reasoning"`         // OpenRouter, vLLM
	ToolCalls        []toolCallDelta `json:"tool_calls"`
}

type toolCallDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// failed reports whether the event is an error, whichever field holds it.
func (c *chunk) failed() bool { return given(c.Error) || c.Object == "error" }

// given reports whether an optional field is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// content is a message's text. Some providers send it as a list of pieces, which may
// include the model's reasoning.
type content struct{ text, reasoning fragment }

// UnmarshalJSON reads a string, null or a list of pieces.
func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		return decode(data, &c.text)
	}
	var pieces []struct {
		Type     string   `json:"type"`
		Text     fragment `json:"text"`
		Thinking content  `json:"thinking"`
	}
	if err := decode(data, &pieces); err != nil {
		return err
	}
	for _, piece := range pieces {
		c.text += piece.Text
		c.reasoning += piece.Thinking.text
	}
	return nil
}

// arguments are the arguments of a tool call. Some providers send an object instead of a
// string.
type arguments fragment

// UnmarshalJSON reads a string, or keeps any other JSON as it is.
func (a *arguments) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		return nil
	case data[0] == '"':
		return decode(data, (*fragment)(a))
	default:
		*a = arguments(data)
		return nil
	}
}

func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("decode a part of an answer: %w", err)
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
			Token   fragment `json:"token"`
			Bytes   octets   `json:"bytes"`
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
		token := Token{Text: strings.ToValidUTF8(string(t.Token), "\uFFFD"), Logprob: *t.Logprob}
		switch {
		case t.Bytes == nil && token.Text != string(t.Token):
			token.Bytes = octets(t.Token)
		case string(t.Bytes) != string(t.Token):
			token.Bytes = t.Bytes
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// octets are bytes that are written as an array of numbers.
type octets []byte

// UnmarshalJSON reads the numbers. Whatever else is there counts as nothing, because the
// token's text is there as well.
func (o *octets) UnmarshalJSON(raw []byte) error {
	var read []byte
	if json.Unmarshal(raw, &read) == nil {
		*o = read
	}
	return nil
}

// usage returns what was charged and reports whether the chunk names it.
func (c *chunk) usage() (Usage, bool) {
	if !given(c.Usage) {
		return Usage{}, false
	}
	var wire struct {
		openai.Usage

		DeepSeekCached int `json:"prompt_cache_hit_tokens"`
	}
	if json.Unmarshal(c.Usage, &wire) != nil {
		return Usage{}, false
	}
	usage := Usage{Prompt: wire.PromptTokens, Completion: wire.CompletionTokens, Cached: wire.DeepSeekCached}
	if details := wire.PromptTokensDetails; details != nil {
		usage.Cached = max(usage.Cached, details.CachedTokens)
	}
	return usage, true
}

// fingerprint returns the fingerprint of the provider's configuration, or "" if it is
// missing or not a string.
func (c *chunk) fingerprint() string {
	var fingerprint string
	if !given(c.Fingerprint) || json.Unmarshal(c.Fingerprint, &fingerprint) != nil {
		return ""
	}
	return fingerprint
}
