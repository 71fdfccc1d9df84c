package conversation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
	"heddle/internal/errtest"
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
	g.Trigger = graph.Message{
		ID: 50, Attachments: []graph.Attachment{{ID: 50, Type: "image/png", Size: 20 << 20}, {ID: 51, Type: "text/plain", Size: 11 << 20}, {ID: 52, Type: "text/plain", Size: 10 << 20}},
		References: []graph.Reference{{Kind: graph.ReferenceReply, Message: 3}},
	}
	selected := func(sees bool) (pictures, texts, unread []graph.AttachmentID) {
		for _, f := range selectFiles(g, sees) {
			switch id := f.attachment().ID; {
			case f.why != "":
				unread = append(unread, id)
			case f.claim == claimPicture:
				pictures = append(pictures, id)
			default:
				texts = append(texts, id)
			}
		}
		return pictures, texts, unread
	}
	pictures, texts, unread := selected(true)
	if want := []graph.AttachmentID{50, 3, 19, 18, 17, 16, 15, 14}; !slices.Equal(pictures, want) {
		t.Errorf("the pictures are %v, want %v, as all that fit", pictures, want)
	}
	if want := []graph.AttachmentID{52, 103, 119, 118, 117, 116, 115, 114}; !slices.Equal(texts, want) {
		t.Errorf("the texts are %v, want %v", texts, want)
	}
	if want := []graph.AttachmentID{51}; !slices.Equal(unread, want) {
		t.Errorf("of the question %v are not read, want %v, which is too large", unread, want)
	}
	if pictures, texts, unread = selected(false); len(pictures) != 0 || len(texts) != maxTexts || !slices.Equal(unread, []graph.AttachmentID{50, 51, 3}) {
		t.Errorf("for a model that does not see, %v and %v are read, and of the question %v are not, want none, %d and %v", pictures, texts, unread, maxTexts, []int{50, 51, 3})
	}
}

func TestFilesAreToldByTheirDeclaredType(t *testing.T) {
	for kind, want := range map[string]struct {
		claim claim
		why   phrases.ID
	}{
		"image/png":                 {claimPicture, ""},
		"image/heic":                {claimPicture, ""},
		"image/svg+xml":             {claimText, ""},
		"":                          {claimNothing, ""},
		"application/octet-stream":  {claimNothing, ""},
		"application/x-unheard-of":  {claimNothing, ""},
		"text/plain; charset=utf-8": {claimText, ""},
		"text/html":                 {claimText, ""},
		"application/json":          {claimText, ""},
		"video/mp2t":                {claimNothing, ""},
		"video/mp4":                 {claimOther, "unread_video"},
		"audio/ogg":                 {claimOther, "unread_audio"},
		"font/woff2":                {claimOther, "unread_font"},
		"application/pdf":           {claimOther, "unread_pdf"},
		"application/zip":           {claimOther, "unread_archive"},
		"application/vnd.ms-excel":  {claimOther, "unread_office"},
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": {claimOther, "unread_office"},
	} {
		if claim, why := claimOf(&graph.Attachment{Type: kind}); claim != want.claim || why != want.why {
			t.Errorf("%s is claim %d, not read as %q, want %d and %q", kind, claim, why, want.claim, want.why)
		}
	}
}

