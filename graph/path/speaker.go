package path

import (
	"strings"

	"heddle/graph"
)

// TurnOf returns a message as a turn that names its attachments.
func TurnOf(message graph.Message, speaker string) Turn {
	return turnOf(message, speaker, func(a graph.Attachment) Part { return fileOf(a) })
}

// turnWithImages returns a message as a turn for a model that sees: pictures become
// images, and every other attachment is named.
func turnWithImages(message graph.Message, speaker string) Turn {
	if message.Origin == graph.OriginSelf {
		return TurnOf(message, speaker)
	}
	return turnOf(message, speaker, func(a graph.Attachment) Part {
		if !strings.HasPrefix(a.Type, "image/") {
			return fileOf(a)
		}
		return Image{Content: contentOf(a), Type: validText(a.Type)}
	})
}

func contentOf(a graph.Attachment) Content {
	return Content{Hash: a.Hash, Attachment: a.ID, Size: a.Size}
}

func fileOf(a graph.Attachment) File {
	return File{Content: contentOf(a), Name: validText(a.Name), Type: validText(a.Type)}
}

// turnOf returns a message as a turn, with a part for each attachment.
func turnOf(message graph.Message, speaker string, part func(graph.Attachment) Part) Turn {
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
		turn.Parts = append(turn.Parts, part(attachment))
	}
	return turn
}
