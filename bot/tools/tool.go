package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Tool is a tool that the model may call. Its methods may be called from any goroutine.
type Tool interface {
	// Spec returns the tool's description for the model. It never changes.
	Spec() path.Tool
	// Call makes a call, at the same time as others of an answer. The model reads the text of a RefusalError; of any other error
	// it learns only that the tool failed. Call must return soon after ctx ends.
	Call(ctx context.Context, call Call) (Result, error)
}

// Call is a call of a tool.
type Call struct {
	Arguments []byte // a JSON object
	Place     Place
	Model     string // that makes the answer; "" for the first
}

// Place is the place of an answer.
type Place struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	Trigger graph.MessageID
	Person  graph.UserID // the asker
	// Past is what was said before, for the asker.
	Past *conversation.Past
	// Names are those of the people whom the model has read of so far; read only. nil if
	// it has read of none.
	Names *path.Names
	// Account bounds what the answer may take; nil: nothing does.
	Account *limits.Account
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

// decode reads the arguments of a call. If one does not fit, it returns a RefusalError
// that names it.
func decode(arguments []byte, into any) error {
	err := json.Unmarshal(arguments, into)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return RefusalError(fmt.Sprintf("the argument %q is a %s, which it must not be.", wrong.Field, wrong.Value))
	}
	return RefusalError("the arguments could not be read.")
}
