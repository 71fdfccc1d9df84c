package tools

import (
	"context"
	"errors"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Tool is something that the model may call. Its methods may be called from any
// goroutine.
type Tool interface {
	// Spec describes the tool to the model. It is always the same.
	Spec() path.Tool
	// Independent says whether a call needs nothing that the other calls of the same
	// answer make: it may be made at the same time as they are.
	Independent() bool
	// Call does what the model asks. The words of an error that is a RefusalError are
	// told to the model; of any other it is told only that the tool failed. It
	// returns soon after ctx ends.
	Call(ctx context.Context, call Call) (Result, error)
}

// Call is one call of a tool.
type Call struct {
	Arguments []byte // a JSON object
	Place     Place
	Made      []File // by earlier calls for the same answer
}

// Place is where an answer is given.
type Place struct {
	Channel graph.ChannelID
	Trigger graph.MessageID
	// Readable says whether the asker may read what was said in the channel before,
	// and heddle too. nil: they may not.
	Readable func(context.Context) (bool, error)
}

// Result is what came of a call.
type Result struct {
	Text    string          // for the model
	Files   []File          // to be put on the answer
	Sources []graph.Message // whose texts are in Text
	Branch  *Branch
	Usage   llm.Usage // of what the tool asked a model
	// Once marks a result that holds for this moment alone: the answer must not be
	// given again to somebody who asks the same.
	Once bool
}

// File is a file that is to be put on the answer.
type File struct {
	Title string
	Name  string
	Type  string // media type
	Data  []byte
}

// Branch is a conversation of its own that a call began.
type Branch struct {
	Call    string // id of the call
	Path    path.Path
	Answer  llm.Answer
	Refused bool // it came to no answer
}

// RefusalError is an error in words for the model: what is wrong with its call and what
// would be right.
type RefusalError string

func (r RefusalError) Error() string { return string(r) }

// refusal gives the words of a refusal in err.
func refusal(err error) (string, bool) {
	r, ok := errors.AsType[RefusalError](err)
	return string(r), ok
}
