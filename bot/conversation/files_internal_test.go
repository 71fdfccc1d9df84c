package conversation

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/expensive"
)

func TestTheNewestFilesAreReadWithinBounds(t *testing.T) {
	g := &graph.Graph{}
	for i := range 20 {
		id := graph.MessageID(i + 1)
		g.Conversation = append(g.Conversation, graph.Node{Message: &graph.Message{ID: id, Attachments: []graph.Attachment{
			{ID: graph.AttachmentID(id), Name: "a.png", Type: "image/png", Size: 1 << 20},
			{ID: graph.AttachmentID(100 + id), Name: "a.go", Size: 1000},
			{Name: "without an id.go", Size: 1000},
		}}})
	}
	g.Conversation[19].Message.Origin = graph.OriginSelf
	g.Conversation[18].Message.Attachments[0].Size = maxPictureBytes
	g.Trigger = graph.Message{ID: 50, Attachments: []graph.Attachment{{ID: 50, Type: "image/png", Size: 10 << 20}, {ID: 51, Type: "image/webp", Size: 5 << 20}}}
	var pictures, texts []graph.AttachmentID
	for _, w := range selectFiles(g, true) {
		if id := w.attachment().ID; w.picture {
			pictures = append(pictures, id)
		} else {
			texts = append(texts, id)
		}
	}
	if want := []graph.AttachmentID{51, 19, 18, 17, 16, 15, 14, 13}; !slices.Equal(pictures, want) {
		t.Errorf("the pictures are %v, want %v, as all that fit", pictures, want)
	}
	if want := []graph.AttachmentID{119, 118, 117, 116, 115, 114, 113, 112}; !slices.Equal(texts, want) {
		t.Errorf("the texts are %v, want %v", texts, want)
	}
	if blind := selectFiles(g, false); len(blind) != maxTexts {
		t.Errorf("for a model that does not see %d files are read, want %d", len(blind), maxTexts)
	}
}

func TestFilesAreToldByTypeAndName(t *testing.T) {
	for file, want := range map[graph.Attachment]struct{ picture, text bool }{
		{Type: "image/png", Name: "a"}:                      {true, false},
		{Name: "a.JPEG"}:                                    {true, false},
		{Type: "application/octet-stream", Name: "a.png"}:   {false, false},
		{Type: "text/plain; charset=utf-8", Name: "a"}:      {false, true},
		{Type: "application/json", Name: "a"}:               {false, true},
		{Type: "application/octet-stream", Name: "main.Go"}: {false, true},
		{Name: "notes.md"}:                                  {false, true},
		{Type: "video/mp2t", Name: "a.ts"}:                  {false, false},
		{Type: "application/pdf", Name: "a.pdf"}:            {false, false},
		{Name: "a"}:                                         {false, false},
	} {
		if isPicture(file) != want.picture || isText(file) != want.text {
			t.Errorf("%+v is a picture: %t, a text: %t, want %t and %t", file, isPicture(file), isText(file), want.picture, want.text)
		}
	}
}

func TestOnlyPicturesThatModelsTakeAreShown(t *testing.T) {
	for name, test := range map[string]struct {
		data  string
		shown bool
	}{
		"a WebP":           {"RIFF\x00\x00\x00\x00WEBPVP8 ", true},
		"a GIF of 2 by 2":  {"GIF89a\x02\x00\x02\x00\x00\x00\x00;", true},
		"a GIF bomb":       {"GIF89a\xff\xff\xff\xff\x00\x00\x00;", false},
		"a GIF of nothing": {"GIF89a\x00\x00\x00\x00\x00\x00\x00;", false},
		"a damaged JPEG":   {"\xff\xd8\xff\xe0 nonsense", false},
		"a drawing":        {"<svg xmlns='http://www.w3.org/2000/svg'/>", false},
		"nothing":          {"", false},
	} {
		if got := contentOf(fetch.File{Data: []byte(test.data)}, true); (got.data != nil) != test.shown || got.text != "" {
			t.Errorf("%s: shown as %s: %t, want %t", name, got.kind, got.data != nil, test.shown)
		}
	}
}

