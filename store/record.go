package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	fast "github.com/segmentio/encoding/json"

	"heddle/graph/path"
)

// A record is a Response as JSON. The turns of its path and its tools are stored apart from
// it, because a mention reads the records of all answers among its messages, and none of these.

// encode returns the record of the response.
func (r *Response) encode() (string, error) {
	record, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("encode a response: %w", err)
	}
	return string(record), nil
}

// decodeResponse decodes what encode wrote. It fails with ErrCorrupt if the record belongs
// to another key. A mention decodes the records of all
// answers among the messages that it reads; fast takes a third of the time of Go's own
// decoder, which reads the same.
func decodeResponse(key Key, record []byte) (r Response, err error) {
	if fast.Unmarshal(record, &r) != nil {
		return Response{}, fmt.Errorf("%w: it does not decode", ErrCorrupt)
	}
	if r.Scope != key.Scope || recordName(r.ID) != key.Name {
		return Response{}, fmt.Errorf("%w: it belongs to another key", ErrCorrupt)
	}
	return r, nil
}

// in returns the responses in a set, newest first, without tombstones.
func (s *base) in(ctx context.Context, scope Scope, set string) (found []Response, err error) {
	err = s.read(ctx, scope, func(t *tx) { found = s.inSets(ctx, t, set)[0] })
	return slices.DeleteFunc(found, func(r Response) bool { return r.Gone() }), err
}

// inSets returns the responses in sets, tombstones included, newest first. It takes two
// round trips, however many sets there are. It leaves out what is damaged.
func (s *base) inSets(ctx context.Context, t *tx, sets ...string) [][]Response {
	members := t.members(sets...)
	known := s.decode(ctx, t, slices.Concat(members...))
	found := make([][]Response, len(sets))
	for i, names := range members {
		for _, name := range names {
			if r, ok := known[name]; ok {
				found[i] = append(found[i], r)
			}
		}
		slices.SortFunc(found[i], newestFirst)
	}
	return found
}

// decode reads the responses among names. What is not stored counts as erased. It leaves
// out what is damaged.
func (s *base) decode(ctx context.Context, t *tx, names []string) map[string]Response {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isRecord(name) })
	slices.Sort(names)
	names = slices.Compact(names)
	known := make(map[string]Response, len(names))
	for i, value := range t.get(names...) {
		if value == nil { // erased since its name was read
			known[names[i]] = Response{Standing: Standing{Erased: s.now()}}
			continue
		}
		r, err := decodeResponse(Key{t.scope, names[i]}, value)
		if err != nil {
			s.reject(ctx, err)
			t.torn = true
			continue
		}
		known[names[i]] = r
	}
	return known
}

// load returns the responses of a scope that have names, and were not erased meanwhile, in
// the order of names. Of what is damaged it returns the id with ErrCorrupt. It reads some at
// a time, and ends with the first other error.
func (s *base) load(ctx context.Context, scope Scope, names []string) iter.Seq2[Response, error] {
	const width = 64
	return func(yield func(Response, error) bool) {
		for some := range slices.Chunk(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isRecord(name) }), width) {
			values, err := s.values(ctx, scope, some...)
			if err != nil {
				yield(Response{}, fmt.Errorf("read responses: %w", err))
				return
			}
			for i, value := range values {
				if value == nil { // erased since its name was read
					continue
				}
				r, err := decodeResponse(Key{scope, some[i]}, value)
				if err != nil {
					s.reject(ctx, err)
					r.ID = idOfRecord(some[i])
				}
				if !r.Gone() && !yield(r, err) {
					return
				}
			}
		}
	}
}

func newestFirst(a, b Response) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID.String(), a.ID.String()))
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

	Turns        []path.Turn  `json:"turns"` // turns of its path, root first; it has no tools
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
