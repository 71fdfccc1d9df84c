package inspect_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/inspect"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

const (
	ann, bob, heddle graph.UserID = 1, 2, 9
	home             store.Scope  = "g1"
)

func newStore(t *testing.T) *store.Store {
	t.Helper()
	engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(engine, store.Options{})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func text(role path.Role, speaker, text string) path.Turn {
	return path.Turn{Role: role, Speaker: speaker, Parts: []path.Part{path.Text(text)}}
}

// called is a conversation in which heddle called a tool.
func called() []path.Turn {
	return []path.Turn{
		text(path.RoleSystem, "", "Be kind."), text(path.RoleUser, "ann", "what is the weather?"),
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "weather", Arguments: `{"in":"Rome"}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "weather", Parts: []path.Part{path.Text("sunny")}}}},
		text(path.RoleAssistant, "", "Sunny."), text(path.RoleUser, "ann", "and tomorrow?"),
	}
}

// save keeps an answer as the bot does.
func save(t *testing.T, s *store.Store, id byte, answer string, change func(*store.Response)) store.Response {
	t.Helper()
	turns := called()
	tools := []path.Tool{{Name: "weather", Description: "Tells the weather.", Schema: `{"type":"object"}`}}
	p := path.Path{Turns: turns, Tools: tools}
	r := store.Response{
		ID: store.ResponseID{id}, Scope: home, Channel: 5, Trigger: 100, Path: turns, Tools: tools, PathHash: p.Hash(),
		Model: "m", Text: answer, FinishReason: "stop", Tail: "Today is <Monday>.", Self: heddle,
		Sources: []store.SourceRef{{Message: 98, Channel: 5, Author: ann}, {Message: 99, Channel: 5, Author: heddle}, {Message: 100, Channel: 5, Author: ann}},
		Replies: []store.Reply{{ID: 101, Text: answer}}, Created: time.Unix(int64(id), 0).UTC(),
	}
	body, err := llm.Rebuild(t.Context(), r.Model, llm.Request{Path: p, Tail: r.Tail}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.RequestHash, r.ResponseHash = path.RequestHash(body), path.ResponseHash(answer, r.FinishReason)
	if change != nil {
		change(&r)
	}
	if err := s.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func export(t *testing.T, s *store.Store, format string) (string, inspect.Withheld) {
	t.Helper()
	var out bytes.Buffer
	rows, withheld, err := inspect.Export(t.Context(), &out, s, []store.Scope{home}, format, inspect.Consent{ann: true})
	if err != nil {
		t.Fatal(err)
	}
	if rows != strings.Count(out.String(), "\n") {
		t.Errorf("%d rows are told, %d are there", rows, strings.Count(out.String(), "\n"))
	}
	return out.String(), withheld
}

// The rows as OpenAI's and TRL's documentation have them, and nothing else in them.
type (
	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Arguments   json.RawMessage `json:"arguments,omitempty"` // a string for OpenAI, an object for TRL
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      bool            `json:"strict,omitempty"`
	}
	call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	turn struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		Calls      []call `json:"tool_calls,omitempty"`
		ToolCallID string `json:"tool_call_id,omitempty"`
		Weight     *int   `json:"weight,omitempty"` // OpenAI's alone
	}
	tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	openAIRow struct {
		Messages []turn `json:"messages"`
		Tools    []tool `json:"tools"`
	}
	trlRow struct {
		Prompt     []turn `json:"prompt"`
		Completion []turn `json:"completion"`
		Tools      []tool `json:"tools"`
	}
	dpoRow struct {
		Prompt   []turn `json:"prompt"`
		Chosen   []turn `json:"chosen"`
		Rejected []turn `json:"rejected"`
		Tools    []tool `json:"tools"`
	}
)

// decode reads rows that hold the fields of a schema and no others.
func decode[Row any](t *testing.T, lines string) []Row {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(lines))
	decoder.DisallowUnknownFields()
	var rows []Row
	for {
		var row Row
		err := decoder.Decode(&row)
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatalf("a row does not fit its schema: %v", err)
		}
		rows = append(rows, row)
	}
}

func TestRowsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	save(t, s, 1, "Rain.", nil)
	lines, _ := export(t, s, inspect.FormatOpenAI)
	rows := decode[openAIRow](t, lines)
	if len(rows) != 1 || len(rows[0].Messages) != 8 || len(rows[0].Tools) != 1 {
		t.Fatalf("the rows are %s", lines)
	}
	for i, m := range rows[0].Messages {
		last := i == len(rows[0].Messages)-1
		if (m.Role == "assistant") != (m.Weight != nil) || m.Weight != nil && (*m.Weight == 1) != last {
			t.Errorf("message %d, by the %s, has the weight %v", i, m.Role, m.Weight)
		}
		for _, c := range m.Calls {
			if string(c.Function.Arguments) != `"{\"in\":\"Rome\"}"` {
				t.Errorf("a call's arguments are %s, want a string", c.Function.Arguments)
			}
		}
	}
	lines, _ = export(t, s, inspect.FormatTRL)
	trained := decode[trlRow](t, lines)
	if len(trained) != 1 || len(trained[0].Prompt) != 7 || trained[0].Completion[0].Content != "Rain." {
		t.Fatalf("the rows are %s", lines)
	}
	if got := string(trained[0].Prompt[2].Calls[0].Function.Arguments); got != `{"in":"Rome"}` {
		t.Errorf("a call's arguments are %s, want an object", got)
	}
}

func TestPairsComeFromAChoiceAmongAlternativesToOneRequest(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	rain := save(t, s, 1, "Rain.", nil)
	save(t, s, 2, "Snow.", nil)
	save(t, s, 3, "Fog, says another model.", func(r *store.Response) { r.Model, r.RequestHash = "n", rebuilt(t, "n") })
	if lines, withheld := export(t, s, inspect.FormatDPO); lines != "" || withheld.Unpaired != 3 {
		t.Errorf("without a choice there are the rows %q, withheld are %+v", lines, withheld)
	}
	if err := s.Show(t.Context(), home, 101, rain.ID); err != nil {
		t.Fatal(err)
	}
	lines, withheld := export(t, s, inspect.FormatDPO)
	rows := decode[dpoRow](t, lines)
	if len(rows) != 1 || rows[0].Chosen[0].Content != "Rain." || rows[0].Rejected[0].Content != "Snow." || withheld.Unpaired != 1 {
		t.Errorf("the rows are %s, withheld are %+v", lines, withheld)
	}
}

// rebuilt is the hash of the request to another model.
func rebuilt(t *testing.T, model string) path.Hash {
	t.Helper()
	asked := llm.Request{
		Path: path.Path{Turns: called(), Tools: []path.Tool{{Name: "weather", Description: "Tells the weather.", Schema: `{"type":"object"}`}}},
		Tail: "Today is <Monday>.",
	}
	body, err := llm.Rebuild(t.Context(), model, asked, nil)
	if err != nil {
		t.Fatal(err)
	}
	return path.RequestHash(body)
}

func TestWhatMayNotBeTrainedOnIsWithheldAndCounted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := save(t, s, 1, "Rain.", nil)
	save(t, s, 2, "Rain.", func(r *store.Response) { r.Reuses, r.Reused = first.ID, r.Created })
	save(t, s, 3, "Rai", func(r *store.Response) { r.FinishReason = "length" })
	save(t, s, 4, "Snow.", func(r *store.Response) { r.Sources[0].Author = bob })
	save(t, s, 5, "Hail.", func(r *store.Response) { r.RequestHash[0]++ })
	save(t, s, 6, "Fog.", func(r *store.Response) { r.Self = 0 })
	lines, withheld := export(t, s, inspect.FormatRaw)
	if want := (inspect.Withheld{Reused: 1, Partial: 1, Private: 2, Changed: 1}); withheld != want {
		t.Errorf("withheld are %+v, want %+v", withheld, want)
	}
	if strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"reused":1`) {
		t.Errorf("the rows are %s", lines)
	}
}