// FuzzTextsOfFilesAreText demands that the model reads valid text of a file, or none.
func FuzzTextsOfFilesAreText(f *testing.F) {
	for _, data := range []string{"plain", "\xef\xbb\xbfwith a mark", "\xff\xfea\x00b\x00", "\x00", "GIF89a\x01\x00\x01\x00", "RIFF\x00\x00\x00\x00WEBPVP8 ", "\x89PNG\r\n"} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, valid := contentOf(fetch.File{Data: data}, false), utf8.Valid(data) && !slices.Contains(data, 0)
		if want := strings.TrimPrefix(string(data), "\uFEFF"); text.data != nil || valid && text.text != want || !valid && text.text != "" {
			t.Fatalf("%q is read as %q, want it as it is if it is text", data, text.text)
		}
		contentOf(fetch.File{Data: data}, true)
	})
}

// BenchmarkExpensiveFile reads files that are neither text nor a picture.
func BenchmarkExpensiveFile(b *testing.B) {
	expensive.Text(b, func(text string) {
		contentOf(fetch.File{Data: []byte(text)}, false)
		contentOf(fetch.File{Data: []byte(text)}, true)
		isText(graph.Attachment{Name: text, Type: text})
	})
}

// TestTurnsAreCountedWithWhatIsShown inlines a text and names a picture that is not shown,
// in copies of the turn.
func TestTurnsAreCountedWithWhatIsShown(t *testing.T) {
	picture := func(id graph.AttachmentID) path.Image { return path.Image{Content: path.Content{Attachment: id}} }
	turn := path.Turn{Parts: []path.Part{path.File{Content: path.Content{Attachment: 1}, Name: "a"}, picture(2), picture(3)}}
	read := contents{1: {text: "content"}, 2: {data: []byte{0xfb, 0xef, 0xff}, kind: "image/png", hash: path.Hash{2}}, 4: {data: []byte("more"), hash: path.Hash{1}}}
	counted := read.named(read.inlined(turn))
	isImage := func(part path.Part) bool { _, ok := part.(path.Image); return ok }
	if counted.Parts[0].(path.File).Text != "content" || !isImage(counted.Parts[1]) || isImage(counted.Parts[2]) {
		t.Errorf("counted is %+v, want the text in it, the second picture and the name of the third", counted)
	}
	if turn.Parts[0].(path.File).Text != "" || !isImage(turn.Parts[2]) {
		t.Errorf("the turn has become %+v, want it as it was", turn)
	}
	for id, want := range map[graph.AttachmentID]string{2: "data:image/png;base64,++//", 3: ""} {
		if got := read.address(picture(id)); got != want {
			t.Errorf("the address of picture %s is %q, want %q", id, got, want)
		}
	}
	if got := read.pictures(); !slices.Equal(got, []path.Hash{{1}, {2}}) {
		t.Errorf("the pictures are %v, want %v, in order", got, []path.Hash{{1}, {2}})
	}
}

// TestTheFilesThatAreHeldAreBounded holds more than fits, and forgets all but one.
func TestTheFilesThatAreHeldAreBounded(t *testing.T) {
	r := NewFiles(nil, guilds.NewPeople(nil, nil, nil), nil)
	for id := range graph.AttachmentID(10) {
		r.hold(id+1, content{text: strings.Repeat("x", maxHeldBytes/4), message: graph.MessageID(id + 1)}, 0)
	}
	if r.bytes > maxHeldBytes || r.held.Len() != 4 {
		t.Errorf("%d bytes of %d files are held, want at most %d of 4", r.bytes, r.held.Len(), maxHeldBytes)
	}
	r.Forget([]graph.MessageID{8, 9, 10})
	if r.bytes != maxHeldBytes/4 {
		t.Errorf("%d bytes are held after three of four files were forgotten, want %d", r.bytes, maxHeldBytes/4)
	}
	r.hold(11, content{text: "secret", message: 11}, 0) // it was downloaded while something was forgotten
	if r.held.Len() != 1 {
		t.Errorf("%d files are held, want none that was read before something was forgotten", r.held.Len())
	}
}
