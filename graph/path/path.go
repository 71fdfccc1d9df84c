// Package path turns a graph into the input of a model: turns, oldest first, with the
// system prompt as root and the trigger last, and a tail with what changes from mention
// to mention. It also names paths: every turn, path, answer and request has a hash over
// a canonical encoding.
package path

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"heddle/graph"
)

// Path is the conversation as the model sees it: the system prompt first, then
// turns oldest first, the trigger last.
type Path struct {
	Turns   []Turn
	Tools   []Tool
	Options Options
}

// Hashes returns the path_hash at every turn. The last one is the path's own.
func (p Path) Hashes() []Hash {
	hashes := make([]Hash, len(p.Turns))
	parent := Root(p.Tools, p.Options)
	for i, turn := range p.Turns {
		parent = Extend(parent, turn.Hash())
		hashes[i] = parent
	}
	return hashes
}

// Hash returns the path_hash of the whole path, or its Root if it has no turns.
func (p Path) Hash() Hash {
	if hashes := p.Hashes(); len(hashes) > 0 {
		return hashes[len(hashes)-1]
	}
	return Root(p.Tools, p.Options)
}

// Options are the options of a request. Those that make an answer deterministic belong
// to the path (see Root): a temperature of exactly 0, the token limit and the
// stop sequences.
type Options struct {
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
	MaxTokens   int      `json:"max_tokens,omitempty"`  // of the answer; 0: the provider's default
	Stop        []string `json:"stop,omitempty"`
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"`           // JSON schema of the arguments
	Server      string `json:"server,omitempty"` // the tool server that lends it; "" for heddle's own. Not hashed
}

// Turn is one step of a conversation as the model sees it. It contains no time, and no
// id that would reach the model.
type Turn struct {
	Role    Role   `json:"role"`
	Speaker string `json:"speaker,omitempty"` // the speaker, for RoleUser; see Names
	Parts   Parts  `json:"parts,omitempty"`
}

// Role is the side that a turn belongs to.
type Role uint8

// The roles. Their numbers are part of the hashed encoding. New ones are appended; the
// order never changes.
const (
	RoleSystem Role = iota + 1
	RoleUser
	RoleAssistant
	RoleTool
	// RoleSummary is for heddle's summary of turns that the path leaves out.
	RoleSummary
	// RoleTask is for what heddle itself asks of the model.
	RoleTask
)

// String returns the role's name, or "unknown".
func (r Role) String() string {
	switch r {
	case RoleSystem:
		return "system"
	case RoleUser:
		return "user"
	case RoleAssistant:
		return "assistant"
	case RoleTool:
		return "tool"
	case RoleSummary:
		return "summary"
	case RoleTask:
		return "task"
	}
	return "unknown"
}

// Part is a piece of a turn: Text, Note, Image, File, ToolCall or ToolResult.
type Part interface {
	// appendCanonical appends the part's kind and its hashed contents.
	appendCanonical(b []byte) []byte
}

// Parts are the pieces of a turn, in order.
type Parts []Part

// Text is plain text, valid UTF-8.
type Text string

// Note is text that heddle adds to somebody's message: lines that stand for stickers,
// polls, embeds and the like. It is valid UTF-8.
type Note string

// Image is a picture that the model is shown.
type Image struct {
	Content Content `json:"content"`
	Type    string  `json:"type"` // media type
}

// File is an attachment that is named or inlined. Of a long text, Text is the beginning and
// End the end.
type File struct {
	Content Content `json:"content"`
	Name    string  `json:"name"`
	Type    string  `json:"type,omitempty"`    // media type
	Spoiler bool    `json:"spoiler,omitempty"` // people see it only once they uncover it
	Text    string  `json:"text,omitempty"`    // the inlined text, "" where the file is only named
	Gap     string  `json:"gap,omitempty"`     // says what is left out between Text and End; "" for nothing
	End     string  `json:"end,omitempty"`
}

// Content identifies the bytes of an attachment by their SHA-256 or, if that is not
// known, by Discord's id of the attachment. A signed address never identifies them.
type Content struct {
	Hash       Hash               `json:"hash,omitzero"`
	Attachment graph.AttachmentID `json:"attachment,omitempty"`
	Size       int64              `json:"size,omitempty"` // bytes; not hashed
}

