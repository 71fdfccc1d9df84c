package fetch_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// filesWorld has one message with a file, heard by the history.
type filesWorld struct {
	*world
	files   *fetch.Files
	message graph.MessageID
	held    graph.Message
	data    []byte
}

func newFilesWorld(t *testing.T) *filesWorld {
	t.Helper()
	w := &filesWorld{world: newWorld(t), data: bytes.Repeat([]byte("pixel"), 100)}
	w.message = w.post(w.channel, w.ann, discordtest.Draft{Attachments: []discordtest.Attachment{
		{Name: "cat.png", Type: "image/png", Data: w.data},
	}})
	w.hear(w.message)
	cdn := errtest.Must(url.Parse(w.server.CDN()))(t)
	w.files = fetch.NewFiles(w.history, cdn.Host)
	held, ok := w.history.Message(w.channel, w.message)
	if !ok || len(held.Attachments) != 1 {
		t.Fatalf("held is %+v, want it with one attachment", held)
	}
	w.held = held
	return w
}

func (w *filesWorld) download() (fetch.File, error) {
	return w.files.Download(w.t.Context(), w.channel, w.message, w.held.Attachments[0])
}

func TestFilesComeWithTheirHash(t *testing.T) {
	w := newFilesWorld(t)
	w.server.Record.Forget()
	file, err := w.download()
	if err != nil || !bytes.Equal(file.Data, w.data) || file.Type != "image/png" || file.Hash != sha256.Sum256(w.data) {
		t.Errorf("got %d bytes of %s, error %v; want the %d of the file, image/png and their hash", len(file.Data), file.Type, err, len(w.data))
	}
	w.expect("messages read", len(w.server.Record.Requests(discordtest.On(discordtest.RouteMessage))), 0)
}

func TestAnExpiredAddressIsRenewedOnce(t *testing.T) {
	w := newFilesWorld(t)
	stale := w.wire(w.channel, w.message)
	stale.Attachments[0].URL = strings.Replace(stale.Attachments[0].URL, "?ex=", "?ex=1&was=", 1) // long ago
	w.history.Update(stale)
	w.server.Record.Forget()
	if file, err := w.download(); err != nil || len(file.Data) != len(w.data) {
		t.Errorf("got %d bytes, error %v, want %d and no error", len(file.Data), err, len(w.data))
	}
	w.expect("messages read", len(w.server.Record.Requests(discordtest.On(discordtest.RouteMessage))), 1)
	w.expect("downloads", w.server.Record.Files(), 2)
}

func TestFilesThatAreGoneAreSaidToBe(t *testing.T) {
	w := newFilesWorld(t)
	w.server.Chat.Delete(w.channel, w.message)
	if _, err := w.download(); !errors.Is(err, fetch.ErrNoSuchFile) {
		t.Errorf("the error is %v, want %v", err, fetch.ErrNoSuchFile)
	}
}

func TestFilesAreBoundedInSize(t *testing.T) {
	w := newFilesWorld(t)
	w.held.Attachments[0].Size = 10<<20 + 1
	if _, err := w.download(); !errors.Is(err, fetch.ErrTooLarge) || w.server.Record.Files() != 0 {
		t.Errorf("error %v after %d downloads, want %v and 0", err, w.server.Record.Files(), fetch.ErrTooLarge)
	}
	huge := w.post(w.channel, w.ann, discordtest.Draft{Attachments: []discordtest.Attachment{{Name: "a.png", Data: make([]byte, 10<<20+1)}}})
	w.hear(huge)
	claimed := graph.Attachment{ID: w.wire(w.channel, huge).Attachments[0].ID, Size: 10}
	if _, err := w.files.Download(t.Context(), w.channel, huge, claimed); !errors.Is(err, fetch.ErrTooLarge) {
		t.Errorf("the error is %v, want %v", err, fetch.ErrTooLarge)
	}
}

func TestFilesComeFromDiscordAlone(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer elsewhere.Close()
	port := elsewhere.URL[strings.LastIndexByte(elsewhere.URL, ':'):]
	history := newWorld(t).history
	files := fetch.NewFiles(history)
	for i, address := range []string{
		elsewhere.URL + "/a.png",
		"http://cdn.discordapp.com/a.png",
		"https://cdn.discordapp.com" + port + "/a.png",
		"https://cdn.discordapp.com.evil.example/a.png",
		"https://cdn.discordapp.com@127.0.0.1" + port + "/a.png",
		"file:///etc/passwd", "//127.0.0.1/a", ":", "a.png",
	} {
		id := graph.MessageID(i + 1)
		history.Create(&discord.Message{
			ID: id, Channel: 1, Author: discord.User{ID: 2}, Whole: true,
			Attachments: []discord.Attachment{{ID: 3, Name: "a.png", URL: address}},
		})
		_, err := files.Download(t.Context(), 1, id, graph.Attachment{ID: 3})
		if !errors.Is(err, fetch.ErrForeignHost) || strings.Contains(err.Error(), "a.png") {
			t.Errorf("%s: error %v, want %v and no %q in it", address, err, fetch.ErrForeignHost, "a.png")
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests went elsewhere, want 0", asked.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer elsewhere.Close()
	cdn := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer cdn.Close()
	history := newWorld(t).history
	history.Create(&discord.Message{
		ID: 5, Channel: 1, Author: discord.User{ID: 2}, Whole: true,
		Attachments: []discord.Attachment{{ID: 3, Name: "a.png", URL: cdn.URL}},
	})
	files := fetch.NewFiles(history, "127.0.0.1"+cdn.URL[strings.LastIndexByte(cdn.URL, ':'):])
	if _, err := files.Download(t.Context(), 1, 5, graph.Attachment{ID: 3}); err == nil || asked.Load() != 0 {
		t.Errorf("error %v, %d requests elsewhere, want an error and 0", err, asked.Load())
	}
}
