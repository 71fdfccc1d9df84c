package alternatives

import (
	"cmp"
	"slices"
	"strings"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// display is an answer as it stands on Discord: the messages that show one of its
// alternatives. It is not kept in memory. Each press reads it from the store.
type display struct {
	scope   store.Scope
	channel graph.ChannelID
	said    phrases.Language  // of what stands below the answer
	parts   []graph.MessageID // in order, at least one
	reply   graph.MessageID   // the message that it replies to if that is not the question itself
	all     []store.Response  // alternatives, oldest first
	shown   int               // index of all
	newest  store.Response    // of the answers to the question, of whatever generation
	offers  bool              // to answer the question as it was edited
	files   []file            // on any of parts
}

// file is a file on a display.
type file struct {
	store.Artifact

	of int // index of the alternative that it belongs to; -1 if that cannot be shown
}

// current returns the alternative that is shown.
func (d *display) current() *store.Response { return &d.all[d.shown] }

// last returns the message below which the buttons stand.
func (d *display) last() graph.MessageID { return d.parts[len(d.parts)-1] }

// held returns the files that stay where they are, whatever is shown.
func (d *display) held() map[graph.MessageID][]graph.AttachmentID {
	held := make(map[graph.MessageID][]graph.AttachmentID)
	for _, f := range d.files {
		held[f.Message] = append(held[f.Message], f.Attachment)
	}
	return held
}

// filesOfOthers returns a notice of which alternatives the files on messages belong
// to, leaving out those of the alternative shown; "" if there are none.
func (d *display) filesOfOthers(shown int, on func(graph.MessageID) bool) string {
	var owners []int
	names := make(map[int][]string)
	for _, f := range d.files {
		if f.of == shown && shown >= 0 || !on(f.Message) {
			continue
		}
		if names[f.of] == nil {
			owners = append(owners, f.of)
		}
		names[f.of] = append(names[f.of], f.Name)
	}
	slices.Sort(owners)
	lines := make([]string, len(owners))
	for i, of := range owners {
		lines[i] = d.said.NoticeFiles(of, names[of])
	}
	return strings.Join(lines, "\n")
}

// reached returns a function that reports whether the text of an answer takes up a
// message.
func (d *display) reached(r *store.Response) func(graph.MessageID) bool {
	n := len(outbox.Split(outbox.Readable(r.Text, answer.HostsNamed(r.Path)), outbox.Limit))
	return func(part graph.MessageID) bool { return slices.Contains(d.parts[:min(n, len(d.parts))], part) }
}

// newAlternative is the index of an alternative that is not on the display yet.
const newAlternative = -1

// to returns where an answer goes that takes the display's place and shows an
// alternative.
func (d *display) to(shown int, cause outbox.Cause) outbox.To {
	all := func(graph.MessageID) bool { return true }
	return outbox.To{
		Channel: d.channel, Trigger: cmp.Or(d.reply, d.all[0].Trigger), Over: slices.Clone(d.parts),
		Held: d.held(), HeldText: d.filesOfOthers(shown, all), Cause: cause,
	}
}
