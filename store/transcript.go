package store

import (
	"encoding/json"
	"fmt"

	"heddle/graph/path"
)

// Turns are turns inside a record.
type Turns []path.Turn

// MarshalJSON returns the turns in their stored form.
func (t Turns) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, turn := range t {
		if i > 0 {
			b = append(b, ',')
		}
		b = path.AppendTurn(b, turn)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Turns) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("decode turns: %w", err)
	}
	*t = nil
	for _, one := range raw {
		turn, err := path.DecodeTurn(one)
		if err != nil {
			return fmt.Errorf("decode turns: %w", err)
		}
		*t = append(*t, turn)
	}
	return nil
}

// Request is one of several requests that led to a response. It consists of the path
// and the tail, followed by the first Turns turns of the transcript.
type Request struct {
	Hash    path.Hash `json:"hash"`
	Turns   int       `json:"turns"`
	Model   string    `json:"model,omitempty"`   // the model that was asked, if it is not the response's
	Without []string  `json:"without,omitempty"` // see Input.Without
	Tokens  []Token   `json:"tokens,omitempty"`  // tokens of the answer, unless it is the last request
}

// Branch is a separate conversation with the model that a tool call started.
type Branch struct {
	Call string `json:"call"` // id of the tool call in the transcript

	Turns        Turns        `json:"turns"` // turns of its path, root first; it has no tools
	Options      path.Options `json:"options"`
	PathHash     path.Hash    `json:"path_hash"`
	RequestHash  path.Hash    `json:"request_hash"`
	ResponseHash path.Hash    `json:"response_hash"`

	Model        string   `json:"model,omitempty"` // see Request.Model
	Text         string   `json:"text,omitempty"`
	FinishReason string   `json:"finish_reason"`
	Usage        Usage    `json:"usage"`
	Without      []string `json:"without,omitempty"` // see Input.Without
	Tokens       []Token  `json:"tokens,omitempty"`
}

// fits reports whether the hashes of the branch match its contents.
func (b *Branch) fits() bool {
	return b.PathHash == path.Path{Turns: b.Turns, Options: b.Options}.Hash() &&
		b.ResponseHash == path.ResponseHash(b.Text, b.FinishReason)
}

// Since returns the tool calls and results that followed the tail in the last request
// of the response. It returns none if no tool was called.
func (r *Response) Since() []path.Turn {
	if len(r.Requests) == 0 {
		return nil
	}
	last := r.Requests[len(r.Requests)-1]
	return r.Transcript[:min(last.Turns, len(r.Transcript))]
}

// Said returns the model's answer to the last request of the response: Text without
// what the model said before it called tools.
func (r *Response) Said() string {
	if len(r.Requests) == 0 {
		return r.Text
	}
	since := len(r.Since())
	if since == len(r.Transcript) {
		return ""
	}
	return r.Transcript[since].PlainText()
}
