package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// call makes a call with these arguments.
func call(t *testing.T, tool tools.Tool, arguments map[string]string, place tools.Place, made ...tools.File) (tools.Result, error) {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call(t.Context(), tools.Call{Arguments: encoded, Place: place, Made: made})
}

func TestSchemasAreCanonicalJSON(t *testing.T) {
	t.Parallel()
	for _, tool := range []tools.Tool{tools.Artifact{}, &tools.Search{}, &tools.Subagent{}} {
		spec := tool.Spec()
		var object struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
		}
		if _, err := path.CanonicalJSON([]byte(spec.Schema)); err != nil || json.Unmarshal([]byte(spec.Schema), &object) != nil ||
			object.Type != "object" || len(object.Properties) == 0 || tool.Spec() != spec {
			t.Errorf("%s has the schema %s, want an object with properties, the same each time", spec.Name, spec.Schema)
		}
		if !strings.Contains(spec.Description, "Do not") {
			t.Errorf("%s does not tell the model what not to repeat: %q, want %q in it", spec.Name, spec.Description, "Do not")
		}
	}
}

func TestAnArtifactIsAFileOnTheAnswer(t *testing.T) {
	t.Parallel()
	got, err := call(t, tools.Artifact{}, map[string]string{"title": " Our  \nnotes ", "file_name": "notes.md", "content": "# Notes"}, tools.Place{})
	if err != nil || len(got.Files) != 1 {
		t.Fatalf("got %+v with %v, want one in Files and no error", got, err)
	}
	file := got.Files[0]
	if file.Title != "Our notes" || file.Name != "notes.md" || file.Type != "text/markdown; charset=utf-8" || string(file.Data) != "# Notes" || !got.Once {
		t.Errorf("the file is %+v, want Our notes, notes.md, once", file)
	}
	again, err := call(t, tools.Artifact{}, map[string]string{"file_name": "Notes.md", "content": "x"}, tools.Place{}, file)
	if err != nil || again.Files[0].Name != "Notes-2.md" {
		t.Errorf("a second file of that name is %+v with %v, want Name %q of the first and no error", again.Files, err, "Notes-2.md")
	}
}

func TestFilesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	most := tools.File{Name: "a", Data: make([]byte, 10<<20)}
	for name, test := range map[string]struct {
		content string
		made    []tools.File
		want    string
	}{
		"empty":           {"", nil, "empty"},
		"too large":       {strings.Repeat("x", 10<<20+1), nil, "10 MiB"},
		"too much in all": {"x", []tools.File{most}, "10 MiB"},
		"too many":        {"x", make([]tools.File, 10), "10 files"},
	} {
		if _, err := call(t, tools.Artifact{}, map[string]string{"content": test.content}, tools.Place{}, test.made...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if _, err := call(t, tools.Artifact{}, map[string]string{"content": strings.Repeat("x", 10<<20)}, tools.Place{}); err != nil {
		t.Errorf("exactly 10 MiB are refused: %v, want no error", err)
	}
	_, err := tools.Artifact{}.Call(t.Context(), tools.Call{Arguments: []byte(`{"content":5}`)})
	if err == nil || !strings.Contains(err.Error(), `"content" is a number`) {
		t.Errorf("a number as content: %v, want an error and %q in it", err, `"content" is a number`)
	}
}

func TestFileNamesAreSafe(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"notes.md": "notes.md", "../../etc/passwd": "passwd.txt", `C:\windows\cmd.exe`: "cmd.exe", ".bashrc": "bashrc.txt",
		"": "file.txt", "...": "file.txt", "a b\n.txt": "a_b_.txt", "x\u202egnp.exe": "xgnp.exe", "naïve – 計画.csv": "naïve_–_計画.csv",
		"con?.txt": "con_.txt", strings.Repeat("ü", 300) + ".md": strings.Repeat("ü", 77) + ".md", "a.\xff": "a.txt",
	} {
		if got := tools.FileName(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

// channel is a channel with a long history, and the search through it.
func channel(t *testing.T) (*discordtest.Server, tools.Place, *tools.Search) {
	t.Helper()
	server := discordtest.New(discordtest.Options{Limits: discordtest.NoLimits()})
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("weavers")
	id := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	ann, bob, bot := server.People.AddUser("ann", guild), server.People.AddUser("bob", guild), server.People.AddBot("heddle", guild)
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	drafts := make([]discordtest.Draft, 300)
	for i := range drafts {
		author, text := ann, fmt.Sprintf("chatter number %d", i)
		if i%100 == 50 {
			author, text = bob, fmt.Sprintf("the Blue  Loom is in room %d", i)
		}
		drafts[i] = discordtest.Draft{Author: author, Content: text, At: begin.Add(time.Duration(i) * time.Hour)}
	}
	ids, err := server.Chat.Backfill(id, drafts)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: server.URL(), Token: bot.Token})
	if err != nil {
		t.Fatal(err)
	}
	history, err := fetch.NewHistory(rest, fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(history.Close)
	place := tools.Place{Channel: id, Trigger: ids[len(ids)-1], Readable: yes}
	return server, place, &tools.Search{History: history}
}

func TestASearchFindsByWordsPersonAndTime(t *testing.T) {
	t.Parallel()
	server, place, search := channel(t)
	for name, test := range map[string]struct {
		arguments map[string]string
		want      []string // what the result holds, in order
		sources   int
	}{
		"words in any order": {map[string]string{"words": "loom blue"}, []string{"room 50", "room 150", "room 250", "everything"}, 3},
		"quoted words":       {map[string]string{"words": `"blue loom" 150`}, []string{"2026-01-07 18:00", "bob", "room 150"}, 1},
		"a person":           {map[string]string{"person": "@BOB"}, []string{"room 50", "room 150", "room 250"}, 3},
		"after a day":        {map[string]string{"words": "loom", "after": "2026-01-10"}, []string{"room 250", "everything"}, 1},
		"before a day":       {map[string]string{"words": "loom", "before": "2026-01-10"}, []string{"room 50", "room 150"}, 2},
		"what is not there":  {map[string]string{"words": "purple"}, []string{`"messages":[]`, "everything"}, 0},
		"too many":           {map[string]string{"words": "chatter"}, []string{"number 279", "number 298", "there may be older ones"}, 20},
	} {
		got, err := call(t, search, test.arguments, place)
		if err != nil {
			t.Errorf("%s: %v, want no error", name, err)
			continue
		}
		rest := got.Text
		for _, want := range test.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: %q is not in its place in %s", name, want, got.Text)
				break
			}
			rest = after
		}
		if len(got.Sources) != test.sources || !got.Once || !json.Valid([]byte(got.Text)) {
			t.Errorf("%s: %d sources, want %d; once: %t", name, len(got.Sources), test.sources, got.Once)
		}
	}
	if reads := server.Record.Count(discordtest.RouteMessages); reads > 4 {
		t.Errorf("seven searches took %d reads, want each page once", reads)
	}
}

