package discordtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
)

// Discord's limits on a request, in bytes.
const (
	maxUpload  = 10 << 20 // of one file
	maxRequest = 25 << 20
)

// requestBody is the JSON that came with a request, and files if it was multipart.
type requestBody struct {
	payload []byte
	files   []uploadedFile // those of the fields files[0], files[1] and so on
}

type uploadedFile struct {
	name, contentType string
	data              []byte
}

// readBody reads a request. It fails if the request is larger than Discord takes.
func readBody(w http.ResponseWriter, r *http.Request) (*requestBody, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	body := &requestBody{}
	var err error
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "multipart/form-data" {
		if body.payload, err = io.ReadAll(r.Body); err != nil {
			return body, errTooLarge()
		}
		return body, nil
	}
	if r.ParseMultipartForm(maxRequest) != nil { //nolint:gosec // the body is bounded
		return body, errTooLarge()
	}
	body.payload = []byte(r.FormValue("payload_json"))
	for n := range len(r.MultipartForm.File) {
		part, about, err := r.FormFile(fmt.Sprintf("files[%d]", n))
		if err != nil || about.Size > maxUpload {
			return body, errTooLarge()
		}
		data, _ := io.ReadAll(part) // it is in memory
		body.files = append(body.files, uploadedFile{about.Filename, about.Header.Get("Content-Type"), data})
	}
	return body, nil
}

func errTooLarge() *apiError {
	return &apiError{status: http.StatusRequestEntityTooLarge, code: 40005, message: "Request entity too large"}
}

// messageBody is a message as a request creates or changes it. Fields that are absent are
// nil; those that are null are not.
type messageBody struct {
	Content      json.RawMessage   `json:"content"`
	Embeds       json.RawMessage   `json:"embeds"`
	Components   json.RawMessage   `json:"components"`
	Allowed      json.RawMessage   `json:"allowed_mentions"`
	Nonce        json.RawMessage   `json:"nonce"`
	EnforceNonce bool              `json:"enforce_nonce"`
	Reference    *referenceBody    `json:"message_reference"`
	Flags        *int              `json:"flags"`
	Attachments  *[]attachmentBody `json:"attachments"`
	Poll         *pollBody         `json:"poll"`
}

type referenceBody struct {
	Channel       incoming[graph.ChannelID] `json:"channel_id"`
	Message       incoming[graph.MessageID] `json:"message_id"`
	FailIfMissing *bool                     `json:"fail_if_not_exists"`
}

type attachmentBody struct {
	ID          json.RawMessage `json:"id"` // the n of files[n], or a kept attachment's id
	Filename    string          `json:"filename"`
	Description string          `json:"description"`
	Spoiler     bool            `json:"is_spoiler"`
	Seconds     float64         `json:"duration_secs"`
	Waveform    string          `json:"waveform"`
}

// apply changes m, a new message of c or a copy of one, and validates the result.
func (b *messageBody) apply(c *channel, m *Message, files []Attachment) error {
	if b.Content != nil {
		var text string
		if !isNull(b.Content) && json.Unmarshal(b.Content, &text) != nil {
			return errForm("content", "BASE_TYPE_CONVERT", "Could not interpret value as string.")
		}
		m.Content = strings.TrimSpace(text)
	}
	for field, given := range map[*json.RawMessage]json.RawMessage{&m.Embeds: b.Embeds, &m.Components: b.Components, &m.nonce: b.Nonce} {
		if given != nil {
			*field = given
		}
	}
	if b.Flags != nil {
		m.Flags = m.Flags&^FlagSuppressEmbeds | *b.Flags&settableFlags // components V2 never goes away
	}
	m.Attachments = append(slices.Clone(b.kept(m)), files...)
	if b.Embeds != nil || b.Components != nil {
		c.world.unfurl(m)
	}
	if b.Poll != nil {
		poll, err := b.Poll.poll(c.world.clock())
		if err != nil {
			return err
		}
		m.Poll = poll.begun(c.world.clock())
	}
	allowed, err := parseAllowed(b.Allowed)
	if err != nil {
		return err
	}
	allowed.mark(c, m)
	return m.validate()
}

// uploads returns attachments for the files that came with a request, which body may name
// and describe.
func (c *call) uploads(body *messageBody) []Attachment {
	var all []Attachment
	for n, f := range c.body.files {
		a := Attachment{
			Name: f.name, Type: mediaType(f.name, f.contentType),
			Size: int64(len(f.data)), Data: f.data,
		}
		if body.Attachments != nil {
			for _, about := range *body.Attachments {
				if nonceText(about.ID) == strconv.Itoa(n) {
					a.Description, a.Spoiler, a.Seconds, a.Waveform = about.Description, about.Spoiler, about.Seconds, about.Waveform
					a.Name = cmp.Or(about.Filename, a.Name)
				}
			}
		}
		all = append(all, a)
	}
	return c.world.adopt(all)
}

// kept returns the attachments of m that an edit keeps.
func (b *messageBody) kept(m *Message) []Attachment {
	if b.Attachments == nil {
		return m.Attachments
	}
	var all []Attachment
	for _, a := range m.Attachments {
		for _, about := range *b.Attachments {
			if graph.AttachmentID(idOf(nonceText(about.ID))) == a.ID {
				all = append(all, a)
			}
		}
	}
	return all
}

// mediaType returns the media type of a file: said, or else the type for its name.
func mediaType(name, said string) string {
	if said != "" && said != "application/octet-stream" {
		return said
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if found := mime.TypeByExtension(name[i:]); found != "" {
			return found
		}
	}
	return said
}
