package path

import (
	"encoding/json"
	"errors"
	"fmt"
)

// errPart means that a stored part has an unknown kind, because a newer program wrote
// it or its bytes were changed.
var errPart = errors.New("a stored part is of no known kind")

// storedPart is the stored form of a part in JSON, under its kind. It also contains what
// the hashes leave out.
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