func TestASearchKeepsToWhatTheAskerMayRead(t *testing.T) {
	t.Parallel()
	_, place, search := channel(t)
	for name, readable := range map[string]func(tools.Place) tools.Place{
		"nobody knows": func(p tools.Place) tools.Place { p.Readable = nil; return p },
		"they may not": func(p tools.Place) tools.Place { p.Readable = no; return p },
	} {
		got, err := call(t, search, map[string]string{"words": "loom"}, readable(place))
		if err == nil || !strings.Contains(err.Error(), "may not be read") || got.Text != "" {
			t.Errorf("%s: got %q with %v, want \"\", an error and %q in it", name, got.Text, err, "may not be read")
		}
	}
}

func TestASearchForNothingIsRefused(t *testing.T) {
	t.Parallel()
	_, place, search := channel(t)
	for want, arguments := range map[string]map[string]string{
		"nothing to look for": {"words": "  "},
		`"after" is no day`:   {"after": "yesterday"},
		"no day is both":      {"after": "2026-02-01", "before": "2026-01-01"},
		"longer than":         {"words": strings.Repeat("x", 5000)},
	} {
		if _, err := call(t, search, arguments, place); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", arguments, err, want)
		}
	}
}

func TestAHelperHasAConversationOfItsOwn(t *testing.T) {
	t.Parallel()
	server, model := serve(t, nil)
	server.Queue(openaitest.Answer("Forty-two."))
	got, err := call(t, &tools.Subagent{Model: model, Options: path.Options{MaxTokens: 50}}, map[string]string{"task": "Count the threads."}, tools.Place{})
	if err != nil || got.Text != "Forty-two." || got.Branch == nil || got.Usage.Prompt != 10 {
		t.Fatalf("got %+v with %v, want Text %q, Usage.Prompt 10 and no error", got, err, "Forty-two.")
	}
	sent := server.Requests()[0].Chat
	if len(sent.Messages) != 2 || len(sent.Tools) != 0 || !strings.Contains(sent.Messages[1].Text(), "Count the threads.") {
		t.Errorf("the helper was sent %+v, want 2 in Messages, none in Tools and Messages[1].Text() %q in it", sent, "Count the threads.")
	}
	if turns := got.Branch.Path.Turns; len(turns) != 2 || got.Branch.Answer.Text != "Forty-two." || got.Branch.Answer.RequestHash == (path.Hash{}) {
		t.Errorf("its transcript is %+v, want 2 turns, %q and a request hash", got.Branch, "Forty-two.")
	}
}

func TestAHelperThatFailsIsKeptToo(t *testing.T) {
	t.Parallel()
	server, model := serve(t, nil)
	server.Queue(openaitest.Fail(openaitest.Failure{Status: 401, Message: "bad key"}))
	got, err := call(t, &tools.Subagent{Model: model}, map[string]string{"task": "Count."}, tools.Place{})
	if llm.KindOf(err) != llm.Auth || got.Branch == nil || !got.Branch.Refused {
		t.Errorf("got %+v with %v, want a refused branch and %v", got, err, llm.Auth)
	}
	if _, err := call(t, &tools.Subagent{Model: model}, map[string]string{}, tools.Place{}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("without a task: %v, want an error and %q in it", err, "empty")
	}
}

func yes(context.Context) (bool, error) { return true, nil }
func no(context.Context) (bool, error)  { return false, nil }
