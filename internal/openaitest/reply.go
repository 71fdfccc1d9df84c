package openaitest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Reply is what the server does with one request. The zero Reply is an answer
// without text that ends without a finish reason; Answer makes a whole one.
type Reply struct {
	// Wait holds everything back, headers included, until it is closed. Nil waits for nothing.
	Wait <-chan struct{}

	Status int         // HTTP status; 0 is 200
	Header http.Header // set on top of the server's own
	// Body is sent as it is instead of the chunks, if not "". Its content type is
	// application/json unless Header says otherwise.
	Body string

	Model        string // the model reported; "" reports the one asked for
	Fingerprint  string // the system_fingerprint reported; "" reports the server's own
	Chunks       []Chunk
	FinishReason string // "" sends none
	Usage        *Usage // sent where the request asked for it, and always without streaming
	// Metered, where it is not 0, replaces Usage by what the request would cost at a
	// token for so many bytes. Those count as cached that an earlier request with the
	// same prompt_cache_key began with.
	Metered float64
	End     End
}

// Chunk is one event of a streamed answer. An answer that is not streamed is put
// together from the same chunks, Raw left out.
type Chunk struct {
	Wait <-chan struct{} // waited for before the chunk is sent

	Text             string
	Refusal          string
	ReasoningContent string // as DeepSeek and most servers call it
	Reasoning        string // as OpenRouter and vLLM call it
	Logprobs         []Logprob
	ToolCalls        []ToolCall

	// Raw is written as it is, instead of all the above: comments, malformed
	// events, error objects.
	Raw string
}

// Logprob is one token with its log-probability. It is sent where the request asked for it.
type Logprob struct {
	Token   string
	Logprob float64
}

// ToolCall is a call, or in a chunk a piece of one, found again by its index.
type ToolCall struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Usage is what an answer is said to have cost, in tokens.
type Usage struct {
	Prompt, Completion, Cached int
}

// End is how a streamed answer ends.
type End uint8

// The ends of a stream.
const (
	EndDone  End = iota // finish reason, usage and [DONE], as it should be
	EndBare             // finish reason and usage, then the body ends without [DONE]
	EndQuiet            // the body ends properly, with neither finish reason nor [DONE]
	EndAbort            // the connection breaks after the last chunk
)

// Answer is a whole answer that is streamed in the given pieces.
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

// Call is a whole answer that calls tools.
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

// Failure is an error as OpenAI words it.
type Failure struct {
	Status  int
	Type    string
	Code    string
	Param   string
	Message string
}

// Fail answers with an error object.
func Fail(failure Failure) Reply {
	return Reply{Status: failure.Status, Body: failure.JSON()}
}

// JSON is the error object that a server sends as a body or, in a stream, as an event.
func (f Failure) JSON() string {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return mustJSON(map[string]any{"error": map[string]any{
		"message": f.Message, "type": text(f.Type), "code": text(f.Code), "param": text(f.Param),
	}})
}

// Reject refuses a parameter as OpenAI does.
func Reject(param string) Reply {
	return Fail(Failure{
		Status: http.StatusBadRequest, Type: "invalid_request_error", Code: "unsupported_parameter", Param: param,
		Message: "Unsupported parameter: '" + param + "' is not supported with this model.",
	})
}

// mustJSON encodes what this package itself composed of strings and numbers,
// which cannot fail.
func mustJSON(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
