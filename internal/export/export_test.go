package export_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

const exported = `{"guild":{"id":"1","name":"g"},
"channel":{"id":"20","type":"GuildTextChat","categoryId":"10","category":"c","name":"general","topic":null},
"dateRange":{"after":null,"before":null},"exportedAt":"2026-03-01T00:00:00+00:00",
"messages":[
 {"id":"101","type":"Default","timestamp":"2026-03-01T10:00:00.5+00:00","timestampEdited":7,"isPinned":[],"content":"hello @Bobby N","author":{"id":"7","name":"ann","discriminator":"0000","nickname":"Annie","isBot":false,"roles":[{"id":"1"}]},"attachments":[{"id":"55","url":"x/a.png","fileName":"a.png","fileSizeBytes":12}],"embeds":[{"title":"T","url":null,"description":"D","fields":[]}],"stickers":[{"id":"3","name":"wave","format":"Png"}],"reactions":[],"mentions":[{"id":"8","name":"bob","nickname":"Bobby N","isBot":false}]},
 {"id":"102","type":"Reply","timestamp":"2026-03-01T10:02:00+00:00","content":"hi","author":{"id":"99","name":"heddle","isBot":true},"mentions":[],"reference":{"messageId":"101","channelId":"20","guildId":"1"}},
 {"id":"103","type":"GuildMemberJoin","content":"Joined the server.","author":{"id":"9","name":"eve"}},
 {"id":["odd"],"type":5},
 {"id":"104","type":"20","timestamp":"2026-03-01T10:04:00+00:00","content":"done","author":{"id":"5","name":"other","isBot":true},"interaction":{"name":"ask","user":{"id":"7","name":"ann"}}},
 {"id":"105","type":"Default","timestamp":"2026-03-01T10:05:00+00:00","content":"","author":{"id":"8","name":"bob"},"reference":{"messageId":"4","channelId":"30"},"forwardedMessage":{"content":"news","attachments":[{"id":"56","url":"y","fileName":"b.txt","fileSizeBytes":5}],"embeds":[{"title":"E"}],"stickers":[{"name":"yay"}]}},
 {"type":"Default","id":"106","timestamp":"2026-03-01T10:06:00+00:00","content":"@Bobby N, @kim and @Bob, press","author":{"id":"6","name":"bridge","discriminator":"0000","isBot":true},"components":[{"type":"ActionRow","components":[{"type":"Button","label":"Go"}]}],"mentions":[{"id":"4","name":"rob","nickname":"Bob"},{"id":"8","name":"bob","nickname":"Bobby N"},{"id":"3","name":"kim"}]}
],"messageCount":6}`

// messagesFirst returns the export with its channel and its server behind the messages.
func messagesFirst() string {
	at := strings.Index(exported, `"messages"`)
	return "{" + strings.TrimSuffix(exported[at:], "}") + "," + strings.TrimSuffix(exported[1:at], ",\n") + "}"
}

