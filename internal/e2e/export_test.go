package e2e_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// exported is what tests look at of a row in the format raw.
type exported struct {
	Request  json.RawMessage `json:"request"`
	Step     string          `json:"step"`
	Response struct {
		Content string `json:"content"`
		Calls   []struct {
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"response"`
	Artifacts []struct {
		Name string `json:"name"`
	} `json:"artifacts"`
	Code []struct {
		Language string `json:"language"`
	} `json:"code"`
}

// TestEverySampledResponseIsExported exports an answer that took two rounds of calls and
// a helper: four requests, each exactly as it was sent.
func TestEverySampledResponseIsExported(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	calling := call("ask_subagent", `{"task":"Count."}`)
	calling.Chunks = append([]openaitest.Chunk{{Text: "Let me count."}}, calling.Chunks...)
	s.model.Queue(calling, openaitest.Answer("9"), call("create_artifact", `{"title":"Count","file_name":"n.txt","content":"9"}`), openaitest.Answer("Nine:\n```go\nx := 9\n```"))
	r := s.start()
	s.fileFor(s.post(s.ann, discordtest.Draft{Content: s.mention("how many threads?")}))
	r.end()

	stdout, stderr := s.must(consent(s.ann), "export", "-format", "raw")
	var rows []exported
	var requests, sent [][]byte
	for line := range strings.Lines(stdout) {
		var row exported
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows, requests = append(rows, row), append(requests, row.Request)
	}
	for _, request := range s.model.Requests() {
		sent = append(sent, request.Body)
	}
	slices.SortFunc(requests, bytes.Compare)
	slices.SortFunc(sent, bytes.Compare)
	if !slices.EqualFunc(requests, sent, bytes.Equal) {
		t.Fatalf("exported are %d requests, sent were %d, want the same; export says %q", len(requests), len(sent), stderr)
	}
	var steps []string
	for _, row := range rows {
		steps = append(steps, row.Step)
	}
	if !slices.Equal(steps, []string{"round 1", "round 2", "helper call-ask_subagent", ""}) {
		t.Fatalf("the steps are %q, want %q", steps, []string{"round 1", "round 2", "helper call-ask_subagent", ""})
	}
	if said := rows[0].Response; said.Content != "Let me count." || len(said.Calls) != 1 || said.Calls[0].Function.Name != "ask_subagent" {
		t.Errorf("the first round said %+v, want Content %q, one in Calls and Calls[0].Function.Name %q", said, "Let me count.", "ask_subagent")
	}
	if rows[2].Response.Content != "9" || rows[3].Response.Content != "Nine:\n```go\nx := 9\n```" {
		t.Errorf("the helper said %q, the answer is %q, want %q and %q", rows[2].Response.Content, rows[3].Response.Content, "9", "Nine:\n```go\nx := 9\n```")
	}
	if last := rows[3]; len(last.Artifacts) != 1 || last.Artifacts[0].Name != "n.txt" || len(last.Code) != 1 || last.Code[0].Language != "go" {
		t.Errorf("the answer has the files %+v and the code %+v, want one of them, Name %q of the first, one of them and Language %q of the first", last.Artifacts, last.Code, "n.txt", "go")
	}
	for format, calls := range map[string]string{"openai": `"arguments":"{\"task\":\"Count.\"}"`, "trl": `"arguments":{"task":"Count."}`} {
		rows, told := s.must(consent(s.ann), "export", "-format", format)
		if lines := strings.Split(strings.TrimSpace(rows), "\n"); len(lines) != 4 || !strings.Contains(lines[0], calls) {
			t.Errorf("as %s exported is %q, want 4 lines with the calls in the first; export says %q", format, rows, told)
		}
	}
}

func TestTokensAreKeptAndExportedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	sampled := []openaitest.Logprob{
		{Token: "Tea ", Bytes: []byte("Tea "), Logprob: -0.25},
		{Token: "�", Bytes: []byte{0xF0, 0x9F}, Logprob: -0.5},
		{Token: "�", Bytes: []byte{0x8D, 0xB5}, Logprob: -0.125},
	}
	for setting, want := range map[string]string{
		"KEEP_LOGPROBS=off": `null`,
		"KEEP_LOGPROBS=on": `[{"token":"Tea ","logprob":-0.25},` +
			`{"token":"�","bytes":"8J8=","logprob":-0.5},{"token":"�","bytes":"jbU=","logprob":-0.125}]`,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			calling := call("create_artifact", `{"title":"A","file_name":"a.md","content":"x"}`)
			calling.Chunks = append([]openaitest.Chunk{{Text: "Wait. ", Logprobs: []openaitest.Logprob{{Token: "Wait. ", Logprob: -1}}}}, calling.Chunks...)
			last := openaitest.Answer("Tea 🍵")
			last.Chunks[0].Logprobs = sampled
			s.model.Queue(calling, last)
			r := s.start(setting)
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("tea?")}), "")
			r.end()
			rows, told := s.must(consent(s.ann), "export", "--format", "raw")
			var tokens []string
			for line := range strings.Lines(rows) {
				var row struct {
					Tokens json.RawMessage `json:"tokens"`
				}
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatal(err)
				}
				tokens = append(tokens, string(row.Tokens))
			}
			before := `[{"token":"Wait. ","logprob":-1}]`
			if setting == "KEEP_LOGPROBS=off" {
				before = `null`
			}
			if !slices.Equal(tokens, []string{before, want}) {
				t.Errorf("exported are the tokens %q, want %q and %q; export says %q", tokens, before, want, told)
			}
		})
	}
}
