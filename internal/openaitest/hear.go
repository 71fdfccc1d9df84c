package openaitest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Voice is a request to transcribe a recording, as it came. It never changes.
type Voice struct {
	Header        http.Header
	Model, Format string
	Name, Type    string // of the file
	Data          []byte
}

// Hear returns how a server answers requests to transcribe recordings, in which something is
// said, and of which it names the usage in tokens.
func Hear(said string, usage Usage) func(Voice) Reply {
	return func(Voice) Reply {
		return Reply{Body: mustJSON(map[string]any{"text": said, "usage": map[string]any{"type": "tokens", "input_tokens": usage.Prompt, "output_tokens": usage.Completion}})}
	}
}

// maxVoice is the size of the largest file that OpenAI and Groq take.
const maxVoice = 25 << 20

// serveVoice records and answers a request to transcribe a recording. It refuses what OpenAI
// refuses: it goes by the ending of the file's name (openai-go#91, DictateKeyboard#322), wants a
// type (open-webui#17636), and its newer models know two formats (freeflow#218).
func (s *Server) serveVoice(w http.ResponseWriter, r *http.Request) {
	v, err := readVoice(r)
	s.update(func() {
		s.voices = append(s.voices, v)
		s.active++
	})
	defer s.finish(r)
	refuse := func(status int, format string, words ...any) {
		s.write(w, r, Fail(Failure{Status: status, Type: "invalid_request_error", Message: fmt.Sprintf(format, words...)}), Request{})
	}
	endings := []string{"flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"}
	_, ending, _ := strings.Cut(v.Name, ".")
	switch {
	case err != nil:
		refuse(http.StatusBadRequest, "Could not parse multipart form")
	case len(v.Data) > maxVoice:
		refuse(http.StatusRequestEntityTooLarge, "Maximum content size limit (%d) exceeded (%d bytes read)", maxVoice, len(v.Data))
	case !slices.Contains(endings, ending), v.Type == "":
		refuse(http.StatusBadRequest, "Invalid file format. Supported formats: ['%s']", strings.Join(endings, "', '"))
	case v.Format != "json" && v.Format != "text":
		refuse(http.StatusBadRequest, "response_format '%s' is not compatible with model '%s'. Use 'json' or 'text' instead.", v.Format, v.Model)
	case s.hear.Load() == nil:
		refuse(http.StatusNotFound, "Invalid URL (POST /v1/audio/transcriptions)")
	default:
		s.write(w, r, (*s.hear.Load())(v), Request{})
	}
}

func readVoice(r *http.Request) (v Voice, err error) {
	v.Header, v.Model, v.Format = r.Header.Clone(), r.FormValue("model"), r.FormValue("response_format")
	file, header, err := r.FormFile("file")
	if err != nil {
		return v, fmt.Errorf("read a recording: %w", err)
	}
	v.Name, v.Type = header.Filename, header.Header.Get("Content-Type")
	if v.Data, err = io.ReadAll(file); err != nil {
		return v, fmt.Errorf("read a recording: %w", err)
	}
	return v, nil
}

// Hears sets how recordings are transcribed from now on; nil: there is no such path, as most APIs
// for chats have none.
func (s *Server) Hears(hear func(Voice) Reply) {
	if hear == nil {
		s.hear.Store(nil)
		return
	}
	s.hear.Store(&hear)
}

// Voices returns all recordings so far, in their order.
func (s *Server) Voices() []Voice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.voices)
}

// Deaf are ways in which servers fail to transcribe a recording, each in the words of a report.
func Deaf() map[string]Reply {
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	return map[string]Reply{
		"a page of a proxy":         {Body: "<!DOCTYPE html><html><body>Sign in to continue</body></html>", Header: html},
		"a page of a failing proxy": {Status: http.StatusBadGateway, Body: "<html><h1>502 Bad Gateway</h1></html>", Header: html},
		"a page that says text":     {Body: "<html>Sign in</html>", Header: http.Header{"Content-Type": {"text/plain"}}},
		"WAV only":                  {Body: `{"error":"failed to read audio data"}`},                                                                                 // whisper.cpp's server without --convert, also with status 200
		"no Opus":                   {Status: http.StatusBadRequest, Body: `{"object":"error","message":"Error opening <_io.BytesIO>: Format not recognised."}`},     // vLLM: speakr#156
		"no such model":             {Status: http.StatusNotFound, Body: `{"detail":"Model 'test-voice' is not installed locally."}`},                                // speaches
		"too large":                 {Status: http.StatusRequestEntityTooLarge, Body: `{"error":{"message":"Request Entity Too Large","code":"request_too_large"}}`}, // Groq: VideoCaptioner#724
		"a crash":                   {Status: http.StatusInternalServerError, Body: "Internal Server Error", Header: http.Header{"Content-Type": {"text/plain"}}},    // speaches#58
		"no text":                   {Body: `{"segments":[]}`},
		"another shape":             {Body: `["meet","at","noon"]`},
		"a wrong key":               {Status: http.StatusUnauthorized, Body: `{"error":{"message":"Incorrect API key provided: sk-secret","code":"invalid_api_key"}}`},
	}
}
