package inspect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
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
	engine := errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t)
	s := store.New(engine, store.Options{})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	earlier(t, s, ann)
	return s
}

// earlier stores a response for heddle's message 99, which is in every conversation
// here. It was made from message 98 by from. It is a summary, so that it is not
// exported itself.
func earlier(t *testing.T, s *store.Store, from graph.UserID) {
	t.Helper()
	p := path.Path{Turns: called()[:2]}
	if err := s.Responses.Save(t.Context(), store.Response{
		ID: store.ResponseID{99}, Standing: store.Standing{
			Scope: home, Channel: 5, Trigger: 98, Self: heddle, Summarises: 1, Replies: []store.Reply{{ID: 99, Text: "Sunny."}},
		},
		Input:  store.Input{Path: p.Turns, PathHash: p.Hash(), Model: "m", Sources: []store.SourceRef{{Message: 98, Channel: 5, Author: from}}},
		Output: store.Output{Text: "Sunny.", FinishReason: "stop"},
	}); err != nil {
		t.Fatal(err)
	}
}

func text(role path.Role, speaker, text string) path.Turn {
	return path.Turn{Role: role, Speaker: speaker, Parts: []path.Part{path.Text(text)}}
}

// called returns a conversation in which heddle called a tool.
func called() []path.Turn {
	return []path.Turn{
		text(path.RoleSystem, "", "Be kind."), text(path.RoleUser, "ann", "what is the weather?"),
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "weather", Arguments: `{"in":"Rome"}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "weather", Parts: []path.Part{path.Text("sunny")}}}},
		text(path.RoleAssistant, "", "Sunny."), text(path.RoleUser, "ann", "and tomorrow?"),
	}
}

// save stores an answer as the bot does.
func save(t *testing.T, s *store.Store, id byte, answer string, change func(*store.Response)) store.Response {
	t.Helper()
	turns := called()
	tools := []path.Tool{{Name: "weather", Description: "Tells the weather.", Schema: `{"type":"object"}`}}
	p := path.Path{Turns: turns, Tools: tools}
	r := store.Response{
		ID: store.ResponseID{id},
		Standing: store.Standing{
			Scope: home, Channel: 5, Trigger: 100, Self: heddle,
			Replies: []store.Reply{{ID: 101, Text: answer}}, Created: time.Unix(int64(id), 0).UTC(),
		},
		Input: store.Input{
			Path: turns, Tools: tools, PathHash: p.Hash(), Model: "m", Tail: "Today is <Monday>.",
			Sources: []store.SourceRef{{Message: 98, Channel: 5, Author: ann}, {Message: 99, Channel: 5, Author: heddle}, {Message: 100, Channel: 5, Author: ann}},
		},
		Output: store.Output{Text: answer, FinishReason: "stop"},
	}
	body := errtest.Must(llm.Rebuild(r.Model, llm.Request{Path: p, Tail: r.Tail}, nil))(t)
	r.RequestHash, r.ResponseHash = path.RequestHash(body), path.ResponseHash(answer, r.FinishReason)
	if change != nil {
		change(&r)
	}
	errtest.None(t, s.Responses.Save(t.Context(), r))
	return r
}

func export(t *testing.T, s *store.Store) (string, inspect.Withheld) {
	t.Helper()
	var out bytes.Buffer
	exporter := inspect.Exporter{Store: s, Consent: inspect.Consent{ann: true}}
	rows := errtest.Must(exporter.Export(t.Context(), &out, []store.Scope{home}))(t)
	if rows != strings.Count(out.String(), "\n") {
		t.Errorf("%d rows are reported, want %d", rows, strings.Count(out.String(), "\n"))
	}
	fits(t, out.String())
	return out.String(), exporter.Withheld
}

// fits fails the test if a row does not match the published schema.
func fits(t *testing.T, rows string) {
	t.Helper()
	schema := errtest.Must(jsonschema.NewCompiler().Compile("testdata/raw.schema.json"))(t)
	for row := range strings.Lines(rows) {
		value := errtest.Must(jsonschema.UnmarshalJSON(strings.NewReader(row)))(t)
		if err := schema.Validate(value); err != nil {
			t.Errorf("a row does not match the schema: %v\n%s", err, row)
		}
	}
}

// row is what tests look at of a row.
type row struct {
	Request struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    []any             `json:"tools"`
	} `json:"request"`
	Replaces  *store.ResponseID `json:"replaces"`
	Continues *store.ResponseID `json:"continues"`
	Reused    int               `json:"reused"`
	Shown     bool              `json:"shown"`
	Ratings   struct {
		Good int `json:"good"`
		Bad  int `json:"bad"`
	} `json:"ratings"`
}

func decode(t *testing.T, lines string) []row {
	t.Helper()
	var rows []row
	for line := range strings.Lines(lines) {
		var one row
		errtest.None(t, json.Unmarshal([]byte(line), &one))
		rows = append(rows, one)
	}
	return rows
}

func TestRowsFitTheirSchemas(t *testing.T) {
	s := newStore(t)
	save(t, s, 1, "Rain.", nil)
	lines, _ := export(t, s) // it checks the schema
	if rows := decode(t, lines); len(rows) != 1 || len(rows[0].Request.Messages) != 7 || len(rows[0].Request.Tools) != 1 {
		t.Fatalf("the rows are %s, want one with 7 messages and one tool", lines)
	}
}

func rate(t *testing.T, s *store.Store, message graph.MessageID, person graph.UserID, good bool) {
	t.Helper()
	errtest.None(t, s.Ratings.Rate(t.Context(), home, store.Rating{Message: message, Person: person, Good: good}))
}

// alternatives stores answers to one path, each of which a separate message shows.
func alternatives(t *testing.T, s *store.Store, answers ...string) {
	t.Helper()
	for i, answer := range answers {
		save(t, s, byte(i+1), answer, func(r *store.Response) {
			r.Replies = []store.Reply{{ID: graph.MessageID(101 + i), Text: answer}}
		})
	}
}

func TestRowsHoldTheRatingsOfThoseWhoConsent(t *testing.T) {
	s := newStore(t)
	alternatives(t, s, "Rain.", "Snow.", "Hail.")
	errtest.None(t, s.Responses.Show(t.Context(), home, []graph.MessageID{101}, store.ResponseID{1}))
	rate(t, s, 101, ann, true)
	rate(t, s, 102, bob, true) // bob did not consent
	rate(t, s, 103, ann, false)
	lines, withheld := export(t, s)
	if rows := decode(t, lines); !rows[0].Shown || rows[0].Ratings.Good != 1 || rows[1].Ratings.Good != 0 || rows[2].Ratings.Bad != 1 || withheld[inspect.Ratings] != 1 {
		t.Errorf("the rows are %s, want Rain. shown with a good rating, and the third with a bad one; withheld are %+v", lines, withheld)
	}
}

func TestWhatMayNotBeTrainedOnIsWithheldAndCounted(t *testing.T) {
	s := newStore(t)
	first := save(t, s, 1, "Rain.", nil)
	save(t, s, 2, "Rain.", func(r *store.Response) { r.Reuses, r.Reused = first.ID, r.Created })
	save(t, s, 3, "Rai", func(r *store.Response) { r.FinishReason = "length" })
	save(t, s, 4, "Snow.", func(r *store.Response) { r.Sources[0].Author = bob })
	save(t, s, 5, "Hail.", func(r *store.Response) { r.RequestHash[0]++ })
	save(t, s, 6, "Fog.", func(r *store.Response) { r.Self = 0 })
	lines, withheld := export(t, s)
	if want := (inspect.Withheld{inspect.Reused: 1, inspect.Partial: 1, inspect.Private: 2, inspect.Changed: 1}); withheld.String() != want.String() {
		t.Errorf("withheld are %+v, want %+v", withheld, want)
	}
	if strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"reused":1`) {
		t.Errorf("the rows are %s, want one, reused once", lines)
	}
}

