package path

import (
	"strings"

	"heddle/graph"
)

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
	// RoleSummary is heddle's: a summary of turns that the path leaves out.
	RoleSummary
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
	}
	return "unknown"
}

// Part is a piece of a turn: Text, Note, Image, File, ToolCall or ToolResult.
type Part interface {
	// appendCanonical writes the part's kind and what of it is hashed.
	appendCanonical(b []byte) []byte
}

// Parts are the pieces of a turn, in order.
type Parts []Part

// Text is plain text, valid UTF-8.
type Text string

// Note is text that heddle adds to what somebody wrote: lines that stand for stickers,
// polls, embeds and the like. It is valid UTF-8.
type Note string

// Image is a picture that the model is shown.
type Image struct {
	Content Content `json:"content"`
	Type    string  `json:"type"` // media type
}

// File is an attachment that is named or inlined.
type File struct {
	Content Content `json:"content"`
	Name    string  `json:"name"`
	Type    string  `json:"type,omitempty"` // media type
	Text    string  `json:"text,omitempty"` // the inlined text, "" where the file is only named
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

// ToolResult is what a tool answered.
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

// TurnOf returns a message as a turn that names its attachments.
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
			Content: Content{Hash: a.Hash, Attachment: a.ID, Size: a.Size}, Name: validText(a.Name), Type: validText(a.Type),
		})
	}
	return turn
}