func TestAnExportIsReadAsDiscordIs(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(z, exported); err != nil || z.Close() != nil {
		t.Fatal("not zipped")
	}
	wide := errtest.Must(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(exported))(t)
	for name, r := range map[string]io.Reader{
		"plain": strings.NewReader(exported), "marked": strings.NewReader("\xef\xbb\xbf" + exported), "gzipped": &zipped,
		"UTF-16": strings.NewReader(wide), "messages first": strings.NewReader(messagesFirst()),
		"with much after": strings.NewReader(strings.Replace(exported, `"messageCount":6`, `"messageCount":6,"users":[`+strings.Repeat("{},", 900_000)+`7]`, 1)),
	} {
		c, err := export.Load(r, "chat.json", 0, 0)
		if err != nil || c.ID != 20 || c.Parent != 10 || c.Thread || c.Read != 6 || c.Left != 1 {
			t.Fatalf("%s: %+v, error %v, want ID 20, Parent 10, Thread false, Read 6, Left 1 and no error", name, c, err)
		}
		var lines []string
		var messages []graph.Message
		for i := range c.Messages {
			messages = append(messages, fetch.Render(c.Messages[i], 99))
		}
		for _, m := range messages {
			lines = append(lines, fmt.Sprintf("%s %s %d %v %q %v", m.ID, m.Name, m.Origin, m.System, m.Text, m.References))
		}
		if files := messages[4].Attachments; len(files) != 1 || files[0].Name != "b.txt" {
			t.Errorf("%s: the forward has the files %v, want one of them and Name %q of the first", name, files, "b.txt")
		}
		want := []string{
			`101 Annie 0 false "hello @Bobby N\n[sticker: wave]\n[embed] T\nD" [{address 20 0 8 not loaded}]`,
			`102 heddle 2 false "hi" [{reply 20 101 0 not loaded}]`,
			`103 eve 0 true "[joined the server]" []`,
			`104 other 1 false "done\n[@ann used /ask]" []`,
			`105 bob 0 false "[forwarded message]\n> news\n> [sticker: yay]\n> [embed] E" [{forward 30 4 0 not loaded}]`,
			`106 bridge 3 false "@Bobby N, @kim and @Bob, press\n[button: Go]" [{address 20 0 3 not loaded} {address 20 0 4 not loaded} {address 20 0 8 not loaded}]`,
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: the messages are\n%s\nwant\n%s", name, strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestBrokenExportsAreToldWithPlaceAndRemedy(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"cut short", exported[:len(exported)-900], "chat.json is cut short after message 3"},
		{"empty", "", "chat.json is empty"},
		{"no JSON", "<html>", "is not JSON"},
		{"broken inside", strings.Replace(exported, `{"id":"102"`, `{"id":"102" oops`, 1), "is not JSON after message 1"},
		{"a list", `[{"id":"1"}]`, "not an export of one channel"},
		{"something else", `{"version":3,"data":{"a":[1,2,{"b":null}]}}`, "not an export of one channel"},
		{"a line of a log", `{"i":0,"id":"0","t":1.5,"author":"a","text":"b"}`, "not an export of one channel"},
		{"messages of nowhere", `{"messages":[]}`, "not an export of one channel"},
		{"a page", "\n<!DOCTYPE html><html>", "is not JSON but a page (HTML)"},
		{"a table", `AuthorID,Author,Date,Content,Attachments,Reactions`, "chat.json is not JSON; export the channel with DiscordChatExporter's --format Json"},
		{"a table in quotes", `"7","ann","hi"`, "chat.json is not JSON; export"},
		{"text", "==========\nGuild: g\nChannel: c", "chat.json is not JSON; export"},
		{"a damaged disk", exported[:900] + strings.Repeat("\x00", 99), "is not JSON after message"},
		{"zip", "PK\x03\x04\x14\x00", "chat.json is a zip archive; unpack it, and name the .json files"},
		{"7z", "7z\xbc\xaf\x27\x1c", "chat.json is a 7z archive"},
		{"long message", message(1<<20, `"content":"`, "a", `"`), "message 2 of chat.json is larger than 1 MB"},
		{"many mentions", message(1<<20, `"mentions":[`, "{},", "7]"), "message 2 of chat.json is larger than 1 MB"},
		{"messages without a channel", `{"guild":{"id":"1"},"messages":[{"id":"5"}]}`, "not an export of one channel"},
		{"false gzip", "\x1f\x8bxx", "chat.json begins like a gzip file but is not one"},
	} {
		_, err := export.Load(strings.NewReader(c.text), "chat.json", 0, 0)
		if _, input := errors.AsType[*terminal.InputError](err); !input || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: error %v, want an InputError, %q in it and %q in it", c.name, err, c.want, "; ")
		}
	}
}

// message returns an export of two messages, the second with a field of size bytes or more.
func message(size int, begins, repeated, ends string) string {
	return `{"channel":{"id":"20"},"messages":[{"id":"5"},{"id":"6",` + begins + strings.Repeat(repeated, 1+size/len(repeated)) + ends + "}]}"
}

// TestTheReactionsOfAMessageMayBeMany reads a message whose reactions name thousands of people.
func TestTheReactionsOfAMessageMayBeMany(t *testing.T) {
	text := message(3<<20, `"content":"hi","reactions":[`, `{"users":[{"id":"7","name":"ann"}]},`, "7]")
	c, err := export.Load(strings.NewReader(text), "chat.json", 0, export.Mostly)
	if err != nil || len(c.Messages) != 2 || c.Messages[1].Content != "hi" {
		t.Errorf("read are %d messages, error %v, want 2 and none", len(c.Messages), err)
	}
}

// flood repeats a text without an end, and counts what is read of it.
type flood struct {
	text string
	read int
}

func (f *flood) Read(p []byte) (int, error) {
	n := copy(p, f.text[f.read%len(f.text):])
	f.read += n
	return n, nil
}

