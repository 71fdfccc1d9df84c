package discordtest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Seconds     float64            `json:"duration_secs,omitempty"`
	Waveform    string             `json:"waveform,omitempty"`
	Flags       int                `json:"flags,omitempty"`
}

// linkLife is how long an attachment's address works.
const linkLife = 24 * time.Hour

// signed reports whether a request is for an address that has not expired.
func (w *world) signed(r *http.Request) bool {
	until, err := strconv.ParseInt(r.FormValue("ex"), 16, 64)
	return err == nil && r.FormValue("hm") != "" && w.clock().Unix() < until
}

// wireAttachment returns an attachment at a path of the file server's. Its address works for a
// day, and is another one every time.
func (w *world) wireAttachment(path string, a *Attachment) wireAttachment {
	now := w.clock()
	signature := fmt.Sprintf("%s?ex=%x&is=%x&hm=%064x&", path, now.Add(linkLife).Unix(), now.Unix(), w.signatures.Add(1))
	wire := wireAttachment{
		ID: a.ID, Filename: a.Name, Description: a.Description, ContentType: a.Type, Size: a.Size,
		URL: w.base + signature, ProxyURL: w.base + proxyPrefix + signature, Seconds: a.Seconds, Waveform: a.Waveform,
	}
	if a.Spoiler {
		wire.Flags = attachmentSpoiler
	}
	if a.Width > 0 {
		wire.Width, wire.Height = &a.Width, &a.Height
	}
	return wire
}

// filePath returns the path of a file of a message.
func filePath(c graph.ChannelID, a *Attachment) string {
	return filesPrefix + c.String() + "/" + a.ID.String() + "/" + url.PathEscape(a.Name)
}

// cdn serves attachments. The files of deleted messages are gone.
type cdn struct {
	world  *world
	record *Record
}

// ServeHTTP serves the file that a signed address names, or what the media proxy makes of it.
func (s *cdn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.record.countFile()
	path, proxied := strings.CutPrefix(r.URL.Path, proxyPrefix)
	a := s.file(path)
	if address, isSite := strings.CutPrefix(r.URL.Path, externalPrefix+"0/"); isSite {
		a = s.site(address)
	} else if !s.world.signed(r) {
		a = nil
	}
	if a == nil {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	if proxied {
		if a = a.proxied(r); a == nil {
			http.Error(w, "", http.StatusUnsupportedMediaType)
			return
		}
	}
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	http.ServeContent(counting{w, s.record}, r, "", time.Time{}, bytes.NewReader(a.Data)) // in part, if the request asks for a range
}

// site returns what the media proxy finds at an address of another site; nil for nothing.
func (s *cdn) site(address string) *Attachment {
	s.world.mu.RLock()
	defer s.world.mu.RUnlock()
	name, _ := base64.RawURLEncoding.DecodeString(address) // an invalid name is that of no site
	return s.world.sites[string(name)]
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
		return s.world.loose[id]
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
		a.Spoiler = a.Spoiler || strings.HasPrefix(a.Name, "SPOILER_")
		if a.Width == 0 {
			a.measure()
		}
	}
	return all
}