func TestFilesAreToldByTheirFirstBytes(t *testing.T) {
	for head, want := range map[string]string{
		"\x00\x00\x00\x18ftypheic\x00\x00": "image/heic",
		"\x00\x00\x00\x18ftypavif\x00\x00": "image/avif",
		"\x89PNG\r\n\x1a\n":                "image/png",
		"II*\x00":                          "image/tiff",
		"%PDF-1.7\n%\xe2\xe3\xcf\xd3":      "application/pdf",
		"PK\x03\x04":                       "application/zip",
		"\x7fELF\x02\x01\x01\x00\x00":      "application/octet-stream",
		"ID3\x03\x00":                      "audio/mpeg",
		"package main":                     "text/plain",
		"<html>":                           "text/plain",
		"caf\xe9":                          "text/plain",
		"\xff\xfea\x00":                    "text/plain",
	} {
		if got := kindOf([]byte(head), ""); got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
	for name, want := range map[string]phrases.ID{"a.docx": "unread_office", "a.zip": "unread_archive"} {
		if got := unreadable(name, "application/zip"); got != want {
			t.Errorf("%s is not read as %q, want %q", name, got, want)
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
		if got := pictureOf(fetch.File{Data: []byte(test.data)}); (got.data != nil) != test.shown || got.text != "" {
			t.Errorf("%s: shown as %s: %t, want %t", name, got.kind, got.data != nil, test.shown)
		}
	}
}

// TestTextsAreDecoded covers encodings that are marked, declared, guessed and declared wrongly.
func TestTextsAreDecoded(t *testing.T) {
	const text = "Grüße 🧵\nline"
	latin := "Gr\xfc\xdfe\r\nline"
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy) string {
		return errtest.Must(unicode.UTF16(order, mark).NewEncoder().String(text))(t)
	}
	for name, test := range map[string]struct{ data, declared, want string }{
		"UTF-8":                        {text, "", text},
		"UTF-8 with a mark":            {"\xef\xbb\xbf" + text, "", text},
		"UTF-8 that is called ASCII":   {text, "text/markdown; charset=ascii", text},
		"UTF-8 that is called Latin":   {text, "text/plain; charset=ISO-8859-9", text},
		"UTF-16 with a mark":           {utf16(unicode.LittleEndian, unicode.UseBOM), "", text},
		"UTF-16, big, with a mark":     {utf16(unicode.BigEndian, unicode.UseBOM), "text/plain; charset=utf-8", text},
		"UTF-16 without a mark":        {utf16(unicode.LittleEndian, unicode.IgnoreBOM), "", text},
		"UTF-16, big, without a mark":  {utf16(unicode.BigEndian, unicode.IgnoreBOM), "", text},
		"Latin-1":                      {latin, "", "Grüße\nline"},
		"Latin-1 that is called UTF-8": {latin, "text/plain; charset=utf-8", "Grüße\nline"},
		"long Latin-1 called UTF-8":    {strings.Repeat("x", 1000) + latin, "text/plain; charset=utf-8", strings.Repeat("x", 1000) + "Grüße\nline"},
		"Windows-1252":                 {"\x93it\x94 \x80", "", "“it” €"},
		"Shift JIS":                    {"\x93\xfa\x96{\x8c\xea", "text/plain; charset=Shift_JIS", "日本語"},
		"an unknown charset":           {latin, "text/plain; charset=klingon", "Grüße\nline"},
		"colours of a terminal":        {"\x1b[31mred\x1b[0m", "", "\x1b[31mred\x1b[0m"},
	} {
		if got, ok := decoded([]byte(test.data), test.declared); !ok || got != test.want {
			t.Errorf("%s is read as %q, %t, want %q", name, got, ok, test.want)
		}
	}
	for name, data := range map[string]string{
		"NULs in any place": "a\x00\x00b", "an image": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"compressed": "\x1f\x8b\x08\x01\x02\x03\x04\x05\x81\x82\x90\xff\x9d\x03", "UTF-16 of nonsense": "\xff\xfe\x00\xd8\x00\xd8\x00\xd8",
	} {
		if got, ok := decoded([]byte(data), "text/plain; charset=utf-8"); ok {
			t.Errorf("%s is read as the text %q, want it refused", name, got)
		}
	}
}

// TestLongTextsAreShownInPart demands beginning and end, within the room, and the same ones
// each time.
func TestLongTextsAreShownInPart(t *testing.T) {
	count := func(text string) int { return len(text) / 4 }
	var lines []string
	for i := range 5000 {
		lines = append(lines, fmt.Sprintf("%04d %s", i+1, strings.Repeat("x", 40)))
	}
	text := strings.Join(lines, "\n") + "\n"
	p := passageOf(text, 1000, count)
	if took := count(p.head + p.gap + p.end); took > 1000 || took < 800 {
		t.Errorf("%d tokens are shown, want between 800 and 1000", took)
	}
	first, last := strings.Count(p.head, "\n")+2, 5000-strings.Count(p.end, "\n")
	if want := fmt.Sprintf("lines %d to %d of 5000 are left out here", first, last); p.gap != want || !strings.HasPrefix(p.head, "0001") || !strings.HasSuffix(p.end, "x\n") {
		t.Errorf("the line between is %q, want %q", p.gap, want)
	}
	if one := passageOf(strings.Repeat("日本", 10_000), 1000, count); !strings.HasSuffix(one.gap, " of 20000 characters are left out here") || !utf8.ValidString(one.head+one.end) {
		t.Errorf("of one long line is said %q, want a number of characters", one.gap)
	}
	if whole := passageOf("short", 1000, count); whole != (passage{head: "short"}) {
		t.Errorf("of a short text %+v is shown, want all of it", whole)
	}
	for room := range 50 {
		if p := passageOf(text, room, count); count(p.head+p.end) > room {
			t.Errorf("in a room of %d tokens %d are shown", room, count(p.head+p.end))
		}
	}
}

// TestExcerptsHoldTheRarestWords has words of the question on few lines and on all of them.
func TestExcerptsHoldTheRarestWords(t *testing.T) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%04d all is well with the loom", i+1))
	}
	lines[499] = "0500 thread E1234 broke"
	lines[501] = "0502 thread E1234 broke again"
	lines[799] = "0800 " + strings.Repeat("y", 3000) + " thread E1234"
	text := strings.Join(lines, "\n")
	c := content{text: text, shown: cut(text, 2000)}
	got := places(c, recall.WordsOf(&graph.Message{Text: "@heddle why is the loom not well, E1234?"}))
	if len(got) != 2 || got[0].line != 498 || !strings.Contains(got[0].text, "0502") || !strings.Contains(got[1].text, "E1234") || len(got[1].text) > 5*(longestPiece+1) {
		t.Errorf("the excerpts are %+v, want lines 498 to 502 and what is around the end of 800", got)
	}
	if got := places(c, recall.WordsOf(&graph.Message{Text: "is the loom well?"})); len(got) != 0 {
		t.Errorf("words of all lines bring %+v, want nothing", got)
	}
}

