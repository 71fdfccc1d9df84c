package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/bot/conversation"
	"heddle/bot/tools"
	"heddle/config"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
)

// call makes a call with these arguments.
func call(t *testing.T, tool tools.Tool, arguments map[string]string, place tools.Place) (tools.Result, error) {
	t.Helper()
	encoded := errtest.Must(json.Marshal(arguments))(t)
	return tool.Call(t.Context(), tools.Call{Arguments: encoded, Place: place})
}

func TestSchemasAreCanonicalJSON(t *testing.T) {
	for _, tool := range []tools.Tool{tools.Artifact{}, tools.Search{}, &tools.Subagent{}} {
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

// TestWhatEveryRequestCarriesIsShort adds up the system prompt with its frame and the
// tools, as they are sent by default.
func TestWhatEveryRequestCarriesIsShort(t *testing.T) {
	c, _, err := config.Load(nil, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	errtest.None(t, err)
	request := llm.Request{Path: path.Path{
		Turns: []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(c.SystemPrompt))}}},
		Tools: []path.Tool{tools.Artifact{}.Spec(), tools.Search{}.Spec(), (&tools.Subagent{}).Spec()},
	}}
	body := errtest.Must(llm.Rebuild("", request, nil))(t)
	var sent struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
		Tools json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || len(sent.Messages) != 1 {
		t.Fatalf("the request is %s with %v, want one message", body, err)
	}
	if got := utf8.RuneCountInString(sent.Messages[0].Content) + utf8.RuneCount(sent.Tools); got >= 2200 {
		t.Errorf("the system prompt and the tools take %d characters, want fewer than 2200:\n%s\n%s", got, sent.Messages[0].Content, sent.Tools)
	}
}

func TestAnArtifactIsAFileOnTheAnswer(t *testing.T) {
	got, err := call(t, tools.Artifact{}, map[string]string{"title": " Our  \nnotes ", "file_name": "notes.md", "content": "# Notes"}, tools.Place{})
	if err != nil || len(got.Files) != 1 {
		t.Fatalf("got %+v with %v, want one in Files and no error", got, err)
	}
	file := got.Files[0]
	if file.Title != "Our notes" || file.Name != "notes.md" || file.Type != "text/plain; charset=utf-8" || string(file.Data) != "# Notes" || !got.Once {
		t.Errorf("the file is %+v, want Our notes, notes.md, once", file)
	}
}

