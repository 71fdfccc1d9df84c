package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// encode returns the body of a request that was made from the given things: byte for byte
// what go-openai would write, followed by the fields that it cannot send. go-openai's MarshalJSON of a message makes
// encoding/json parse and copy the result; encode writes each text once.
func (f *surrounds) encode(chat openai.ChatCompletionRequest, from makings, fields map[string]any) ([]byte, error) {
	messages, err := encodeMessages(chat.Messages)
	if err != nil {
		return nil, err
	}
	tail, err := encodeFields(fields)
	if err != nil {
		return nil, err
	}
	around, err := f.of(chat, from)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(around.before)+len(messages)+len(around.after)+len(tail))
	body = append(body, around.before...)
	body = append(body, messages...)
	body = append(body, around.after...)
	if len(tail) > 0 {
		body = append(body[:len(body)-1], tail...) // in place of the closing brace
	}
	return body, nil
}

// surrounds encodes the parts of requests around their messages. It caches the last
// result, because nearly all requests have the same tools and options. It may be used
// by several goroutines at once.
type surrounds struct{ last atomic.Pointer[surround] }

// makings are what a request is made from, apart from its messages.
type makings struct {
	model   string
	dropped feature
	tools   []path.Tool // that are sent
	options path.Options
}

// equal reports whether two requests have the same makings.
func (m *makings) equal(other *makings) bool {
	return m.model == other.model && m.dropped == other.dropped && sameList(m.tools, other.tools) &&
		reflect.DeepEqual(m.options, other.options)
}

// surround is the encoded parts of a request around its messages.
type surround struct {
	from          makings
	before, after []byte
}

// of returns the surround of a request. Its tools must not be modified afterwards.
func (f *surrounds) of(chat openai.ChatCompletionRequest, from makings) (*surround, error) {
	if last := f.last.Load(); last != nil && last.from.equal(&from) {
		return last, nil
	}
	chat.Messages, chat.Tools = nil, wireTools(from.tools)
	encoded, err := json.Marshal(chat)
	if err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	const none = `"messages":null` // it cannot occur inside a text, in which quotes are escaped
	before, after, _ := bytes.Cut(encoded, []byte(none))
	next := &surround{from, slices.Concat(before, []byte(none[:len(none)-len("null")])), after}
	f.last.Store(next)
	return next, nil
}

// sameList reports whether two slices are the same memory.
func sameList(a, b []path.Tool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// textMessage is openai.ChatCompletionMessage without its MarshalJSON, for messages
// without pictures.
type textMessage struct {
	Role             string                   `json:"role"`
	Content          string                   `json:"content,omitempty"`
	Refusal          string                   `json:"refusal,omitempty"`
	MultiContent     []openai.ChatMessagePart `json:"-"`
	Name             string                   `json:"name,omitempty"`
	ReasoningContent string                   `json:"reasoning_content,omitempty"`
	FunctionCall     *openai.FunctionCall     `json:"function_call,omitempty"`
	ToolCalls        []openai.ToolCall        `json:"tool_calls,omitempty"`
	ToolCallID       string                   `json:"tool_call_id,omitempty"`
}

// encodeMessages returns messages as encoding/json writes them. It writes nearly all of
// them itself, as encoding/json would look at each field of a message by reflection.
func encodeMessages(messages []openai.ChatCompletionMessage) ([]byte, error) {
	if len(messages) == 0 {
		return []byte("null"), nil
	}
	length := 0
	for i := range messages {
		const most, escaped = len(`{"role":"assistant","content":""},`), 16 // one character in 16 takes two
		length += most + len(messages[i].Content) + len(messages[i].Content)/escaped
	}
	list := append(make([]byte, 0, length), '[')
	for i := range messages {
		if i > 0 {
			list = append(list, ',')
		}
		m := &messages[i]
		if longer, is := appendPlain(list, m); is {
			list = longer
			continue
		}
		var whole any = (*textMessage)(m)
		if m.MultiContent != nil {
			whole = m
		}
		encoded, err := json.Marshal(whole)
		if err != nil {
			return nil, fmt.Errorf("encode a message: %w", err)
		}
		list = append(list, encoded...)
	}
	return append(list, ']'), nil
}

// appendPlain appends a message that has but a role and a text. It reports false if the
// message has more, or if something rare in the text is escaped.
func appendPlain(list []byte, m *openai.ChatCompletionMessage) (longer []byte, plain bool) {
	if m.Content == "" || m.Refusal != "" || m.MultiContent != nil || m.Name != "" || m.ReasoningContent != "" ||
		m.FunctionCall != nil || m.ToolCalls != nil || m.ToolCallID != "" {
		return nil, false
	}
	list = append(append(append(list, `{"role":"`...), m.Role...), `","content":"`...)
	from := 0 // where the part of the text begins that is not written yet
	for i, c := range m.Content {
		var escaped string
		switch {
		case c >= 'a' && c <= 'z', c == ' ': // most are
			continue
		case c == '"':
			escaped = `\"`
		case c == '\\':
			escaped = `\\`
		case c == '\n':
			escaped = `\n`
		case c == '<':
			escaped = `\u003c`
		case c == '>':
			escaped = `\u003e`
		case c == '&':
			escaped = `\u0026`
		case c < ' ', c == '\u2028', c == '\u2029', c == utf8.RuneError:
			return nil, false
		default:
			continue
		}
		list = append(append(list, m.Content[from:i]...), escaped...)
		from = i + 1
	}
	return append(append(list, m.Content[from:]...), `"}`...), true
}

// encodeFields returns fields, sorted by name, as the end of a JSON object. No name needs
// to be escaped.
func encodeFields(fields map[string]any) ([]byte, error) {
	var tail []byte
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := json.Marshal(fields[name])
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		tail = append(append(tail, `,"`+name+`":`...), value...)
	}
	if tail != nil {
		tail = append(tail, '}')
	}
	return tail, nil
}
