package discordtest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
)

const (
	cdnPrefix   = "/cdn"
	filesPrefix = cdnPrefix + "/attachments/"
	loosePrefix = cdnPrefix + "/ephemeral-attachments/" // of files that are on no message
)

type wireAttachment struct {
	ID          graph.AttachmentID `json:"id"`
	Filename    string             `json:"filename"`
	Description string             `json:"description,omitempty"`
	ContentType string             `json:"content_type,omitempty"`
	Size        int64              `json:"size"`
	URL         string             `json:"url"`
	ProxyURL    string             `json:"proxy_url"`
	Width       *int               `json:"width,omitempty"`
	Height      *int               `json:"height,omitempty"`
	Ephemeral   bool               `json:"ephemeral,omitempty"`
}

// wireAttachment returns an attachment at a path of the file server's.
func (l *links) wireAttachment(path string, a *Attachment) wireAttachment {
	w := wireAttachment{
		ID: a.ID, Filename: a.Name, Description: a.Description, ContentType: a.Type, Size: a.Size,
		URL: l.sign(path),
	}
	w.ProxyURL = w.URL
	if a.Width > 0 {
		w.Width, w.Height = &a.Width, &a.Height
	}
	return w
}

// filePath returns the path of a file of a message.
func filePath(c graph.ChannelID, a *Attachment) string {
	return filesPrefix + c.String() + "/" + a.ID.String() + "/" + url.PathEscape(a.Name)
}

// loosePath returns the path of a file of an interaction, which no message holds.
func loosePath(application graph.UserID, a *Attachment) string {
	return loosePrefix + application.String() + "/" + a.ID.String() + "/" + url.PathEscape(a.Name)
}

// FileURL returns a newly signed address of an attachment.
func (t *Chat) FileURL(c graph.ChannelID, a Attachment) string {
	return t.world.links.sign(filePath(c, &a))
}

// cdn serves attachments. The files of deleted messages are gone.
type cdn struct {
	world  *world
	record *Record
}

// ServeHTTP serves the file that a signed address names.
func (s *cdn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.record.countFile()
	a := s.file(r.URL.Path)
	if a == nil || !s.world.links.signed(r) {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Data)))
	_, _ = w.Write(a.Data)
}

// file returns the attachment at a path, which ends in the channel or the application, the
// attachment and its name; nil if there is none.
func (s *cdn) file(path string) *Attachment {
	rest, isLoose := strings.CutPrefix(path, loosePrefix)
	names := strings.Split(strings.TrimPrefix(rest, filesPrefix), "/")
	if len(names) != 3 {
		return nil
	}
	s.world.mu.RLock()
	defer s.world.mu.RUnlock()
	id := graph.AttachmentID(idOf(names[1]))
	if isLoose {
		if a := s.world.loose[id]; a != nil && a.Name == names[2] {
			return a
		}
		return nil
	}
	c := s.world.channels[graph.ChannelID(idOf(names[0]))]
	if c == nil {
		return nil
	}
	for _, m := range c.messages {
		i := slices.IndexFunc(m.Attachments, func(a Attachment) bool { return a.ID == id && a.Name == names[2] })
		if i >= 0 {
			return &m.Attachments[i]
		}
	}
	return nil
}

// refreshURLs signs addresses again, which Discord offers bots without documenting it.
func refreshURLs(c *call) (any, error) {
	var body struct {
		URLs []string `json:"attachment_urls"`
	}
	if err := c.body.decode(&body); err != nil {
		return nil, err
	}
	if len(body.URLs) > 50 {
		return nil, errForm("attachment_urls", "BASE_TYPE_MAX_LENGTH", "Must be 50 or fewer in length.")
	}
	type refreshed struct {
		Original  string `json:"original"`
		Refreshed string `json:"refreshed"`
	}
	all := []refreshed{}
	for _, old := range body.URLs {
		parsed, err := url.Parse(old)
		if err != nil || !strings.HasPrefix(parsed.Path, filesPrefix) {
			return nil, errForm("attachment_urls", "BASE_TYPE_BAD_URL", "Not an attachment's address.")
		}
		all = append(all, refreshed{old, c.world.links.sign(parsed.EscapedPath())})
	}
	return map[string]any{"refreshed_urls": all}, nil
}

// adopt returns copies of attachments with the ids, sizes and types that they lack.
func (w *world) adopt(all []Attachment) []Attachment {
	all = slices.Clone(all)
	for i := range all {
		a := &all[i]
		if a.ID == 0 {
			a.ID = graph.AttachmentID(w.nextID())
		}
		if a.Size == 0 {
			a.Size = int64(len(a.Data))
		}
		if a.Type == "" {
			a.Type = mediaType(a.Name, "")
		}
	}
	return all
}