// TestNoFileTakesMoreThanItsShare reads files without an end, each one value that never ends:
// of none more is read than what may be held at once. One message of 1.5 GB took 6.5 GB.
func TestNoFileTakesMoreThanItsShare(t *testing.T) {
	t.Parallel()
	const begins = `{"channel":{"id":"20"},"messages":[{"id":"5"},`
	for name, c := range map[string]struct{ begins, repeated, want string }{
		"a text":            {begins + `{"id":"6","content":"`, "a", "message 2 of chat.json is larger"},
		"an escaped text":   {begins + `{"content":"`, `\ud83d`, "message 2 of chat.json is larger"},
		"a list":            {begins + `{"embeds":[`, "{},", "message 2 of chat.json is larger"},
		"lists":             {begins + `{"embeds":`, "[", "after message 1"},
		"a list for one":    {begins, "[", "after message 1"},
		"a number":          {begins + `{"id":`, "9", "message 2 of chat.json is larger"},
		"a name of a field": {begins + `{"`, "a", "message 2 of chat.json is larger"},
		"white space":       {begins, " \n", "message 2 of chat.json is larger"},
		"fields":            {begins + `{"a":1`, `,"a":1`, "message 2 of chat.json is larger"},
		"the name":          {`{"channel":{"id":"20","name":"`, "a", "chat.json holds a field of more than"},
		"another field":     {`{"channel":{"id":"20"},"other":[`, "[],", "chat.json holds a field of more than"},
		"a field's name":    {`{"`, "a", "chat.json holds a field of more than"},
		"space alone":       {"", " ", "chat.json"},
	} {
		endless := &flood{text: strings.Repeat(c.repeated, 1000)}
		_, err := export.Load(io.MultiReader(strings.NewReader(c.begins), endless), "chat.json", 0, export.Mostly)
		if _, input := errors.AsType[*terminal.InputError](err); !input || !strings.Contains(err.Error(), c.want) || endless.read > 64<<20 {
			t.Errorf("%s: of a file without an end %d bytes are read: %v; want at most 64 MB and %q", name, endless.read, err, c.want)
		}
	}
}

// TestManyLongMessagesTakeNoMoreThanTheirShare reads more than 128 MB of messages of which each
// may be read: the newest are kept.
func TestManyLongMessagesTakeNoMoreThanTheirShare(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20-100)
	files := []io.Reader{strings.NewReader(`{"channel":{"id":"20"},"messages":[`)}
	for id := range 160 {
		files = append(files, strings.NewReader(fmt.Sprintf(`{"id":"%d","content":"`, id+1)), strings.NewReader(long), strings.NewReader(`"},`))
	}
	c, err := export.Load(io.MultiReader(append(files, strings.NewReader("7]}"))...), "chat.json", 0, export.Mostly)
	if n := len(c.Messages); err != nil || n < 120 || n > 129 || c.Messages[n-1].ID != 160 || c.Read != 160 {
		t.Errorf("kept are %d messages, error %v, want the newest 128 MB of 160", n, err)
	}
}

// TestTheNewestMessagesAreKept reads an export that stands newest first, with a message in
// two versions, and keeps few of it.
func TestTheNewestMessagesAreKept(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"channel":{"id":"20"},"messages":[{"id":"7","content":"new","timestampEdited":"2026-03-01T10:00:00Z"}`)
	for id := 9; id > 0; id-- {
		fmt.Fprintf(&text, `,{"id":"%d","content":"old"}`, id)
	}
	c, err := export.Load(strings.NewReader(text.String()+"]}"), "chat.json", 8, 3)
	if err != nil || c.Read != 10 || c.Left != 7 || len(c.Messages) != 3 || c.Messages[0].ID != 6 || c.Messages[1].Content != "new" || c.Messages[2].ID != 8 {
		t.Errorf("kept is %+v, error %v, want the messages 6, 7 as it was edited, and 8", c, err)
	}
}

// BenchmarkExpensiveExport reads files that are not exports, and exports with unusual
// messages.
func BenchmarkExpensiveExport(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = export.Load(strings.NewReader(text), "x.json", 0, 0)
		_, _ = export.Load(strings.NewReader(`{"messages":[`+text), "x.json", 0, 0)
	})
}

// FuzzExportsAreReadOrRefused checks that reading any file ends in messages or in an
// error with a text.
func FuzzExportsAreReadOrRefused(f *testing.F) {
	f.Add(`{"guild":{"id":"1"},"channel":{"id":"2"},"messages":[{"id":"3","content":"hi","author":{"id":"4","name":"ann"}}]}`)
	f.Add(`{"messages":[null,{},7]}`)
	f.Add("{\"id\":\"3\"}\n{\"id\":")
	f.Fuzz(func(t *testing.T, file string) {
		_, err := export.Load(strings.NewReader(file), "x.json", 0, 0)
		if err != nil && err.Error() == "" {
			t.Fatal("an error says nothing")
		}
	})
}
