package attachments

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

// File is a file of a conversation that was selected to be read.
type File struct {
	message *graph.Message
	at      int // index into the message's attachments
	picture bool
}

func (f File) size() int64 { return f.message.Attachments[f.at].Size }

func (f File) id() graph.AttachmentID { return f.message.Attachments[f.at].ID }

// contentOf returns the content of the downloaded file.
func (f File) contentOf(file fetch.File) content {
	if f.picture {
		return pictureOf(file)
	}
	return textOf(file)
}

// IDs returns the ids of files.
func IDs(files []File) []graph.AttachmentID {
	ids := make([]graph.AttachmentID, len(files))
	for i, file := range files {
		ids[i] = file.id()
	}
	return ids
}

// Before is what an earlier path showed that a path continues. The zero value is that of
// a path that continues none.
type Before struct {
	Shown     []graph.AttachmentID    // the files that it showed
	Positions map[graph.MessageID]int // the messages that were on it
}

// Select selects the files to read: pictures, if the model sees them, and short
// texts, the newest first. A file stays selected if the path that this one continues
// showed it, and left out if it did not, so that this path extends that one. If there
// are too many, the oldest leave, down to half of the bound.
func Select(g *graph.Graph, sees bool, before Before) []File {
	pictures := selection{before: before.Shown, most: maxPictures, bytes: maxPicturesSize}
	texts := selection{before: before.Shown, most: maxTexts, bytes: maxTexts * maxTextBytes}
	add := func(m *graph.Message) {
		if m.Origin == graph.OriginSelf {
			return
		}
		_, known := before.Positions[m.ID]
		for i, a := range m.Attachments {
			switch {
			case a.ID == 0 || known && !slices.Contains(before.Shown, a.ID):
			case sees && isPicture(a) && a.Size <= maxPictureBytes:
				pictures.offer(File{m, i, true})
			case isText(a) && a.Size <= maxTextBytes:
				texts.offer(File{m, i, false})
			}
		}
	}
	add(&g.Trigger)
	for i := range slices.Backward(g.Conversation) {
		add(g.Conversation[i].Message)
	}
	return append(pictures.selected(), texts.selected()...)
}

// HasPictures reports whether people posted pictures that could be shown to a model.
func HasPictures(g *graph.Graph) bool {
	shows := func(m *graph.Message) bool {
		return m.Origin != graph.OriginSelf && slices.ContainsFunc(m.Attachments, func(a graph.Attachment) bool {
			return isPicture(a) && a.Size <= maxPictureBytes
		})
	}
	return shows(&g.Trigger) || slices.ContainsFunc(g.Conversation, func(n graph.Node) bool { return shows(n.Message) })
}

// selection selects among files of one kind, which are offered newest first.
type selection struct {
	most  int   // the number of files
	bytes int64 // the size of all files

	before       []graph.AttachmentID // shown by the path that this one continues
	shown, fresh []File               // the files offered that are in before, and the others
}

func (s *selection) offer(file File) {
	if slices.Contains(s.before, file.id()) {
		s.shown = append(s.shown, file)
	} else {
		s.fresh = append(s.fresh, file)
	}
}

func (s *selection) selected() []File {
	fresh := fitting(nil, s.fresh, s.most, s.bytes)
	all := fitting(fresh, s.shown, s.most, s.bytes)
	if len(all) < len(fresh)+len(s.shown) {
		all = fitting(fresh, s.shown, s.most/2, s.bytes/2)
	}
	return all
}

// fitting returns the selected files, and as many of the others, in order, as fit.
func fitting(selected, others []File, most int, bytes int64) []File {
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
