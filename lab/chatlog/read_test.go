package chatlog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/lab/chatlog"
	"heddle/lab/chatlog/chatlogtest"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	errtest.Must(z.Write([]byte(text)))(t)
	errtest.None(t, z.Close())
	return b.String()
}

func read(t *testing.T, lines string) *chatlog.Log {
	t.Helper()
	logs := errtest.Must(chatlog.Read(context.Background(), []string{chatlogtest.Place(t, map[string]string{"a.jsonl": lines})}))(t)
	return logs[0]
}

func TestLogsAreReadInTheOrderOfTheirPaths(t *testing.T) {
	line := `{"id":"x","t":1.5,"author":"ann","text":"hi"}` + "\n"
	folder := chatlogtest.Place(t, map[string]string{"b.jsonl": line, "a.jsonl.gz": gzipped(t, line+"\n"), "notes.txt": "no log"})
	logs := errtest.Must(chatlog.Read(context.Background(), []string{folder}))(t)
	if len(logs) != 2 || logs[0].Name != "a" || logs[1].Name != "b" || logs[0].Community() != "club/dev" {
		t.Fatalf("read %d logs, the first %q of %q, want a of club/dev, and b", len(logs), logs[0].Name, logs[0].Community())
	}
	m := logs[0].Messages[0]
	if m.Text != "hi" || m.Name != "ann" || m.Time.UnixMilli() != 1500 || logs[0].Gold[0].Annotated {
		t.Errorf("read %+v with %+v, want Text %q, Name %q, Time.UnixMilli() 1500 and Annotated false", m, logs[0].Gold[0], "hi", "ann")
	}
}

func TestAnnotationsAreKeptApart(t *testing.T) {
	log := read(t, `{"id":"1","t":0,"author":"a","text":"one","gold":true,"links":[],"conv":"k"}
{"id":"2","t":9,"author":"","text":"joined","kind":"system","conv":"s"}
{"id":"3","t":10,"author":"b","text":"three","gold":true,"links":["1"],"conv":"k"}
{"id":"4","t":11,"author":"c","text":"four","reply_to":"3","bot":true,"att":2}`)
	if !log.Messages[1].System || log.Messages[0].System {
		t.Errorf("the first message is a notice: %v, the second: %v, want only the second", log.Messages[0].System, log.Messages[1].System)
	}
	if refs := log.Messages[2].References; len(refs) != 0 {
		t.Errorf("the annotation shows as %v, want none", refs)
	}
	refs := log.Messages[3].References
	if len(refs) != 1 || refs[0].Kind != graph.ReferenceReply || refs[0].Message != log.Messages[2].ID {
		t.Errorf("the platform's reply shows as %v, want one reply to the message before", refs)
	}
	if log.Messages[3].Origin != graph.OriginBot || len(log.Messages[3].Attachments) != 2 {
		t.Errorf("read %+v, want Origin %v and 2 in Attachments", log.Messages[3], graph.OriginBot)
	}
	g := log.Gold[2]
	if !g.Annotated || g.Conversation != log.Gold[0].Conversation || len(g.Parents) != 1 || g.Parents[0] != 0 || g.Characters != 5 {
		t.Errorf("the annotation is %+v, want an answer to the first message, of 5 characters", g)
	}
	if log.Gold[3].Conversation != 0 {
		t.Error("a message that nobody annotated has a conversation")
	}
}

func TestLinksAloneMakeConversations(t *testing.T) {
	log := read(t, `{"id":"1","t":0,"author":"a","text":"x","links":[]}
{"id":"2","t":1,"author":"b","text":"x","links":["1"]}
{"id":"3","t":2,"author":"c","text":"x","links":["9"]}
{"id":"4","t":3,"author":"d","text":"x","links":["2","3"]}`)
	for i := range log.Gold {
		if log.Gold[i].Conversation != log.Gold[0].Conversation {
			t.Errorf("message %d is in another conversation than the first, want all in one", i)
		}
	}
}

// addressed returns the names that a message of a log addresses.
func addressed(log *chatlog.Log, index int) string {
	var names []string
	for _, r := range log.Messages[index].References {
		for i := range log.Messages {
			if log.Messages[i].Author == r.User {
				names = append(names, log.Messages[i].Name)
				break
			}
		}
	}
	return strings.Join(names, " ")
}

func TestNicksOfRecentSpeakersAreMentions(t *testing.T) {
	for text, want := range map[string]string{
		"bob42: hello":              "bob42",
		"BOB42, hello":              "bob42",
		"bob42, zed_: hello":        "bob42 zed_",
		"ask bob42 or zed_ about":   "bob42 zed_",
		"that is bob42's":           "bob42",
		"stranger: hello":           "",
		"ann: that is my own name":  "",
		"the bobcat is no bob":      "",
		"may I ask":                 "", // may is a nick, and also a word that was said before
		"may: you are meant":        "may",
		"":                          "",
		"   spaces  around bob42  ": "bob42",
	} {
		log := read(t, `{"id":"1","t":0,"author":"bob42","text":"x"}
{"id":"2","t":0,"author":"zed_","text":"you may say so"}
{"id":"3","t":0,"author":"may","text":"x"}
{"id":"4","t":1,"author":"ann","text":"`+text+`"}`)
		if got := addressed(log, 3); got != want {
			t.Errorf("%q addresses %q, want %q", text, got, want)
		}
	}
}

