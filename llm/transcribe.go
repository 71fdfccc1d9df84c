package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"heddle/internal/wait"
)

// Transcriber turns speech into text by any API that speaks OpenAI's /audio/transcriptions. Its
// methods may be called from any goroutine.
type Transcriber struct {
	config Config
	http   *http.Client
}

// NewTranscriber checks config and returns a Transcriber. It makes no connection.
func NewTranscriber(config Config) (*Transcriber, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("set up the transcriber: %w", err)
	}
	return &Transcriber{config: config, http: &http.Client{CheckRedirect: sameHost, Timeout: config.Timeout}}, nil
}

// Model returns the name of the model.
func (t *Transcriber) Model() string { return t.config.Model }

// Recording is speech that is to be transcribed.
type Recording struct {
	Data []byte
	// Ending and Type are those of its true form: OpenAI goes by the ending and refuses .opus
	// (DictateKeyboard#322, openai-go#91), others by the type (open-webui#17636).
	Ending, Type string
	Length       time.Duration
}

// Transcript is what is said in a recording.
type Transcript struct {
	Text  string // "" if nothing is said
	Usage Usage  // zero if the provider does not tell
}

// tokensPerSecond bounds what a second of speech takes: ten tokens of audio at OpenAI, and less
// than four of text.
const tokensPerSecond = 15

// maxTranscript bounds what is read of a response, in bytes.
const maxTranscript = 1 << 20

// Transcribe returns what is said in a recording. It tries again once if that may help. The
// error is an *Error. ctx bounds how long it takes.
func (t *Transcriber) Transcribe(ctx context.Context, r Recording) (Transcript, error) {
	var settle func(Spent)
	if t.config.Meter != nil {
		var err error
		if settle, err = t.config.Meter.ReserveTokens(ctx, int(r.Length.Seconds()*tokensPerSecond)+1); err != nil {
			return Transcript{}, &Error{Kind: Limited, cause: err}
		}
	}
	said, failure := t.ask(ctx, &r)
	if failure != nil && failure.Retryable && failure.RetryAfter < maxWait && wait.For(ctx, max(failure.RetryAfter, t.config.Backoff)) == nil {
		said, failure = t.ask(ctx, &r)
	}
	if settle != nil {
		refused := failure != nil && failure.Status >= 400 && failure.Status < 500
		settle(Spent{Model: t.config.Model, Usage: said.Usage, Known: refused || said.Usage != (Usage{})})
	}
	switch {
	case failure == nil:
		return said, nil
	case ctx.Err() != nil:
		return said, cancelled(ctx)
	}
	return said, failure
}

// ask makes one request. go-openai's does not serve: it takes an error that comes with status 200
// (whisper.cpp) for silence, loses the usage and Retry-After, and reads without a bound.
func (t *Transcriber) ask(ctx context.Context, r *Recording) (Transcript, *Error) {
	form, contentType, err := formOf(t.config.Model, r)
	if err != nil {
		return Transcript{}, &Error{Kind: BadRequest}
	}
	request, err := t.config.newRequest(ctx, http.MethodPost, "/audio/transcriptions", form)
	if err != nil {
		return Transcript{}, &Error{Kind: BadRequest}
	}
	request.Header.Set("Content-Type", contentType)
	response, err := t.http.Do(request)
	if err != nil {
		return Transcript{}, unreachable(err)
	}
	defer response.Body.Close() //nolint:errcheck // everything of use was read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxTranscript+1))
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	status := response.StatusCode
	switch {
	case status < 200 || status >= 300:
		return Transcript{}, classify(status, response.Header, readProblem(body), &sent{})
	case mediaType == "text/html": // a page of a proxy
		return Transcript{}, &Error{Kind: NotFound, Status: status}
	case err != nil:
		return Transcript{}, &Error{Kind: Cut, Retryable: true}
	case len(body) > maxTranscript:
		return Transcript{}, &Error{Kind: Malformed, Status: status}
	}
	return readTranscript(body, mediaType, response.Header)
}

// formOf returns the body of a request. Every server takes the format json: OpenAI's newer
// models refuse verbose_json (freeflow#218), and so does vLLM (vllm#14818).
func formOf(model string, r *Recording) (form io.Reader, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	file, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="voice` + r.Ending + `"`}, "Content-Type": {r.Type},
	})
	if err == nil {
		_, err = file.Write(r.Data)
	}
	for _, field := range [][2]string{{"model", model}, {"response_format", "json"}} {
		if err == nil {
			err = w.WriteField(field[0], field[1])
		}
	}
	if err == nil {
		err = w.Close()
	}
	return &b, w.FormDataContentType(), err //nolint:wrapcheck // it writes to memory
}

// readTranscript reads a response. Some servers send text whatever format is asked for, and
// whisper.cpp stands for silence with a mark.
func readTranscript(body []byte, mediaType string, header http.Header) (Transcript, *Error) {
	var answer struct {
		Text  *string         `json:"text"`
		Error json.RawMessage `json:"error"`
		Usage struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	}
	text := string(body)
	switch err := json.Unmarshal(body, &answer); {
	case answer.Text != nil: // a usage in another form costs nothing
		text = *answer.Text
	case err == nil && len(answer.Error) > 0:
		return Transcript{}, classify(http.StatusBadRequest, header, readProblem(body), &sent{})
	case mediaType != "text/plain", strings.HasPrefix(strings.TrimSpace(text), "<"):
		return Transcript{}, &Error{Kind: Malformed, Status: http.StatusOK}
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	if text == "[BLANK_AUDIO]" {
		text = ""
	}
	return Transcript{text, Usage{Prompt: max(answer.Usage.Input, 0), Completion: max(answer.Usage.Output, 0)}}, nil
}