func TestRawRowsTellOfCodeAndWhatAnAnswerReplacesAndContinues(t *testing.T) {
	s := newStore(t)
	first := save(t, s, 1, "Rain.", nil)
	save(t, s, 2, "Hail.", nil) // another attempt at the same question
	edited := save(t, s, 3, "Snow.", func(r *store.Response) { r.Generation = 2 })
	save(t, s, 4, "Fog:\n```go\nx\n```", func(r *store.Response) { r.Trigger, r.Continues = 200, edited.ID })
	lines, _ := export(t, s)
	var got []string
	for _, row := range decode(t, lines) {
		got = append(got, fmt.Sprint(row.Replaces, row.Continues))
	}
	want := []string{"<nil> <nil>", "<nil> <nil>", first.ID.String() + " <nil>", "<nil> " + edited.ID.String()}
	if !slices.Equal(got, want) {
		t.Errorf("the rows tell %q, want %q", got, want)
	}
	if code := `"code":[{"language":"go","from":11,"size":2}]`; strings.Count(lines, code) != 1 {
		t.Errorf("the rows are %s, want one of them with %s", lines, code)
	}
}

// TestWordsWithoutConsentAreNotTrainedOn checks that words of others, as the sources name them,
// are withheld, and an answer that may quote them.
func TestWordsWithoutConsentAreNotTrainedOn(t *testing.T) {
	for name, test := range map[string]struct {
		arrange func(*testing.T, *store.Store)
		change  func(*store.Response)
		want    inspect.Withheld
	}{
		"a forward of nobody knows whom": {change: forward(0), want: inspect.Withheld{inspect.Forwards: 1}},
		"a forward of somebody else":     {change: forward(bob), want: inspect.Withheld{inspect.Private: 1}},
		"what a tool server sent": {
			change: func(r *store.Response) { r.Outside = []string{"docs_look_up"} }, want: inspect.Withheld{inspect.Outside: 1},
		},
		"an answer made from another's words": {
			arrange: func(t *testing.T, s *store.Store) { t.Helper(); earlier(t, s, bob) }, want: inspect.Withheld{inspect.Quotes: 1},
		},
		"an answer that nothing is known of": {
			change: func(r *store.Response) { r.Sources[1].Message = 97 }, want: inspect.Withheld{inspect.Quotes: 1},
		},
		"an answer made from one of those": {
			arrange: func(t *testing.T, s *store.Store) {
				t.Helper()
				earlier(t, s, bob)
				save(t, s, 7, "Rain.", func(r *store.Response) { r.Replies[0].ID, r.FinishReason = 97, "length" })
			},
			change: func(r *store.Response) { r.Sources[1].Message = 97 }, want: inspect.Withheld{inspect.Quotes: 1, inspect.Partial: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			if test.arrange != nil {
				test.arrange(t, s)
			}
			save(t, s, 1, "Rain.", test.change)
			if rows, withheld := export(t, s); rows != "" || withheld.String() != test.want.String() {
				t.Errorf("the rows are %q, withheld are %+v, want %+v", rows, withheld, test.want)
			}
		})
	}
}

// forward adds a forwarded message of somebody, or of nobody knows whom, to the sources.
func forward(author graph.UserID) func(*store.Response) {
	return func(r *store.Response) {
		r.Sources = append(r.Sources, store.SourceRef{Message: 5, Channel: 6, Author: author, Forwarded: true})
	}
}
