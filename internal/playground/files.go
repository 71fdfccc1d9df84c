package playground

import (
	"mime"
	"net/http"
	"slices"

	"heddle/internal/discordtest"
)

// fileRequest is a file that somebody attaches.
type fileRequest struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// mostFiles and mostFileBytes are the most files on a message, and the most bytes of them
// together, that Discord accepts.
const (
	mostFiles     = 10
	mostFileBytes = 10_000_000
)

// attachments returns files as Discord has them on a message.
func attachments(files []fileRequest) (all []discordtest.Attachment, err error) {
	size := 0
	for _, f := range files {
		size += len(f.Data)
		all = append(all, discordtest.Attachment{Name: f.Name, Data: f.Data, Type: http.DetectContentType(f.Data)})
	}
	if len(files) > mostFiles || size > mostFileBytes {
		return nil, refusedError("Discord takes ten files and 10 MB on a message")
	}
	return all, nil
}

// picture reports whether files of a type are pictures that browsers can show and that
// cannot contain scripts.
func picture(kind string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
}

// serveFile serves a file on a message. Browsers download any file that is not a
// picture, and run no scripts in it.
func (p *page) serveFile(to http.ResponseWriter, r *http.Request) {
	channel, id, ok := p.named(to, r)
	if !ok {
		return
	}
	m, _ := p.world.discord.Chat.Message(channel, id)
	at := slices.IndexFunc(m.Attachments, func(a discordtest.Attachment) bool { return a.ID.String() == r.PathValue("file") })
	if at < 0 {
		refuse(to, http.StatusNotFound, "this file is gone")
		return
	}
	file := m.Attachments[at]
	h := to.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	if picture(file.Type) {
		h.Set("Content-Type", file.Type)
		h.Set("Content-Disposition", "inline")
	}
	_, _ = to.Write(file.Data) // fails only if the page is gone
}