// TestFilesThatCannotBeAreRefused makes one file after the other for an answer.
func TestFilesThatCannotBeAreRefused(t *testing.T) {
	file := func(name string, size int) tools.File { return tools.File{Name: name, Data: make([]byte, size)} }
	all := []tools.File{file("a", 10<<20+1), file("a", 1), file("A", 1), file("b", 10<<20), file("b", 10<<20-9)}
	want := []string{"10 MiB", "made", "a file of this name", "10 MiB", "made"}
	for n := range 8 {
		all, want = append(all, file(strconv.Itoa(n), 1)), append(want, "made")
	}
	all, want = append(all, file("c", 0)), append(want, "10 files")
	calls := make([]openaitest.ToolCall, len(all))
	for n := range all {
		calls[n] = openaitest.ToolCall{ID: strconv.Itoa(n), Name: "look", Arguments: fmt.Sprintf(`{"n":%d}`, n)}
	}
	server, model := serve(t, nil)
	server.Queue(openaitest.Call(calls...), openaitest.Answer("Done."))
	got, _, err := ask(t, model, tools.Limits{Calls: len(calls)}, tool(func(_ context.Context, call tools.Call) (tools.Result, error) {
		var which struct {
			N int `json:"n"`
		}
		err := json.Unmarshal(call.Arguments, &which)
		return tools.Result{Text: "made", Files: []tools.File{all[which.N]}}, err
	}))
	if err != nil || len(got.Files) != 10 {
		t.Fatalf("%d files are made with %v, want 10 and no error", len(got.Files), err)
	}
	for n, told := range results(server.Requests()[1]) {
		if !strings.Contains(told, want[n]) {
			t.Errorf("after file %d the model is told %q, want %q", n, told, want[n])
		}
	}
	for arguments, want := range map[string]string{`{"content":""}`: "empty", `{"content":5}`: `"content" is a number`} {
		if _, err := (tools.Artifact{}).Call(t.Context(), tools.Call{Arguments: []byte(arguments)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is refused with %v, want %q", arguments, err, want)
		}
	}
}

// channel is a channel with a long history, and the search through it.
func channel(t *testing.T) (*roomtest.Stage, tools.Place) {
	t.Helper()
	h := roomtest.NewStage(t)
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	drafts := make([]discordtest.Draft, 300)
	for i := range drafts {
		author, text := h.Ann, fmt.Sprintf("chatter number %d", i)
		if i%100 == 50 {
			author, text = h.Bob, fmt.Sprintf("the Blue  Loom is in room %d", i)
		}
		if i == 298 {
			text = "chatter " + strings.Repeat("ü", 700)
		}
		drafts[i] = discordtest.Draft{Author: author, Content: text, At: begin.Add(time.Duration(i) * time.Hour)}
	}
	ids := errtest.Must(h.Discord.Chat.Backfill(h.Channel, drafts))(t)
	asker := conversation.Asker{Person: h.Ann, Guild: h.Guild, Scope: h.Scope()}
	return h, tools.Place{Guild: h.Guild, Channel: h.Channel, Trigger: ids[len(ids)-1], Person: h.Ann, Past: h.Conversations.Past(asker)}
}

func TestASearchFindsByWordsPersonAndTime(t *testing.T) {
	h, place := channel(t)
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
		"too many":           {map[string]string{"words": "chatter"}, []string{"number 279", "number 297", "chatter " + strings.Repeat("ü", 591) + `…"`, "there may be older ones"}, 20},
	} {
		got, err := call(t, tools.Search{Guilds: h.Guilds}, test.arguments, place)
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
	if reads := h.Discord.Record.Count(discordtest.RouteMessages); reads > 4 {
		t.Errorf("seven searches took %d reads, want each page once", reads)
	}
}

func TestASearchKeepsToWhatTheAskerMayRead(t *testing.T) {
	h, place := channel(t)
	h.Event("GUILD_ROLE_UPDATE", fmt.Sprintf(`{"guild_id":"%[1]d","role":{"id":"%[1]d","permissions":"1024"}}`, h.Guild))
	got, err := call(t, tools.Search{Guilds: h.Guilds}, map[string]string{"words": "loom"}, place)
	if err == nil || !strings.Contains(err.Error(), "may not be read") || got.Text != "" {
		t.Errorf("got %q with %v, want \"\", an error and %q in it", got.Text, err, "may not be read")
	}
}

func TestAHelperHasAConversationOfItsOwn(t *testing.T) {
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

func TestArgumentsAreBounded(t *testing.T) {
	for name, test := range map[string]struct {
		tool      tools.Tool
		arguments map[string]string
		want      string
	}{
		"words to search":  {tools.Search{}, map[string]string{"words": strings.Repeat("x", 801)}, "200 characters"},
		"a person's name":  {tools.Search{}, map[string]string{"person": strings.Repeat("x", 801)}, "200 characters"},
		"a helper's task":  {&tools.Subagent{}, map[string]string{"task": strings.Repeat("x", 64<<10+1)}, "64 KiB"},
		"a day that is no": {tools.Search{}, map[string]string{"before": "tomorrow"}, `"before" is no day`},
		"no words":         {tools.Search{}, map[string]string{"words": "  "}, "nothing to look for"},
		"days in a row":    {tools.Search{}, map[string]string{"after": "2026-02-01", "before": "2026-01-01"}, "no day is both"},
		"no task":          {&tools.Subagent{}, nil, "empty"},
	} {
		_, err := call(t, test.tool, test.arguments, tools.Place{})
		var refusal tools.RefusalError
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestAHelperThatDoesNotEndIsKept has a helper be refused, and cut short.
func TestAHelperThatDoesNotEndIsKept(t *testing.T) {
	server, model := serve(t, nil)
	cut := openaitest.Answer("Forty")
	cut.FinishReason = "length"
	server.Queue(openaitest.Fail(openaitest.Failure{Status: 401, Message: "bad key"}), cut)
	task := map[string]string{"task": "Count."}
	got, err := call(t, &tools.Subagent{Model: model}, task, tools.Place{})
	if llm.KindOf(err) != llm.Auth || got.Branch == nil || !got.Branch.Refused {
		t.Errorf("got %+v with %v, want a refused branch and %v", got, err, llm.Auth)
	}
	got, err = call(t, &tools.Subagent{Model: model}, task, tools.Place{})
	if err != nil || !strings.HasPrefix(got.Text, "Forty\n") || !strings.Contains(got.Text, "length limit") {
		t.Errorf("got %q with %v, want %q at its start, %q in it and no error", got.Text, err, "Forty\n", "length limit")
	}
}
