package explain

import (
	"fmt"
	"strings"

	"heddle/graph"
)

// InputError is an error in the input. Its text names the file, the place and the
// remedy.
type InputError struct{ Problem string }

func (e InputError) Error() string { return e.Problem }

func wrong(format string, values ...any) error {
	return InputError{fmt.Sprintf(format, values...)}
}

// lastMessage is the argument that stands for the newest message by a person.
const lastMessage = "last"

// aim is the message to explain.
type aim struct {
	text    string
	message graph.MessageID // zero for the newest
	channel graph.ChannelID // zero if only the message was named
}

// parseAim parses the id of a message, a link to one, or "last".
func parseAim(text string) (aim, error) {
	a := aim{text: text}
	switch text {
	case "":
		return aim{}, wrong("say which message to explain: --at with its id, a link to it, or %q for the newest", lastMessage)
	case lastMessage:
		return a, nil
	}
	id := text
	if _, path, isLink := strings.Cut(text, "/channels/"); isLink {
		parts := strings.Split(strings.TrimRight(path, "/"), "/")
		if len(parts) != 3 || a.channel.UnmarshalText([]byte(parts[1])) != nil {
			return aim{}, wrong("--at %q leads to no message; copy the link from the message's own menu on Discord", text)
		}
		id = parts[2]
	}
	if err := a.message.UnmarshalText([]byte(id)); err != nil || a.message == 0 {
		return aim{}, wrong("--at %q is neither a message's id nor a link to one; copy either from the message's own menu on Discord, or use --at %s", text, lastMessage)
	}
	return a, nil
}
