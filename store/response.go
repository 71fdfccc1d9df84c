package store

import (
	"encoding/hex"
	"fmt"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// ResponseID tells responses apart, alternatives of one path included.
type ResponseID [16]byte

// String is the id in hexadecimal.
func (id ResponseID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText gives the hexadecimal form.
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

// Response is one answer to one path, bound for good to exactly what the model saw.
type Response struct {
	ID      ResponseID      `json:"id"` // where it is zero, Save gives it the same one each time
	Scope   Scope           `json:"scope"`
	Channel graph.ChannelID `json:"channel"`
	Trigger graph.MessageID `json:"trigger"`
	Replies []Reply         `json:"replies"` // the Discord messages it was sent as, in order

	PathHash     path.Hash `json:"path_hash"`
	RequestHash  path.Hash `json:"request_hash"`
	ResponseHash path.Hash `json:"response_hash"`
	FactsHash    path.Hash `json:"facts_hash"` // of the tail's facts that must be equal for reuse

	// Path is every turn of the path, root first, and Tools what the model could
	// call. Both are kept apart from the record, each once; Turns and Tools read them.
	Path  []path.Turn `json:"-"`
	Tools []path.Tool `json:"-"`
	// Prompts are the prompt hashes of the path's turns, and Root is where it
	// grows from. Save works them out.
	Prompts []path.Hash `json:"-"`
	Root    path.Hash   `json:"-"`

	// Generation counts the answers that took each other's place as the trigger was
	// edited, from 0; those side by side for one path share it.
	Generation int `json:"generation,omitempty"`
	// Reply is the message that was replied to where that is not the trigger: what
	// asked for another answer.
	Reply graph.MessageID `json:"reply,omitempty"`
	// Notice stands below the text on Discord; it is none of the model's words.
	Notice string `json:"notice,omitempty"`
	// Tail is the request's last turn, behind the path, as the model read it, and
	// Without what the request was made without as the provider rejects it: the
	// request can be made again from them.
	Tail    string   `json:"tail,omitempty"`
	Without []string `json:"without,omitempty"`
	// CacheKey went with the request, and goes with those of paths that continue this.
	CacheKey string `json:"cache_key,omitempty"`
	// Self is heddle's own account, whose messages are among the sources, too.
	Self graph.UserID `json:"self,omitempty"`

	Model        string       `json:"model"`
	Options      path.Options `json:"options"`
	Text         string       `json:"text"`
	FinishReason string       `json:"finish_reason"`
	Usage        Usage        `json:"usage"`
	Confidence   *Confidence  `json:"confidence,omitempty"` // nil where unknown
	// Reported is the model as the provider names it, and Fingerprint what it tells of
	// the configuration that answered; both are empty where it told nothing.
	Reported    string      `json:"reported_model,omitempty"`
	Fingerprint string      `json:"system_fingerprint,omitempty"`
	Artifacts   []Artifact  `json:"artifacts,omitempty"`
	Code        []CodeBlock `json:"code,omitempty"` // of Text, in order; Save finds it

	// Transcript is what came behind the tail where the model called tools: calls,
	// results and what it said last. Text is what people read of it. Requests are the
	// requests that were made on the way, the last with RequestHash. Both are empty
	// where no tool was called.
	Transcript Turns     `json:"transcript,omitempty"`
	Requests   []Request `json:"requests,omitempty"`
	Branches   []Branch  `json:"branches,omitempty"`

	// Continues is the response whose path this one's goes on from; zero where it
	// begins a conversation.
	Continues ResponseID `json:"continues,omitzero"`
	// Checkpoint is the position below which a stretch of messages was left out, and
	// Summary names the summary of it that stands on the path, as SummaryID does; 0
	// where none stands there.
	Checkpoint int             `json:"checkpoint,omitempty"`
	Summary    graph.MessageID `json:"summary,omitempty"`
	// Summarises is, of a summary, how many messages it was made from beside the
	// summary before it. A summary was never sent to anybody; its one reply has its
	// SummaryID. 0: it is an answer.
	Summarises int `json:"summarises,omitempty"`

	// Cut is the position below which messages were left out to keep the budget, and
	// Files are the files that the conversation had made by then.
	Cut   int        `json:"cut,omitempty"`
	Files []Artifact `json:"files,omitempty"`

	// Shown are the attachments whose contents the path was to hold: of those before
	// the trigger no others are shown to a path that continues it.
	Shown []graph.AttachmentID `json:"shown,omitempty"`
	// Pictures are the contents of those pictures on the path that the model was shown.
	// Their bytes are not kept.
	Pictures []path.Hash `json:"pictures,omitempty"`

	// Sources are all messages that the request was made from, heddle's own
	// included, so that a deletion reaches everything derived from them.
	Sources []SourceRef `json:"sources"`
	Created time.Time   `json:"created"`
	// Erased is when a deletion reached the response. Only ids are left of it then.
	Erased time.Time `json:"erased,omitzero"`
	// Reuses is the response whose answer was given again here, at Reused; zero
	// where the model was asked.
	Reuses ResponseID `json:"reuses,omitzero"`
	Reused time.Time  `json:"reused,omitzero"`
	// TimeBound marks an answer that rests on what a tool read, made or failed to do
	// at the time, or on what the model could not be shown: never reused.
	TimeBound bool `json:"time_bound,omitempty"`
}

// Original is the response that the model gave: itself, or the one it reuses.
func (r *Response) Original() ResponseID {
	if r.Reuses != (ResponseID{}) {
		return r.Reuses
	}
	return r.ID
}

// Gone says whether a deletion reached the response.
func (r *Response) Gone() bool { return !r.Erased.IsZero() }

// Reply is one Discord message of an answer.
type Reply struct {
	ID   graph.MessageID `json:"id"`
	Text string          `json:"text"`
}

// SourceRef names one version of a message and its author.
type SourceRef struct {
	Message graph.MessageID `json:"message"`
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Edited  time.Time       `json:"edited,omitzero"`
	// Position is the message's place on the path, counted from 1 at the
	// conversation's root; 0 for what is not on it, such as the background.
	Position int `json:"position,omitempty"`
}

// Usage is what the provider charged, in tokens.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
}

// Confidence is how certain the model was, from 0 to 1, and how that was found.
type Confidence struct {
	Value  float64 `json:"value"`
	Method string  `json:"method"` // "logprobs"
	Tokens int     `json:"tokens,omitempty"`
	Min    float64 `json:"min,omitempty"`
	P5     float64 `json:"p5,omitempty"` // 5th percentile of the tokens' probabilities
	// Rank is the share of the model's 200 answers before that were less certain;
	// nil where there were too few.
	Rank *float64 `json:"rank,omitempty"`
	// Calibrated is the share of answers as certain as this one that people found
	// good; nil where the model was not calibrated at the time.
	Calibrated *float64 `json:"calibrated,omitempty"`
}

// Comparable is the measure by which answers of all models can be compared; nil
// where none is known. The raw value is none.
func (c *Confidence) Comparable() *float64 {
	switch {
	case c == nil:
		return nil
	case c.Calibrated != nil:
		return c.Calibrated
	default:
		return c.Rank
	}
}

// Artifact is a file that the response produced and Discord accepted.
type Artifact struct {
	Attachment graph.AttachmentID `json:"attachment"`
	Message    graph.MessageID    `json:"message"`
	Name       string             `json:"name"`
	Title      string             `json:"title,omitempty"`
	Type       string             `json:"type,omitempty"`
	Size       int64              `json:"size,omitempty"`
}
