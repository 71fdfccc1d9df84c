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

	"heddle/fetch"
	"heddle/graph"
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

func TestAnExportIsReadAsDiscordIs(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(z, exported); err != nil || z.Close() != nil {
		t.Fatal("not zipped")
	}
	for name, r := range map[string]io.Reader{
		"plain": strings.NewReader(exported), "marked": strings.NewReader("\xef\xbb\xbf" + exported), "gzipped": &zipped,
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
			`101 ann 0 false "hello @bob\n[sticker: wave]\n[embed] T\nD" [{address 20 0 8 not loaded}]`,
			`102 heddle 2 false "hi" [{reply 20 101 0 not loaded}]`,
			`103 eve 0 true "Joined the server.\n[joined the server]" []`,
			`104 other 1 false "done\n[@ann used /ask]" []`,
			`105 bob 0 false "[forwarded message]\n> news\n> [sticker: yay]\n> [embed] E" [{forward 30 4 0 not loaded}]`,
			`106 bridge 3 false "@bob, @kim and @rob, press\n[button: Go]" [{address 20 0 3 not loaded} {address 20 0 4 not loaded} {address 20 0 8 not loaded}]`,
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
		{"false gzip", "\x1f\x8bxx", "chat.json begins like a gzip file but is not one"},
	} {
		_, err := export.Load(strings.NewReader(c.text), "chat.json", 0, 0)
		if _, input := errors.AsType[*terminal.InputError](err); !input || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: error %v, want an InputError, %q in it and %q in it", c.name, err, c.want, "; ")
		}
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
