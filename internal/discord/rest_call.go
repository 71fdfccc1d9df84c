package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// Call is one request.
type Call struct {
	Method string
	Path   string     // below the base, such as /channels/1/messages
	Query  url.Values // may be nil
	Body   any        // marshalled to JSON; nil sends none
	Files  []File     // sent with Body as a multipart form
	// Repeatable is set if sending the call twice has the same effect as sending it
	// once, as with an enforced nonce or a typing indicator. Methods other than POST
	// are always repeatable.
	Repeatable bool
}

// File is an upload.
type File struct {
	Name string
	Type string // media type; empty: application/octet-stream
	Data []byte
}

// encode returns the body for all attempts.
func encode(call Call) (contentType string, body []byte, err error) {
	if len(call.Files) == 0 {
		if call.Body == nil {
			return "", nil, nil
		}
		body, err = json.Marshal(call.Body)
		if err != nil {
			return "", nil, fmt.Errorf("encode the request: %w", err)
		}
		return "application/json", body, nil
	}
	files := make([]*discordgo.File, len(call.Files))
	for i, f := range call.Files {
		files[i] = &discordgo.File{Name: f.Name, ContentType: f.Type, Reader: bytes.NewReader(f.Data)}
	}
	contentType, body, err = discordgo.MultipartBodyWithJSON(call.Body, files)
	if err != nil {
		return "", nil, fmt.Errorf("encode the upload: %w", err)
	}
	return contentType, body, nil
}

func (c Call) isRepeatable() bool { return c.Repeatable || c.Method != http.MethodPost }
