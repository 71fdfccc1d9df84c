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

func (w *filesWorld) attached() fetch.Attached {
	return fetch.Attached{Attachment: w.held.Attachments[0], Channel: w.channel, Message: w.message}
}

func (w *filesWorld) download() (fetch.File, error) {
	return w.files.Download(w.t.Context(), w.attached())
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
	if _, err := w.files.Download(t.Context(), fetch.Attached{Attachment: claimed, Channel: w.channel, Message: huge}); !errors.Is(err, fetch.ErrTooLarge) {
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
		_, err := files.Download(t.Context(), fetch.Attached{Attachment: graph.Attachment{ID: 3}, Channel: 1, Message: id})
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
	if _, err := files.Download(t.Context(), fetch.Attached{Attachment: graph.Attachment{ID: 3}, Channel: 1, Message: 5}); err == nil || asked.Load() != 0 {
		t.Errorf("error %v, %d requests elsewhere, want an error and 0", err, asked.Load())
	}
}

// TestAHeadIsReadOfAServerThatSendsAll has the server ignore that only a range is asked for.
func TestAHeadIsReadOfAServerThatSendsAll(t *testing.T) {
	const size = 64 << 20
	stopped := make(chan int, 1)
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent, block := 0, make([]byte, 1<<16)
		for sent < size {
			n, err := w.Write(block)
			if sent += n; err != nil {
				break
			}
		}
		stopped <- sent
	}))
	defer cdn.Close()
	files := fetch.NewFiles(newWorld(t).history, "127.0.0.1"+cdn.URL[strings.LastIndexByte(cdn.URL, ':'):])
	head, err := files.Head(t.Context(), fetch.Attached{Attachment: graph.Attachment{ID: 3, Size: size}, Address: fetch.Address{URL: cdn.URL}}, 1<<10)
	if err != nil || len(head) != 1<<10 {
		t.Errorf("%d bytes are read, error %v, want 1024 and none", len(head), err)
	}
	if sent := <-stopped; sent == size { // it ends when the connection does
		t.Errorf("all %d bytes were sent, want the connection closed before", sent)
	}
}

func TestAHeadIsARange(t *testing.T) {
	w := newFilesWorld(t)
	large := w.post(w.channel, w.ann, discordtest.Draft{Attachments: []discordtest.Attachment{{Name: "a.bin", Data: bytes.Repeat([]byte("0123456789"), 1000)}, {Name: "empty"}}})
	w.hear(large)
	held, _ := w.history.Message(w.channel, large)
	w.server.Record.Forget()
	for i, want := range []int{1 << 10, 0} {
		head, err := w.files.Head(t.Context(), fetch.Attached{Attachment: held.Attachments[i], Channel: w.channel, Message: large}, 1<<10)
		if err != nil || len(head) != want || int(w.server.Record.FileBytes()) > 1<<10 {
			t.Errorf("file %d: %d of %d bytes sent are read, error %v, want %d", i, len(head), w.server.Record.FileBytes(), err, want)
		}
	}
}

// TestPicturesAreAskedOfTheProxy names the size of a large picture, and keeps the signature as
// it is. An address that has expired is renewed.
func TestPicturesAreAskedOfTheProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		_, _ = w.Write([]byte("pixels"))
	}))
	defer proxy.Close()
	files := fetch.NewFiles(newWorld(t).history, "127.0.0.1"+proxy.URL[strings.LastIndexByte(proxy.URL, ':'):])
	for _, row := range []struct {
		width, height int
		path, want    string
	}{
		{4000, 3000, "/a.heic?ex=1&is=2&hm=3&", "/a.heic?ex=1&is=2&hm=3&format=jpeg&width=1000&height=750"},
		{10, 40_000, "/a.heic?ex=1", "/a.heic?ex=1&format=jpeg&width=1&height=1000"},
		{800, 600, "/a.heic", "/a.heic?format=jpeg"},
		{0, 0, "/a.heic?", "/a.heic?format=jpeg"},
	} {
		asked = nil
		a := fetch.Attached{Attachment: graph.Attachment{ID: 3, Size: 90 << 20, Width: row.width, Height: row.height}, Address: fetch.Address{URL: "x", Proxy: proxy.URL + row.path}}
		if _, err := files.Picture(t.Context(), a, "jpeg", 1000); err != nil || len(asked) != 1 || asked[0] != row.want {
			t.Errorf("%d by %d: %q is asked, error %v, want %q", row.width, row.height, asked, err, row.want)
		}
	}
	w := newFilesWorld(t)
	stale := w.wire(w.channel, w.message)
	stale.Attachments[0].ProxyURL = strings.Replace(stale.Attachments[0].ProxyURL, "?ex=", "?ex=1&was=", 1) // long ago
	w.history.Update(stale)
	w.server.Record.Forget()
	if _, err := w.files.Picture(t.Context(), w.attached(), "png", 1000); err == nil || errors.Is(err, fetch.ErrNoSuchFile) {
		t.Errorf("the error is %v, want that of what is no picture", err)
	}
	w.expect("messages read", len(w.server.Record.Requests(discordtest.On(discordtest.RouteMessage))), 1)
}
