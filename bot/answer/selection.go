package answer

import (
	"slices"

	"heddle/fetch"
	"heddle/graph"
)

// The bounds of the files of a conversation that are read.
const (
	maxPictures     = 8
	maxPictureBytes = 5 << 20
	maxPicturesSize = 16 << 20 // bytes of all pictures of a conversation
	maxTexts        = 8
	maxTextBytes    = 64 << 10
)

// attachment is a file of a conversation that was selected to be read.
type attachment struct {
	message *graph.Message
	at      int // index into the message's attachments
	picture bool
}

func (a attachment) size() int64 { return a.message.Attachments[a.at].Size }

func (a attachment) id() graph.AttachmentID { return a.message.Attachments[a.at].ID }

// contentOf returns the content of the downloaded file.
func (a attachment) contentOf(file fetch.File) content {
	if a.picture {
		return pictureOf(file)
	}
	return textOf(file)
}

func attachmentIDs(files []attachment) []graph.AttachmentID {
	ids := make([]graph.AttachmentID, len(files))
	for i, file := range files {
		ids[i] = file.id()
	}
	return ids
}

// selectFiles selects the files to read: pictures, if the model sees them, and short
// texts, the newest first. A file stays selected if the path that this one continues
// showed it, and left out if it did not, so that this path extends that one. If there
// are too many, the oldest leave, down to half of the bound.
func selectFiles(g *graph.Graph, sees bool, from continuation) []attachment {
	pictures := selection{before: from.before.Shown, most: maxPictures, bytes: maxPicturesSize}
	texts := selection{before: from.before.Shown, most: maxTexts, bytes: maxTexts * maxTextBytes}
	add := func(m *graph.Message) {
		if m.Origin == graph.OriginSelf {
			return
		}
		_, known := from.Positions[m.ID]
		for i, a := range m.Attachments {
			switch {
			case a.ID == 0 || known && !slices.Contains(from.before.Shown, a.ID):
			case sees && isPicture(a) && a.Size <= maxPictureBytes:
				pictures.offer(attachment{m, i, true})
			case isText(a) && a.Size <= maxTextBytes:
				texts.offer(attachment{m, i, false})
			}
		}
	}
	add(&g.Trigger)
	for i := range slices.Backward(g.Conversation) {
		add(&g.Conversation[i].Message)
	}
	return append(pictures.selected(), texts.selected()...)
}

// selection selects among files of one kind, which are offered newest first.
type selection struct {
	most  int   // the number of files
	bytes int64 // the size of all files

	before       []graph.AttachmentID // shown by the path that this one continues
	shown, fresh []attachment         // the files offered that are in before, and the others
}

func (s *selection) offer(file attachment) {
	if slices.Contains(s.before, file.id()) {
		s.shown = append(s.shown, file)
	} else {
		s.fresh = append(s.fresh, file)
	}
}

func (s *selection) selected() []attachment {
	fresh := fitting(nil, s.fresh, s.most, s.bytes)
	all := fitting(fresh, s.shown, s.most, s.bytes)
	if len(all) < len(fresh)+len(s.shown) {
		all = fitting(fresh, s.shown, s.most/2, s.bytes/2)
	}
	return all
}

// fitting returns the selected files, and as many of the others, in order, as fit.
func fitting(selected, others []attachment, most int, bytes int64) []attachment {
	for _, file := range selected {
		bytes -= file.size()
	}
	selected = slices.Clip(selected)
	for _, file := range others {
		if len(selected) < most && bytes >= file.size() {
			selected, bytes = append(selected, file), bytes-file.size()
		}
	}
	return selected
}
