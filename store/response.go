package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// ResponseID identifies a response. Alternatives of one path have different ids.
type ResponseID [16]byte

// String returns the id in hexadecimal.
func (id ResponseID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns the id in hexadecimal.
func (id ResponseID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ResponseID) UnmarshalText(text []byte) error {
	if want := hex.EncodedLen(len(id)); len(text) != want {
		return fmt.Errorf("a response's id has %d hexadecimal digits, this one has %d", want, len(text))
	}
	if _, err := hex.Decode(id[:], text); err != nil {
		return fmt.Errorf("read a response's id: %w", err)
	}
	return nil
}

// Response is one answer to one path, with exactly what the model saw. Its parts are
// embedded so that its JSON is flat.
type Response struct {
	ID ResponseID `json:"id"` // Save derives one if it is zero
	Standing
	Input
	Lineage
	Output
}

// Standing is the part of a Response that says where it stands on Discord and what
// became of it.
type Standing struct {
	Scope   Scope           `json:"scope"`
	Channel graph.ChannelID `json:"channel"`
	Trigger graph.MessageID `json:"trigger"`
	Replies []Reply         `json:"replies"` // the Discord messages it was sent as, in order; none before it is sent

	// Asked lists the further messages that the question stands in, or the copy that a
	// proxy posted in place of the trigger.
	Asked []graph.MessageID `json:"asked,omitempty"`

	// Summarises is the number of messages that a summary was made from, not counting
	// the summary before it. It is 0 for an answer.
	Summarises int `json:"summarises,omitempty"`
	// Hears is the voice message of which Text is what is said in it. It is 0 for an answer.
	Hears graph.AttachmentID `json:"hears,omitempty"`
	// Generation is how often an edit of the trigger had replaced the answer.
	// Alternatives for one path have the same generation.
	Generation int `json:"generation,omitempty"`
	// Reply is the message that Replies reply to, if it is not the trigger but a
	// message that asked for another answer.
	Reply graph.MessageID `json:"reply,omitempty"`
	// Notice is what heddle itself wrote below the text.
	Notice string `json:"notice,omitempty"`
	// Self is heddle's own account.
	Self graph.UserID `json:"self,omitempty"`

	Created time.Time `json:"created"`
	// Erased is when a deletion reached the response, of which only ids are left. It is
	// zero if none did.
	Erased time.Time `json:"erased,omitzero"`
	// Reuses is the response that was given again here, at Reused. It is zero if the
	// model was asked.
	Reuses ResponseID `json:"reuses,omitzero"`
	Reused time.Time  `json:"reused,omitzero"`
}

// Input is the part of a Response that says what the model was asked.
type Input struct {
	PathHash    path.Hash `json:"path_hash"`
	RequestHash path.Hash `json:"request_hash"`
	FactsHash   path.Hash `json:"facts_hash"` // hash of the facts in the tail that must be equal for reuse

	// Path holds the turns of the path, root first, Prompts their prompt hashes, and Tools
	// the tools that the model could call. They are stored apart from the record.
	// Responses.Turns and Responses.Tools read them.
	Path    []path.Turn `json:"-"`
	Prompts []path.Hash `json:"-"`
	Tools   []path.Tool `json:"-"`
	// Root is the hash of the path's root. Save computes it.
	Root path.Hash `json:"root"`

	Model   string       `json:"model"`
	Options path.Options `json:"options"`
	// Tail is the turn right before the last one of the path, as the model read it. Without lists what
	// the request left out because the provider rejects it. The request can be rebuilt
	// from these and the path.
	Tail    string   `json:"tail,omitempty"`
	Without []string `json:"without,omitempty"`
	// Pictures holds the hashes of the contents of the pictures that the model was shown.
	// Their bytes are not stored.
	Pictures []path.Hash `json:"pictures,omitempty"`
	// Sources lists all messages that the request was made from, including heddle's own.
	// Through it a deletion finds everything derived from a message.
	Sources []SourceRef `json:"sources"`
	// Outside names the tools of servers whose calls and results the request held, or that
	// were called for the answer.
	Outside []string `json:"outside,omitempty"`
	// Context explains why the request was made from these messages; nil if that was not
	// recorded.
	Context *Context `json:"context,omitempty"`
}

// Lineage is the part of a Response that a path which continues the response's path
// needs.
type Lineage struct {
	// Continues is the response whose path this one's path continues. It is zero if the
	// response begins a conversation.
	Continues ResponseID `json:"continues,omitzero"`
	// CacheKey was sent with the request, and is sent with the requests of paths that
	// continue this one.
	CacheKey string `json:"cache_key,omitempty"`
	// Cut is the position below which messages were left out to fit the token budget.
	Cut int `json:"cut,omitempty"`
	// Checkpoint is the position below which a stretch of messages was left out, and
	// Summary identifies the summary of it on the path; 0 if there is none.
	Checkpoint int       `json:"checkpoint,omitempty"`
	Summary    SummaryID `json:"summary,omitempty"`
	// Dropped is the number of messages of the conversation that were left out so far,
	// as uncertain or over the budget.
	Dropped int `json:"dropped,omitempty"`
	// Files lists the files that the conversation had produced so far.
	Files []path.Artifact `json:"files,omitempty"`
}

// Output is the part of a Response that says what the model answered.
type Output struct {
	ResponseHash path.Hash   `json:"response_hash"`
	Text         string      `json:"text"`
	FinishReason string      `json:"finish_reason"`
	Usage        Usage       `json:"usage"`
	Confidence   *Confidence `json:"confidence,omitempty"` // nil if unknown
	// Reported is the provider's name for the model, and Fingerprint its name for the
	// configuration that answered. Each is empty if the provider sent none.
	Reported    string `json:"reported_model,omitempty"`
	Fingerprint string `json:"system_fingerprint,omitempty"`
	// Tokens holds the sampled tokens of the text that people read, in order. They are
	// stored only if the operator chose that.
	Tokens    []Token    `json:"tokens,omitempty"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
	// Owes is the number of files that the answer was to be sent with. Artifacts lists
	// fewer until the message that carries them is recorded.
	Owes int `json:"owes,omitempty"`

	// Transcript holds the turns after the tail if the model called tools: the calls,
	// their results and the model's final text. Text is what people read of them.
	// Requests lists all requests that were made; the last of them has RequestHash. Both
	// are empty if no tool was called.
	Transcript []path.Turn `json:"transcript,omitempty"`
	Requests   []Request   `json:"requests,omitempty"`
	Branches   []Branch    `json:"branches,omitempty"`
	// TimeBound marks an answer that must not be reused, because it depends on what a
	// tool read, made or failed to do at the time, or on something that the model could
	// not be shown.
	TimeBound bool `json:"time_bound,omitempty"`
	// Service marks what heddle said about the channel and not in it, such as a catch-up.
	Service bool `json:"service,omitempty"`
}

// Token is a token that a model sampled.
type Token struct {
	Text    string  `json:"token"`
	Bytes   []byte  `json:"bytes,omitempty"` // see llm.Token
	Logprob float64 `json:"logprob"`
}

// WithoutTokens returns the output without its tokens.
func (o Output) WithoutTokens() Output {
	o.Tokens, o.Requests, o.Branches = nil, slices.Clone(o.Requests), slices.Clone(o.Branches)
	for i := range o.Requests {
		o.Requests[i].Tokens = nil
	}
	for i := range o.Branches {
		o.Branches[i].Tokens = nil
	}
	return o
}

// Original returns the id of the response that the model gave: this one, or the one
// that it reuses.
func (r *Response) Original() ResponseID {
	if r.Reuses != (ResponseID{}) {
		return r.Reuses
	}
	return r.ID
}

// Gone reports whether a deletion reached the response.
func (r *Response) Gone() bool { return !r.Erased.IsZero() }

// Parts returns the messages that a response was sent as, in order.
func (r *Response) Parts() []graph.MessageID {
	parts := make([]graph.MessageID, len(r.Replies))
	for i, reply := range r.Replies {
		parts[i] = reply.ID
	}
	return parts
}

// Reply is one Discord message of an answer.
type Reply struct {
	ID   graph.MessageID `json:"id"`
	Text string          `json:"text"`
}

// SourceRef identifies one version of a message and its author. Without a message, it
// identifies an author whose words in a channel are part of the summary on the path.
type SourceRef struct {
	Message graph.MessageID `json:"message"`
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Edited  time.Time       `json:"edited,omitzero"`
	// Forwarded is set if the message itself was not read, but a forward of it. Author is
	// zero if Discord did not tell it.
	Forwarded bool `json:"forwarded,omitempty"`
	// Position is the message's place on the path, counted from 1 at the root of the
	// conversation. It is 0 for a message that is not on the path, such as one in the
	// background.
	Position int `json:"position,omitempty"`
}

// Usage is the number of tokens that the provider charged.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
}

// Confidence is how certain the model was, from 0 to 1, with how that was measured.
type Confidence struct {
	Value  float64 `json:"value"`
	Method string  `json:"method"` // "logprobs", or "asked" if the model stated it
	Tokens int     `json:"tokens,omitempty"`
	Min    float64 `json:"min,omitempty"`
	// Rank is the share of the model's last 200 answers that were less certain; nil if
	// there were too few answers.
	Rank *float64 `json:"rank,omitempty"`
}

// Comparable returns the number by which the answer is compared with other answers and
// with thresholds, or nil if there is none. Values of different models mean different
// things, so it is the rank.
func (c *Confidence) Comparable() *float64 {
	if c == nil {
		return nil
	}
	return c.Rank
}

// Artifact is a file that the response produced and Discord accepted.
type Artifact struct {
	path.Artifact

	Title string `json:"title,omitempty"`
	Type  string `json:"type,omitempty"`
	Size  int64  `json:"size,omitempty"`
}

// SummaryID identifies the summaries of one path in one scope by one model.
type SummaryID = graph.ID[summaryKind]

type summaryKind struct{}

// IsSummary reports whether the response is a summary, which is not the answer to a
// question and was not sent. Responses.Summary returns it, and ByTrigger does not.
func (r *Response) IsSummary() bool { return r.Summarises > 0 }

// IsAnswer reports whether the response is an answer to a question, and neither a summary nor
// what is said in a voice message.
func (r *Response) IsAnswer() bool { return !r.IsSummary() && r.Hears == 0 }

// Question returns the question that a response answers as a source: by whom, and the version
// that was answered. It is zero if that is not recorded.
func (r *Response) Question() SourceRef {
	i := slices.IndexFunc(r.Sources, func(ref SourceRef) bool { return ref.Message == r.Trigger })
	if i < 0 {
		return SourceRef{}
	}
	return r.Sources[i]
}

// IsAside reports whether the response answers a question that is in no message. The
// answer's first message quotes it, is its trigger, and is on no path.
func (r *Response) IsAside() bool {
	return slices.ContainsFunc(r.Sources, func(s SourceRef) bool { return s.Message == r.Trigger && s.Position == 0 })
}

// SummaryID returns the id of a summary, which its scope, path and model determine. It
// is zero for an answer.
func (r *Response) SummaryID() SummaryID {
	if !r.IsSummary() {
		return 0
	}
	b := append([]byte("heddle/1/summary\x00"+string(r.Scope)+"\x00"), r.PathHash[:]...)
	sum := sha256.Sum256(append(b, r.Model...))
	return SummaryID(binary.BigEndian.Uint64(sum[:]))
}

// Alternatives returns the alternatives among the responses to a question, oldest
// first. They are the responses of one generation that have a text and were sent, and
// those that are being sent. A response that was given again is listed once.
func Alternatives(responses []Response, generation int, sending ...Response) []Response {
	all := slices.DeleteFunc(slices.Clone(responses), func(r Response) bool { return len(r.Replies) == 0 })
	all = slices.DeleteFunc(append(all, sending...), func(r Response) bool { return r.Generation != generation || r.Text == "" })
	slices.SortFunc(all, func(a, b Response) int {
		return cmp.Or(a.Created.Compare(b.Created), Given(&a).Compare(Given(&b)), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	seen := make(map[ResponseID]bool)
	return slices.DeleteFunc(all, func(r Response) bool {
		known := seen[r.Original()]
		seen[r.Original()] = true
		return known
	})
}

// Given returns when a response was given to people. If it is a reuse, that is later
// than when the model made it.
func Given(r *Response) time.Time {
	if !r.Reused.IsZero() {
		return r.Reused
	}
	return r.Created
}
