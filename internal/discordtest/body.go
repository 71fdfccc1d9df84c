package discordtest

import (
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"heddle/graph"
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

// decode reads a request's JSON into v.
func (b *requestBody) decode(v any) error {
	if len(b.payload) == 0 {
		return nil
	}
	if json.Unmarshal(b.payload, v) != nil {
		return errBadJSON()
	}
	return nil
}

// attachmentsBody is the part of a create or edit that describes files.
type attachmentsBody struct {
	Attachments *[]attachmentBody `json:"attachments"`
}

type attachmentBody struct {
	ID          json.RawMessage `json:"id"` // the n of files[n], or a kept attachment's id
	Filename    string          `json:"filename"`
	Description string          `json:"description"`
}

// uploads returns attachments for the files that came with a request. said, which may
// be empty, names and describes them.
func (c *call) uploads(said *attachmentsBody) []Attachment {
	var all []Attachment
	for _, f := range c.body.files {
		a := Attachment{
			Name: f.name, Type: mediaType(f.name, f.contentType),
			Size: int64(len(f.data)), Data: f.data,
		}
		if said.Attachments != nil {
			for _, about := range *said.Attachments {
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
func (b *attachmentsBody) kept(m *Message) []Attachment {
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
