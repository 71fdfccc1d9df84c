package bot

import (
	"slices"

	"heddle/graph"
)

// The bounds of what is read of a conversation's files.
const (
	maxPictures     = 8
	maxPictureBytes = 5 << 20
	maxPicturesSize = 16 << 20 // bytes of all pictures of a conversation
	maxTexts        = 8
	maxTextBytes    = 64 << 10
)

// wantedFiles chooses what is to be read: pictures for a model that sees, and texts
// that are short enough, the newest first. What the path before held stays, and what
// it did not hold stays out, so that the path extends it; when there are too many,
// the oldest leave, down to half as many as there may be.
func wantedFiles(g *graph.Graph, sees bool, from continuation) []attachment {
	pictures := choice{most: maxPictures, bytes: maxPicturesSize}
	texts := choice{most: maxTexts, bytes: maxTexts * maxTextBytes}
	add := func(m *graph.Message) {
		if m.Origin == graph.OriginSelf {
			return
		}
		_, known := from.Positions[m.ID]
		for i, a := range m.Attachments {
			shown := slices.Contains(from.before.Shown, a.ID)
			switch {
			case a.ID == 0 || known && !shown:
			case sees && isPicture(a) && a.Size <= maxPictureBytes:
				pictures.offer(attachment{m, i, true}, shown)
			case isText(a) && a.Size <= maxTextBytes:
				texts.offer(attachment{m, i, false}, shown)
			}
		}
	}
	add(&g.Trigger)
	for i := range slices.Backward(g.Conversation) {
		add(&g.Conversation[i].Message)
	}
	return append(pictures.made(), texts.made()...)
}

// choice is a choice among files of one kind, offered the newest first.
type choice struct {
	most  int   // files
	bytes int64 // of them all

	shown, fresh []attachment // those that the path before held, and the others
}

func (c *choice) offer(file attachment, shown bool) {
	if shown {
		c.shown = append(c.shown, file)
	} else {
		c.fresh = append(c.fresh, file)
	}
}

func (c *choice) made() []attachment {
	fresh := fitting(nil, c.fresh, c.most, c.bytes)
	all := fitting(fresh, c.shown, c.most, c.bytes)
	if len(all) < len(fresh)+len(c.shown) {
		all = fitting(fresh, c.shown, c.most/2, c.bytes/2)
	}
	return all
}

// fitting are the files in chosen and of the others, which come in order, those that
// fit.
func fitting(chosen, others []attachment, most int, bytes int64) []attachment {
	for _, file := range chosen {
		bytes -= file.size()
	}
	chosen = slices.Clip(chosen)
	for _, file := range others {
		if len(chosen) < most && bytes >= file.size() {
			chosen, bytes = append(chosen, file), bytes-file.size()
		}
	}
	return chosen
}

func (a attachment) size() int64 { return a.message.Attachments[a.at].Size }

func attachmentIDs(files []attachment) []graph.AttachmentID {
	ids := make([]graph.AttachmentID, len(files))
	for i, file := range files {
		ids[i] = file.message.Attachments[file.at].ID
	}
	return ids
}
