package openaitest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Reply is how the server answers one request. The zero Reply has no text and no finish
// reason; Answer makes a whole one.
type Reply struct {
	// Wait holds everything back, headers included, until it is closed. Nil is open.
	Wait <-chan struct{}

	Status int         // HTTP status; 0 is 200
	Header http.Header // set on top of the server's own
	// Body, if set, is sent unchanged instead of the chunks. Its content type is
	// application/json unless Header sets another.
	Body string

	Model        string // the model reported; "" is the one requested
	Fingerprint  string // the system_fingerprint reported; "" is the server's own
	Chunks       []Chunk
	FinishReason string // "" sends none
	Usage        *Usage // sent if the request asks for it, and always without streaming
	End          End
}

// Chunk is one event of a streamed answer. An answer that is not streamed consists of
// the same chunks, without Raw.
type Chunk struct {
	Wait <-chan struct{} // holds the chunk back until it is closed

	Text             string
	Refusal          string
	ReasoningContent string // its name at DeepSeek and most servers
	Reasoning        string // its name at OpenRouter and vLLM
	Logprobs         []Logprob
	ToolCalls        []ToolCall

	// Raw, if set, is written unchanged instead of all the above: comments, malformed
	// events, error objects.
	Raw string
}

// Logprob is one token with its log-probability. It is sent if the request asks for it.
type Logprob struct {
	Token   string
	Bytes   []byte // nil sends none
	Logprob float64
}

// ToolCall is a call of a tool. In a chunk it is a piece of the call with its index.
type ToolCall struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Usage is what an answer reports to have cost, in tokens.
type Usage struct {
	Prompt, Completion, Cached int
}

// End is how a streamed answer ends.
type End uint8

// The ends of a stream.
const (
	EndDone  End = iota // finish reason, usage and [DONE]
	EndBare             // finish reason and usage, without [DONE]
	EndQuiet            // neither finish reason nor [DONE], but a proper end of the body
	EndAbort            // the connection breaks after the last chunk
)

// Answer returns a whole answer that is streamed in the given pieces.
func Answer(pieces ...string) Reply {
	chunks := make([]Chunk, len(pieces))
	for i, piece := range pieces {
		chunks[i] = Chunk{Text: piece}
	}
	return Reply{
		Chunks:       chunks,
		FinishReason: "stop",
		Usage:        &Usage{Prompt: 10, Completion: max(1, len(strings.Fields(strings.Join(pieces, ""))))},
	}
}

// Call returns a whole answer that calls tools.
func Call(calls ...ToolCall) Reply {
	for i := range calls {
		calls[i].Index = i
	}
	return Reply{
		Chunks:       []Chunk{{ToolCalls: calls}},
		FinishReason: "tool_calls",
		Usage:        &Usage{Prompt: 10, Completion: 5},
	}
}

// Replay returns an answer that consists of recorded bytes.
func Replay(stream string) Reply {
	return Reply{Body: stream, Header: http.Header{"Content-Type": {"text/event-stream"}}}
}

// Failure is an error object of OpenAI.
type Failure struct {
	Status  int
	Type    string
	Code    string
	Param   string
	Message string
}

// Fail returns a reply that is an error object.
func Fail(failure Failure) Reply {
	return Reply{Status: failure.Status, Body: failure.JSON()}
}

// JSON returns the error object, which is sent as a body or as an event of a stream.
func (f Failure) JSON() string {
	return mustJSON(map[string]any{"error": map[string]any{
		"message": f.Message, "type": orNull(f.Type), "code": orNull(f.Code), "param": orNull(f.Param),
	}})
}

// orNull returns a text, or nil for none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Reject returns a reply that refuses a parameter, as OpenAI does.
func Reject(param string) Reply {
	return Fail(Failure{
		Status: http.StatusBadRequest, Type: "invalid_request_error", Code: "unsupported_parameter", Param: param,
		Message: "Unsupported parameter: '" + param + "' is not supported with this model.",
	})
}

// mustJSON encodes what this package composed of strings and numbers. That cannot fail.
func mustJSON(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
