package attachments

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

func TestTheNewestFilesAreReadWithinBounds(t *testing.T) {
	t.Parallel()
	g := &graph.Graph{}
	for i := range 20 {
		id := graph.MessageID(i + 1)
		g.Conversation = append(g.Conversation, graph.Node{Message: &graph.Message{ID: id, Attachments: []graph.Attachment{
			{ID: graph.AttachmentID(id), Name: "a.png", Type: "image/png", Size: 1 << 20},
			{ID: graph.AttachmentID(100 + id), Name: "a.go", Size: 1000},
		}}})
	}
	g.Conversation[19].Message.Origin = graph.OriginSelf
	g.Trigger = graph.Message{ID: 50, Attachments: []graph.Attachment{{ID: 50, Type: "image/png", Size: 10 << 20}, {ID: 51, Type: "image/webp", Size: 5 << 20}}}
	var pictures, texts []graph.AttachmentID
	for _, w := range Select(g, true, Before{}) {
		id := w.message.Attachments[w.at].ID
		if w.picture {
			pictures = append(pictures, id)
		} else {
			texts = append(texts, id)
		}
	}
	if want := []graph.AttachmentID{51, 19, 18, 17, 16, 15, 14, 13}; !slices.Equal(pictures, want) {
		t.Errorf("the pictures are %v, want %v", pictures, want)
	}
	if want := []graph.AttachmentID{119, 118, 117, 116, 115, 114, 113, 112}; !slices.Equal(texts, want) {
		t.Errorf("the texts are %v, want %v", texts, want)
	}
	if blind := Select(g, false, Before{}); len(blind) != maxTexts {
		t.Errorf("for a model that does not see %d files are read, want %d", len(blind), maxTexts)
	}
}

func TestDimensionsAreReadFromHeaders(t *testing.T) {
	t.Parallel()
	webp := func(chunk string, rest ...byte) string {
		return "RIFF\x00\x00\x00\x00WEBP" + chunk + "\x00\x00\x00\x00" + string(rest) + strings.Repeat("\x00", 20)
	}
	for name, test := range map[string]struct {
		data  string
		shown bool
	}{
		"a lossy WebP of 16 by 8":      {webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 16, 0, 8, 0), true},
		"a lossless WebP of 2 by 3":    {webp("VP8L", 0x2f, 0x01, 0x80, 0, 0), true},
		"an extended WebP of 257 by 1": {webp("VP8X", 0, 0, 0, 0, 0, 1, 0, 0, 0, 0), true},
		"an extended WebP bomb":        {webp("VP8X", 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), false},
		"a WebP of another kind":       {webp("VP9 "), false},
		"a WebP cut short":             {"RIFF\x00\x00\x00\x00WEBPVP8 ", false},
		"a GIF of 2 by 2":              {"GIF89a\x02\x00\x02\x00\x00\x00\x00;", true},
		"a GIF bomb":                   {"GIF89a\xff\xff\xff\xff\x00\x00\x00;", false},
		"a GIF of nothing":             {"GIF89a\x00\x00\x00\x00\x00\x00\x00;", false},
		"a damaged JPEG":               {"\xff\xd8\xff\xe0 nonsense", false},
		"a drawing":                    {"<svg xmlns='http://www.w3.org/2000/svg'/>", false},
		"nothing":                      {"", false},
	} {
		if got := pictureOf(fetch.File{Data: []byte(test.data)}); (got.data != nil) != test.shown {
			t.Errorf("%s: shown as %s: %t, want %t", name, got.kind, got.data != nil, test.shown)
		}
	}
}

func TestTextsAreValidAndWithoutZeros(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{"hello": "hello", "\uFEFFhello": "hello", "a\x00b": "", "\xff\xfe": "", "": ""} {
		if got := textOf(fetch.File{Data: []byte(data)}); got.text != want || got.data != nil {
			t.Errorf("%q is read as %q with %d bytes of data, want %q without", data, got.text, len(got.data), want)
		}
	}
}

func TestInliningLeavesTheTurnAsItWas(t *testing.T) {
	t.Parallel()
	turn := path.Turn{Parts: []path.Part{path.Text("see"), path.File{Content: path.Content{Attachment: 1}, Name: "a"}}}
	inlined := Contents{1: {text: "content"}}.Inlined(turn)
	if inlined.Parts[1].(path.File).Text != "content" || turn.Parts[1].(path.File).Text != "" {
		t.Errorf("inlined is %+v and the turn %+v, want the text in the copy alone", inlined, turn)
	}
	if _, err := (Contents{}).Address(context.Background(), path.Image{}); !errors.Is(err, errNotShown) {
		t.Errorf("a picture that was not read has an address: %v, want %v", err, errNotShown)
	}
}

func TestFilesAreReadOnceAndForgotten(t *testing.T) {
	t.Parallel()
	c := newCache()
	downloads := 0
	read := func(id graph.AttachmentID, size int) content {
		message := &graph.Message{ID: graph.MessageID(id), Attachments: []graph.Attachment{{ID: id}}}
		got, err := c.read(File{message: message}, func() (fetch.File, error) {
			downloads++
			data := []byte(strings.Repeat("x", size))
			return fetch.File{Data: data, Hash: sha256.Sum256(data)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	read(1, 10)
	if got := read(1, 10); downloads != 1 || len(got.text) != 10 {
		t.Errorf("two readings took %d downloads and gave %d bytes, want 1 and 10", downloads, len(got.text))
	}
	c.forget([]graph.MessageID{7, 1})
	if read(1, 10); downloads != 2 || c.size != 10 {
		t.Errorf("after it was forgotten: %d downloads, %d bytes, want 2 and 10", downloads, c.size)
	}
	for id := range graph.AttachmentID(10) {
		read(10+id, maxCachedBytes/4)
	}
	if c.size > maxCachedBytes {
		t.Errorf("%d bytes are held, want at most %d", c.size, maxCachedBytes)
	}
	c.forgetAll()
	if c.size != 0 || c.lru.Len() != 0 {
		t.Errorf("%d bytes of %d files are held, want 0 and 0", c.size, c.lru.Len())
	}
}

func TestWhatIsForgottenDuringADownloadIsNotHeld(t *testing.T) {
	t.Parallel()
	c := newCache()
	message := &graph.Message{ID: 1, Attachments: []graph.Attachment{{ID: 1}}}
	_, err := c.read(File{message: message}, func() (fetch.File, error) {
		c.forget([]graph.MessageID{1})
		return fetch.File{Data: []byte("secret")}, nil
	})
	if err != nil || c.lru.Len() != 0 {
		t.Errorf("%d files are held, with %v, want 0 and no error", c.lru.Len(), err)
	}
}
