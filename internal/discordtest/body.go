package discordtest

import (
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
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
	files   []uploadedFile
}

type uploadedFile struct {
	index       int // the n of files[n]
	name        string
	contentType string
	data        []byte
}

// readBody reads a request. After an error it returns what it has read so far.
func readBody(r *http.Request) (*requestBody, error) {
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	limited := io.LimitReader(r.Body, maxRequest+1)
	if media != "multipart/form-data" {
		payload, err := io.ReadAll(limited)
		if err != nil {
			return &requestBody{}, errBadJSON()
		}
		if len(payload) > maxRequest {
			return &requestBody{}, errTooLarge()
		}
		return &requestBody{payload: payload}, nil
	}
	return readMultipart(multipart.NewReader(limited, params["boundary"]))
}

// readMultipart reads a form: the JSON of payload_json, and files.
func readMultipart(reader *multipart.Reader) (*requestBody, error) {
	body := &requestBody{}
	for {
		part, err := reader.NextPart()
		if err == io.EOF { //nolint:errorlint // documented to be returned as it is
			return body, nil
		}
		if err != nil {
			return body, errTooLarge()
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return body, errTooLarge()
		}
		if part.FormName() == "payload_json" {
			body.payload = data
			continue
		}
		if len(data) > maxUpload {
			return body, errTooLarge()
		}
		body.files = append(body.files, uploadedFile{
			index: fileIndex(part.FormName(), len(body.files)), name: part.FileName(),
			contentType: part.Header.Get("Content-Type"), data: data,
		})
	}
}

func errTooLarge() *apiError {
	return &apiError{status: http.StatusRequestEntityTooLarge, code: 40005, message: "Request entity too large"}
}

// fileIndex reads "files[2]". The older names "file" and "file2" work too.
func fileIndex(field string, otherwise int) int {
	field = strings.TrimPrefix(strings.TrimSuffix(field, "]"), "file")
	n, err := strconv.Atoi(strings.TrimPrefix(field, "s["))
	if err != nil {
		return otherwise
	}
	return n
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
		switch {
		case string(given) == "null":
			*field = nil
		case given != nil:
			*field = given
		}
	}
	if b.Flags != nil {
		m.Flags = m.Flags&^FlagSuppressEmbeds | *b.Flags&settableFlags // components V2 never goes away
	}
	m.Attachments = append(slices.Clone(b.kept(m)), files...)
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
	for _, f := range c.body.files {
		a := Attachment{
			Name: f.name, Type: mediaType(f.name, f.contentType),
			Size: int64(len(f.data)), Data: f.data,
		}
		if body.Attachments != nil {
			for _, about := range *body.Attachments {
				if nonceText(about.ID) == strconv.Itoa(f.index) {
					a.Description = about.Description
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
