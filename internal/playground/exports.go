package playground

import (
	"embed"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"heddle/graph"
)

// samples are exports made for this project.
//
//go:embed sample/*.json
var samples embed.FS

// sampleNames returns the names of the samples in the order in which they are opened: a
// thread after its channel.
func sampleNames() []string { return []string{"commons", "garden", "thread"} }

// sampleChannel is the id of the first sample's channel.
const sampleChannel graph.ChannelID = 1090000000000000010

// mostUploaded bounds an export that is dropped on the page, in bytes.
const mostUploaded = 4 << 30

// importExport makes a channel of the export that is the request's body.
func (p *page) importExport(w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/octet-stream" {
		refuse(w, http.StatusUnsupportedMediaType, "an export has to be sent as it is")
		return
	}
	name := strings.TrimSpace(r.URL.Query().Get("name"))
	if name == "" {
		name = "the file"
	}
	made, err := p.world.load(http.MaxBytesReader(w, r.Body, mostUploaded), name, time.Now())
	p.answerImport(w, made, err)
}

// loadFiles makes channels from export files. It loads channels before their threads.
func (w *world) loadFiles(paths []string, now time.Time) error {
	for _, path := range paths {
		if err := w.loadFile(path, now); err != nil {
			return err
		}
	}
	return nil
}

// loadFile opens an export as a channel of its own.
func (w *world) loadFile(path string, now time.Time) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusedError("there is no file " + path + "; name an export that DiscordChatExporter wrote with --format Json")
	case err != nil:
		return refusedError(path + " cannot be read; check who may read it")
	case info.IsDir():
		return refusedError(path + " is a folder; name the .json file of one channel in it")
	}
	file, err := os.Open(path) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return refusedError(path + " cannot be read; check who may read it")
	}
	defer file.Close() //nolint:errcheck // nothing was written
	_, err = w.load(file, path, now)
	return err
}

// IsInput reports whether err of Run is about its input.
func IsInput(err error) bool {
	_, refused := errors.AsType[refusedError](err)
	return refused
}

// openSamples makes channels from the samples, unless that was done before.
func (p *page) openSamples(struct{}) (any, error) {
	if c, opened := p.world.imported(sampleChannel); opened {
		return Import{Channel: c.ID, Name: c.Name}, nil
	}
	var first Import
	for i, name := range sampleNames() {
		file, err := samples.Open("sample/" + name + ".json")
		if err != nil {
			return nil, refusedError("the samples are not part of this heddle")
		}
		made, err := p.world.load(file, name+".json", time.Now())
		_ = file.Close() // nothing was written
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = made
		}
	}
	return first, nil
}

// answerImport answers the request that uploaded an export.
func (p *page) answerImport(w http.ResponseWriter, made Import, err error) {
	var refused refusedError
	switch {
	case errors.As(err, &refused):
		refuse(w, http.StatusBadRequest, refused.Error())
	case err != nil:
		refuse(w, http.StatusInternalServerError, "the export could not be read; try it with heddle explain, which says more")
	default:
		answer(w, http.StatusOK, made)
	}
}

// pageOfMessages is the number of older messages that the page gets at a time.
const pageOfMessages = 200

// serveMessages returns messages of a channel around one: what the page does not have yet.
func (p *page) serveMessages(w http.ResponseWriter, r *http.Request) {
	channel, id, ok := p.world.named(w, r)
	if !ok {
		return
	}
	near, start, end := p.world.discord.Chat.Near(channel, id, pageOfMessages, pageOfMessages)
	answer(w, http.StatusOK, map[string]any{"messages": p.messages(near), "start": start, "end": end})
}

// named returns the channel and the message that a request names. If there is no such
// channel, it sends an error response and reports false.
func (w *world) named(to http.ResponseWriter, r *http.Request) (graph.ChannelID, graph.MessageID, bool) {
	var channel graph.ChannelID
	var id graph.MessageID
	if errors.Join(channel.UnmarshalText([]byte(r.PathValue("channel"))), id.UnmarshalText([]byte(r.PathValue("message")))) != nil {
		refuse(to, http.StatusBadRequest, "that is not the id of a message")
		return 0, 0, false
	}
	if _, known := w.channel(channel); !known {
		refuse(to, http.StatusNotFound, "there is no such channel here")
		return 0, 0, false
	}
	return channel, id, true
}