// FuzzTextsOfFilesAreText demands that the model reads valid text of a file, or none.
func FuzzTextsOfFilesAreText(f *testing.F) {
	for _, data := range []string{"plain", "\xef\xbb\xbfwith a mark", "\xff\xfea\x00b\x00", "\x00", "GIF89a\x01\x00\x01\x00", "RIFF\x00\x00\x00\x00WEBPVP8 ", "\x89PNG\r\n"} {
		f.Add([]byte(data), "text/plain; charset=shift_jis", 100)
	}
	f.Fuzz(func(t *testing.T, data []byte, declared string, room int) {
		text, ok := decoded(data, declared)
		if ok && (!utf8.ValidString(text) || strings.Contains(text, "\x00")) {
			t.Fatalf("%q is read as %q, want valid text without NULs", data, text)
		}
		kindOf(data, declared)
		pictureOf(fetch.File{Data: data})
		if !ok {
			return
		}
		room = max(min(room, 1000), 0)
		p := passageOf(text, room, func(text string) int { return len(text) })
		if !strings.HasPrefix(text, p.head) || !strings.HasSuffix(text, p.end) || len(p.head)+len(p.end) > room {
			t.Fatalf("of %q in %d bytes %+v is shown", text, room, p)
		}
		places(content{text: text, shown: p}, recall.WordsOf(&graph.Message{Text: text}))
	})
}

// BenchmarkExpensiveFile reads files that are neither text nor a picture.
func BenchmarkExpensiveFile(b *testing.B) {
	expensive.Text(b, func(text string) {
		decoded([]byte(text), text)
		kindOf([]byte(text), text)
		pictureOf(fetch.File{Data: []byte(text)})
		claimOf(&graph.Attachment{Name: text, Type: text})
		p := passageOf(text, 1000, func(text string) int { return len(text) })
		places(content{text: text, shown: p}, recall.WordsOf(&graph.Message{Text: text}))
	})
}

// TestTurnsAreCountedWithWhatIsShown inlines a text and names a picture that is not shown,
// in copies of the turn.
func TestTurnsAreCountedWithWhatIsShown(t *testing.T) {
	picture := func(id graph.AttachmentID) path.Image { return path.Image{Content: path.Content{Attachment: id}} }
	turn := path.Turn{Parts: []path.Part{path.File{Content: path.Content{Attachment: 1}, Name: "a"}, picture(2), picture(3)}}
	read := contents{1: {text: "content", shown: passage{head: "content"}}, 2: {data: []byte{0xfb, 0xef, 0xff}, kind: "image/png", hash: path.Hash{2}}, 4: {data: []byte("more"), hash: path.Hash{1}}}
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
