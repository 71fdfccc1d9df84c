package path

import (
	"encoding/json"
	"errors"
	"fmt"
)

// errPart means that a stored part has an unknown kind, because a newer program wrote
// it or its bytes were changed.
var errPart = errors.New("a stored part is of no known kind")

// storedTurn is the stored form of a turn in JSON. It also contains what the hashes
// leave out.
type storedTurn struct {
	Role    Role         `json:"role"`
	Speaker string       `json:"speaker,omitempty"`
	Parts   []storedPart `json:"parts,omitempty"`
}

type storedPart struct {
	Text       *string       `json:"text,omitempty"`
	Note       *string       `json:"note,omitempty"`
	Image      *Image        `json:"image,omitempty"`
	File       *File         `json:"file,omitempty"`
	ToolCall   *ToolCall     `json:"tool_call,omitempty"`
	ToolResult *storedResult `json:"tool_result,omitempty"`
}

type storedResult struct {
	ID    string       `json:"id"`
	Name  string       `json:"name"`
	Parts []storedPart `json:"parts,omitempty"`
}

// MarshalJSON returns the stored form of a turn.
func (t Turn) MarshalJSON() ([]byte, error) {
	encoded, _ := json.Marshal(storedTurn{Role: t.Role, Speaker: t.Speaker, Parts: storeParts(t.Parts)}) // it never fails: these are strings and numbers
	return encoded, nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A caller that stored the turn under its Hash
// should compare it with the Hash of the result.
func (t *Turn) UnmarshalJSON(data []byte) error {
	var stored storedTurn
	if err := json.Unmarshal(data, &stored); err != nil {
		return fmt.Errorf("decode a stored turn: %w", err)
	}
	parts, err := loadParts(stored.Parts)
	if err != nil {
		return err
	}
	*t = Turn{Role: stored.Role, Speaker: stored.Speaker, Parts: parts}
	return nil
}

// storeParts returns parts in the form in which they are stored.
func storeParts(parts []Part) []storedPart {
	var stored []storedPart
	for _, part := range parts {
		var s storedPart
		switch part := part.(type) {
		case Text:
			text := string(part)
			s.Text = &text
		case Note:
			note := string(part)
			s.Note = &note
		case Image:
			s.Image = &part
		case File:
			s.File = &part
		case ToolCall:
			s.ToolCall = &part
		case ToolResult:
			s.ToolResult = &storedResult{ID: part.ID, Name: part.Name, Parts: storeParts(part.Parts)}
		}
		stored = append(stored, s)
	}
	return stored
}

func loadParts(stored []storedPart) ([]Part, error) {
	var parts []Part
	for _, s := range stored {
		part, err := s.part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// part returns the stored part, or an error if none of its fields is set.
func (s storedPart) part() (Part, error) { //nolint:ireturn // Part is what turns are made of
	switch {
	case s.Text != nil:
		return Text(*s.Text), nil
	case s.Note != nil:
		return Note(*s.Note), nil
	case s.Image != nil:
		return *s.Image, nil
	case s.File != nil:
		return *s.File, nil
	case s.ToolCall != nil:
		return *s.ToolCall, nil
	case s.ToolResult != nil:
		parts, err := loadParts(s.ToolResult.Parts)
		return ToolResult{ID: s.ToolResult.ID, Name: s.ToolResult.Name, Parts: parts}, err
	default:
		return nil, errPart
	}
}
