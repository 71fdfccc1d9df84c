package path

import (
	"strconv"
	"strings"

	"heddle/graph"
)

// Speakers returns for every author a name that no other author among the messages has:
// the name frozen with the author's first message, numbered where it is taken.
// Numbers go by first appearance, so that appending messages renames nobody.
func Speakers(messages []graph.Message) map[graph.UserID]string {
	var names speakers
	for i := range messages {
		names.of(&messages[i])
	}
	return names.names
}

// speakers are the names given so far. The zero speakers has given none.
type speakers struct {
	names map[graph.UserID]string
	taken map[string]bool
}

// of is the name of a message's author.
func (s *speakers) of(m *graph.Message) string {
	if name, known := s.names[m.Author]; known {
		return name
	}
	if s.names == nil {
		s.names, s.taken = make(map[graph.UserID]string), make(map[string]bool)
	}
	base := validText(m.Name)
	name := base
	for n := 2; s.taken[strings.ToLower(name)]; n++ {
		name = base + " (" + strconv.Itoa(n) + ")"
	}
	s.names[m.Author] = name
	s.taken[strings.ToLower(name)] = true
	return name
}

// TurnOf is a message as a turn. Pictures become images where the model sees them;
// every other attachment is named.
func TurnOf(message graph.Message, speaker string, seesImages bool) Turn {
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
	for _, attachment := range message.Attachments {
		content := Content{Hash: attachment.Hash, Attachment: attachment.ID, Size: attachment.Size}
		if seesImages && turn.Role == RoleUser && strings.HasPrefix(attachment.Type, "image/") {
			turn.Parts = append(turn.Parts, Image{Content: content, Type: validText(attachment.Type)})
			continue
		}
		turn.Parts = append(turn.Parts, File{Content: content, Name: validText(attachment.Name), Type: validText(attachment.Type)})
	}
	return turn
}