// ToolCall is a call that the model made.
type ToolCall struct {
	ID        string `json:"id"` // pairs the call with its result; not hashed
	Name      string `json:"name"`
	Arguments string `json:"arguments"`       // JSON as the model gave it, valid or not
	Model     string `json:"model,omitempty"` // whose id it is; "" if unknown; not hashed
}

// ToolResult is a tool's answer.
type ToolResult struct {
	ID    string `json:"id"` // of the call; not hashed
	Name  string `json:"name"`
	Parts Parts  `json:"parts,omitempty"` // Text, Image and File
}

// PlainText returns the text of a turn's Text and Note parts, separated by line breaks.
func (t Turn) PlainText() string {
	var said []string
	for _, part := range t.Parts {
		if text := words(part); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n")
}

// words returns the text of a Text or Note, or "" for any other part.
func words(part Part) string {
	switch part := part.(type) {
	case Text:
		return string(part)
	case Note:
		return string(part)
	}
	return ""
}

// TurnOf returns the turn of a message. It names its attachments.
func TurnOf(message graph.Message, speaker string) Turn {
	turn := Turn{Role: RoleUser, Speaker: speaker}
	if message.Origin == graph.OriginSelf {
		turn = Turn{Role: RoleAssistant}
	}
	typed, added := message.Text, ""
	if n := message.Added; n > 0 && n <= len(typed) && turn.Role == RoleUser {
		typed, added = typed[:len(typed)-n], strings.TrimPrefix(typed[len(typed)-n:], "\n")
	}
	if typed != "" {
		turn.Parts = append(turn.Parts, Text(validText(typed)))
	}
	if added != "" {
		turn.Parts = append(turn.Parts, Note(validText(added)))
	}
	for _, a := range message.Attachments {
		turn.Parts = append(turn.Parts, File{
			Content: Content{Hash: a.Hash, Attachment: a.ID, Size: a.Size}, Name: validText(a.Name), Type: validText(a.Type), Spoiler: a.Spoiler,
		})
	}
	return turn
}

// errPart means that a stored part has an unknown kind, because a newer program wrote
// it or its bytes were changed.
var errPart = errors.New("a stored part is of no known kind")

// storedPart is the stored form of a part in JSON, under its kind. Unlike a hash, it covers
// everything.
type storedPart struct {
	Text       *Text       `json:"text,omitempty"`
	Note       *Note       `json:"note,omitempty"`
	Image      *Image      `json:"image,omitempty"`
	File       *File       `json:"file,omitempty"`
	ToolCall   *ToolCall   `json:"tool_call,omitempty"`
	ToolResult *ToolResult `json:"tool_result,omitempty"`
}

// MarshalJSON returns the stored form of parts.
func (p Parts) MarshalJSON() ([]byte, error) {
	stored := make([]storedPart, len(p))
	for i, part := range p {
		switch part := part.(type) {
		case Text:
			stored[i].Text = &part
		case Note:
			stored[i].Note = &part
		case Image:
			stored[i].Image = &part
		case File:
			stored[i].File = &part
		case ToolCall:
			stored[i].ToolCall = &part
		case ToolResult:
			stored[i].ToolResult = &part
		}
	}
	encoded, _ := json.Marshal(stored) // it never fails: these are strings and numbers
	return encoded, nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A caller that stored a turn under its Hash
// should compare it with the Hash of the result.
func (p *Parts) UnmarshalJSON(data []byte) error {
	var stored []storedPart
	if err := json.Unmarshal(data, &stored); err != nil {
		return fmt.Errorf("decode stored parts: %w", err)
	}
	*p = nil
	for _, s := range stored {
		switch {
		case s.Text != nil:
			*p = append(*p, *s.Text)
		case s.Note != nil:
			*p = append(*p, *s.Note)
		case s.Image != nil:
			*p = append(*p, *s.Image)
		case s.File != nil:
			*p = append(*p, *s.File)
		case s.ToolCall != nil:
			*p = append(*p, *s.ToolCall)
		case s.ToolResult != nil:
			*p = append(*p, *s.ToolResult)
		default:
			return errPart
		}
	}
	return nil
}