func TestBadInputIsNamedWithPlaceAndRemedy(t *testing.T) {
	good := `{"id":"1","t":0,"author":"a","text":"x"}` + "\n"
	cut := gzipped(t, strings.Repeat(good, 50))
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"truncated JSON": {"a.jsonl", good + `{"id":"2","t":`, []string{"a.jsonl", "line 2", "one JSON object"}},
		"foreign JSON":   {"a.jsonl", `{"guild":{"id":"1"},"messages":[]}`, []string{"line 1", `no "id"`}},
		"an array":       {"a.jsonl", `[1,2]`, []string{"line 1", "not a chat message"}},
		"no time":        {"a.jsonl", `{"id":"1"}`, []string{"line 1", "time"}},
		"an id twice":    {"a.jsonl", good + good, []string{"line 2", `"1"`, "its own"}},
		"empty":          {"a.jsonl", "", []string{"a.jsonl", "empty"}},
		"not gzipped":    {"a.jsonl.gz", good, []string{"a.jsonl.gz", "not gzipped", "unpack"}},
		"cut short":      {"a.jsonl.gz", cut[:len(cut)-12], []string{"a.jsonl.gz", "cut short", "again"}},
		"no log":         {"a.txt", good, []string{"holds no log", ".jsonl"}},
	} {
		t.Run(name, func(t *testing.T) {
			content := c.content
			if name == "cut short" {
				var lines strings.Builder
				for i := range 3000 {
					lines.WriteString(`{"id":"` + strings.Repeat("x", i%90) + string(rune('a'+i%26)) + `","t":0}` + "\n")
				}
				content = gzipped(t, lines.String())
				content = content[:20]
			}
			_, err := chatlog.Read(context.Background(), []string{chatlogtest.Place(t, map[string]string{c.file: content})})
			if !chatlogtest.IsInputError(err) {
				t.Fatalf("error %v, want an InputError", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, want %q in it", err, want)
				}
			}
		})
	}
	if _, err := chatlog.Read(context.Background(), []string{"/no/such/place"}); !chatlogtest.IsInputError(err) {
		t.Errorf("a folder that does not exist: %v, want an InputError", err)
	}
}

func TestAnExportOfDiscordIsALog(t *testing.T) {
	export := `{"guild":{"id":"1","name":"Club"},"channel":{"id":"2","type":"GuildTextChat","name":"general"},"messages":[
{"id":"30","type":"Reply","timestamp":"2024-05-01T12:02:00+00:00","content":"yes, at eight","author":{"id":"6","name":"bob"},"mentions":[{"id":"5","name":"ann"}],"reference":{"messageId":"20","channelId":"2","guildId":"1"}},
{"id":"20","type":"Default","timestamp":"2024-05-01T12:00:00+00:00","content":"climbing tonight?","author":{"id":"5","name":"ann"}},
{"id":"40","type":"Reply","timestamp":"2024-05-01T12:03:00+00:00","content":"what was that?","author":{"id":"7","name":"cyd"},"reference":{"messageId":"9","channelId":"2","guildId":"1"}}]}`
	logs := errtest.Must(chatlog.Read(context.Background(), []string{chatlogtest.Place(t, map[string]string{"general.json": export})}))(t)
	log := logs[0]
	if len(log.Messages) != 3 || log.IDs[0] != "20" || log.Name != "general" || log.Replies != 1 {
		t.Fatalf("log %+v, want 3 in Messages, IDs[0] %q, Name %q and Replies 1", log, "20", "general")
	}
	want := []graph.Reference{
		{Kind: graph.ReferenceReply, Channel: log.Messages[0].Channel, Message: log.Messages[0].ID, State: graph.ReferenceResolved},
	}
	if got := log.Messages[1].References; !slices.Equal(got, want) {
		t.Errorf("references %+v, want %+v", got, want)
	}
	if _, err := chatlog.Read(context.Background(), []string{chatlogtest.Place(t, map[string]string{"x.json": export[:200]})}); !chatlogtest.IsInputError(err) {
		t.Errorf("a file that is cut short: error %v, want an InputError", err)
	}
}

func TestADisplayedNameBehindAnAtIsAMention(t *testing.T) {
	log := read(t, `{"id":"1","t":0,"author":"agiam","name":"Andrea Giammarchi","text":"hi"}
{"id":"2","t":1,"author":"zoe","name":"Zoe","text":"thanks @Andrea Giammarchi, that helps"}
{"id":"3","t":2,"author":"bob","text":"andrea giammarchi said so"}`)
	if got := log.Messages[1].References; len(got) != 1 || got[0].User != log.Messages[0].Author {
		t.Errorf("the references are %+v, want one, to the author of the first message", got)
	}
	if got := log.Messages[2].References; len(got) != 0 {
		t.Errorf("a name in a sentence is a mention: %+v, want none", got)
	}
}
