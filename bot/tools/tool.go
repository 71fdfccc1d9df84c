package tools

import (
	"context"
	"errors"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Tool is a tool that the model may call. Its methods may be called from any goroutine.
type Tool interface {
	// Spec returns the tool's description for the model. It never changes.
	Spec() path.Tool
	// Independent reports whether a call may be made at the same time as the other
	// calls of an answer.
	Independent() bool
	// Call makes a call. The model reads the text of a RefusalError; of any other error
	// it learns only that the tool failed. Call must return soon after ctx ends.
	Call(ctx context.Context, call Call) (Result, error)
}

// Call is a call of a tool.
type Call struct {
	Arguments []byte // a JSON object
	Place     Place
	Made      []File // by earlier calls for the same answer
	Model     string // that makes the answer; "" for the first
}

// Place is the place of an answer.
type Place struct {
	Channel graph.ChannelID
	Trigger graph.MessageID
	// Names are those of the people whom the model has read of so far; read only. nil if
	// it has read of none.
	Names *path.Names
	// Purse bounds what the answer may take; nil: nothing does.
	Purse Purse
	// Readable reports whether both the asker and heddle may read the channel's
	// history. nil means that they may not.
	Readable func(context.Context) (bool, error)
}

// Purse is what is left of the tokens that one answer may take.
type Purse interface {
	// Left returns how many tokens the answer may still take, and whether that is
	// bounded.
	Left() (tokens int, bounded bool)
	// Keep keeps tokens free that no tool may take, in place of those kept before.
	Keep(tokens int)
}

// Result is the result of a call.
type Result struct {
	Text    string          // for the model
	Files   []File          // for the answer
	Sources []graph.Message // quoted in Text
	Branch  *Branch
	Usage   llm.Usage // of the tool's requests to a model
	// Once is set if the result is valid only now, so that the answer must not be
	// reused for an equal question.
	Once bool
}

// File is a file for the answer.
type File struct {
	Title string
	Name  string
	Type  string // media type
	Data  []byte
}

// Branch is a separate conversation with the model that a call has begun.
type Branch struct {
	Call    string // id of the call
	Path    path.Path
	Answer  llm.Answer
	Refused bool // there was no answer
}

// RefusalError is an error for the model to read: what is wrong with its call, and what
// would be right.
type RefusalError string

func (r RefusalError) Error() string { return string(r) }

// refusal returns the text of the RefusalError in err, and reports whether there is one.
func refusal(err error) (string, bool) {
	r, ok := errors.AsType[RefusalError](err)
	return string(r), ok
}
