package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 8 << 20

// readEvents calls add with the data of every event of an answer, which is valid until it
// returns: a line of server-sent events that begins with data. Other lines (comments,
// names, blank ones) are skipped. A body that is one JSON object, from a server that does
// not stream, is one event. readEvents ends with the body, whether the end is marked by
// [DONE] or not, or with an error of add.
func readEvents(body io.Reader, add func([]byte) error) error {
	reader := bufio.NewReader(body)
	if begin, err := reader.Peek(1); err == nil && begin[0] == '{' {
		whole, err := io.ReadAll(io.LimitReader(reader, maxEvent))
		if err != nil && !json.Valid(whole) {
			return fmt.Errorf("read an answer: %w", err)
		}
		return add(whole)
	}
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, found := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if data = bytes.TrimSpace(data); !found {
			continue
		}
		if string(data) == "[DONE]" {
			return nil
		}
		if err := add(data); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return &Error{Kind: Malformed} // no answer needs such an event
	}
	return lines.Err() //nolint:wrapcheck // the caller tells it from errors of its own.
}

// chunk is one event of a stream, or a whole answer of a server that does not stream.
// What is not needed to show the answer is decoded separately, so that an odd shape of
// it costs nothing else. The package documentation lists what go-openai's type loses.
type chunk struct {
	Object      string          `json:"object"`
	Model       string          `json:"model"`
	Fingerprint text            `json:"system_fingerprint"`
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
	Refusal          string          `json:"refusal"`
	ReasoningContent string          `json:"reasoning_content"` // DeepSeek and most servers
	Reasoning        string          `json:"reasoning"`         // OpenRouter, vLLM
	ToolCalls        []toolCallDelta `json:"tool_calls"`
}

type toolCallDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments text   `json:"arguments"`
	} `json:"function"`
}

// failed reports whether the event is an error, whichever field holds it.
func (c *chunk) failed() bool { return given(c.Error) || c.Object == "error" }

// given reports whether an optional field is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// content is a message's text. Some providers send it as a list of pieces, which may
// include the model's reasoning.
type content struct{ text, reasoning string }

// UnmarshalJSON reads a string, null or a list of pieces.
func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		return json.Unmarshal(data, &c.text) //nolint:wrapcheck // whoever decodes asks only whether it failed
	}
	var pieces []struct {
		Text     string  `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(data, &pieces); err != nil {
		return err //nolint:wrapcheck // as above
	}
	for _, piece := range pieces {
		c.text += piece.Text
		c.reasoning += piece.Thinking.text
	}
	return nil
}

// text is a string in whose place some providers send an object, such as the arguments of a
// tool call.
type text string

// UnmarshalJSON reads a string, or keeps any other JSON as it is.
func (t *text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' || string(data) == "null" {
		return json.Unmarshal(data, (*string)(t)) //nolint:wrapcheck // as above
	}
	*t = text(data)
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

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking removes the reasoning that some models write before their answer, between
// <think> and </think>, with the spaces around it. Anywhere else these tags are text.
type thinking struct {
	held string // the beginning of the output, without reasoning that has not ended
	over bool   // the answer has begun
}

const spaces = " \t\r\n"

// next returns what of a piece of the model's output is no reasoning.
func (t *thinking) next(piece string) string {
	if t.over {
		return piece
	}
	t.held += piece
	begun := strings.TrimLeft(t.held, spaces)
	if !strings.HasPrefix(begun, thinkOpen) {
		if strings.HasPrefix(thinkOpen, begun) {
			return ""
		}
		t.over = true
		return t.held
	}
	_, after, closed := strings.Cut(begun, thinkClose)
	if !closed { // only a part of the tag matters of what it ends with
		t.held = thinkOpen + begun[max(len(thinkOpen), len(begun)-len(thinkClose)+1):]
		return ""
	}
	text := strings.TrimLeft(after, spaces)
	t.held, t.over = thinkOpen+thinkClose, text != ""
	return text
}

// rest returns the text that was held back when the answer ended. Spaces alone are none.
func (t *thinking) rest() string {
	if begun := strings.TrimLeft(t.held, spaces); t.over || begun == "" || strings.HasPrefix(begun, thinkOpen) {
		return ""
	}
	return t.held
}
