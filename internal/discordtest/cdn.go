package discordtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
	cdnPrefix = "/cdn"
	// linkLife is how long an attachment's address works.
	linkLife = 24 * time.Hour
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
}

func (s *Server) wireAttachment(c graph.ChannelID, a *Attachment) wireAttachment {
	w := wireAttachment{
		ID: a.ID, Filename: a.Name, Description: a.Description, ContentType: a.Type, Size: a.Size,
		URL: s.sign(filePath(c, a)),
	}
	w.ProxyURL = w.URL
	if a.Width > 0 {
		w.Width, w.Height = &a.Width, &a.Height
	}
	return w
}

func filePath(c graph.ChannelID, a *Attachment) string {
	return cdnPrefix + "/attachments/" + c.String() + "/" + a.ID.String() + "/" + url.PathEscape(a.Name)
}

// sign makes an address for a path that works for a day, another one every time.
func (s *Server) sign(path string) string {
	now := s.clock()
	query := "ex=" + strconv.FormatInt(now.Add(linkLife).Unix(), 16) + "&is=" + strconv.FormatInt(now.Unix(), 16)
	salt := s.salt.Add(1)
	return "http://" + s.addr + path + "?" + query + "&hm=" + s.signature(path, query, salt) + "&"
}

// signature is an HMAC that begins with the salt that went into it.
func (s *Server) signature(path, query string, salt uint32) string {
	sum := binary.BigEndian.AppendUint32(nil, salt)
	mac := hmac.New(sha256.New, s.secret)
	_, _ = fmt.Fprintf(mac, "%s?%s %d", path, query, salt)
	return hex.EncodeToString(mac.Sum(sum)[:sha256.Size])
}

// signed checks a request for a file against its signature and time.
func (s *Server) signed(r *http.Request) bool {
	q := r.URL.Query()
	salt, err := strconv.ParseUint(q.Get("hm")[:min(8, len(q.Get("hm")))], 16, 32)
	if err != nil {
		return false
	}
	query := "ex=" + q.Get("ex") + "&is=" + q.Get("is")
	want := s.signature(r.URL.EscapedPath(), query, uint32(salt))
	if !hmac.Equal([]byte(want), []byte(q.Get("hm"))) {
		return false
	}
	until, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	return err == nil && s.clock().Unix() < until
}

// serveFile is the CDN. Files of deleted messages are gone.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.counts["GET "+cdnPrefix]++
	s.wakeLocked()
	s.mu.Unlock()
	a := s.fileAt(strings.TrimPrefix(r.URL.Path, cdnPrefix+"/attachments/"))
	if a == nil || !s.signed(r) {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Data)))
	_, _ = w.Write(a.Data)
}

func (s *Server) fileAt(path string) *Attachment {
	names := strings.Split(path, "/")
	if len(names) != 3 {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, id := s.world.channels[graph.ChannelID(idOf(names[0]))], graph.AttachmentID(idOf(names[1]))
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

// Files is how many requests the CDN had.
func (s *Server) Files() int { return s.Count("GET " + cdnPrefix) }

// FileURL is a newly signed address of an attachment.
func (s *Server) FileURL(c graph.ChannelID, a Attachment) string { return s.sign(filePath(c, &a)) }

// refreshURLs signs addresses anew, as Discord does for bots, undocumented.
func (s *Server) refreshURLs(c *call) (any, error) {
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
		if err != nil || !strings.HasPrefix(parsed.Path, cdnPrefix+"/attachments/") {
			return nil, errForm("attachment_urls", "BASE_TYPE_BAD_URL", "Not an attachment's address.")
		}
		all = append(all, refreshed{old, s.sign(parsed.EscapedPath())})
	}
	return map[string]any{"refreshed_urls": all}, nil
}

// adopt gives attachments their ids, sizes and types.
func (s *Server) adopt(all []Attachment) []Attachment {
	if len(all) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.adoptLocked(all)
}

func (s *Server) adoptLocked(all []Attachment) []Attachment {
	all = slices.Clone(all)
	for i := range all {
		a := &all[i]
		if a.ID == 0 {
			a.ID = graph.AttachmentID(s.nextID())
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
