package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/inspect"
	"heddle/internal/openaitest"
	"heddle/store"
)

// talked returns a scene in which a question was asked twice, asked again and edited,
// and in which heddle has ended.
func talked(t *testing.T) (s *scene, question graph.MessageID) {
	t.Helper()
	s = newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four <4> & \"more\"."), openaitest.Answer("Vier."), openaitest.Answer("Nine."), openaitest.Answer("Because."))
	r := s.start("TEMPERATURE=0")
	question = s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	first := s.answer(s.channel, question, "Four")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID}), "Vier.")
	s.edit(question, s.mention("3 * 3?"))
	nine := s.answer(s.channel, question, "Nine.")
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("why?"), ReplyTo: nine.ID}), "Because.")
	side := s.thread("sums")
	s.answer(side, s.postIn(side, s.ann, discordtest.Draft{Content: s.mention("3 * 3?")}), "Nine.")
	r.end()
	return s, question
}

func TestTheTreeShowsPathsAlternativesReusesAndEdits(t *testing.T) {
	t.Parallel()
	s, _ := talked(t)
	text, _ := s.must(nil, "tree")
	for _, want := range []string{
		"4 answers, given again 1 times, 1 edits", "ann: @heddle 2 + 2?", "answer 1/2", "answer 2/2", "Vier.",
		"given again 1 times: Nine.", "assistant: Nine.", "edit: answer", " UTC, response_hash ", ", last given again 20",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the tree:\n%s", want, text)
		}
	}
	var trees []struct {
		Scope store.Scope `json:"scope"`
		Nodes []struct {
			PathHash   string `json:"path_hash"`
			PromptHash string `json:"prompt_hash"`
			Text       string `json:"text"`
			Answers    []struct {
				ID   string `json:"id"`
				Text string `json:"text"`
			} `json:"answers"`
		} `json:"nodes"`
		Versions []struct {
			Old string `json:"old"`
			New string `json:"new"`
		} `json:"versions"`
	}
	encoded, _ := s.must(nil, "tree", "-format", "json")
	if err := json.Unmarshal([]byte(encoded), &trees); err != nil || len(trees) != 1 || trees[0].Scope != s.scope() {
		t.Fatalf("the tree as JSON is %s, %v, want one tree of the scope %s", encoded, err, s.scope())
	}
	texts := make(map[string]string)
	for _, n := range trees[0].Nodes {
		for _, a := range n.Answers {
			texts[a.ID] = a.Text
		}
	}
	if v := trees[0].Versions; len(v) != 1 || texts[v[0].Old] != "Four <4> & \"more\"." || texts[v[0].New] != "Nine." {
		t.Errorf("the versions of %q are %+v, want the answer below the question and the one in its place", texts, v)
	}
	for _, n := range trees[0].Nodes {
		if n.Text != "@heddle 2 + 2?" {
			continue
		}
		s.foundByHashes(n.PromptHash, n.PathHash)
	}
	for _, flag := range []string{"-prompt", "-path"} {
		if none, _ := s.must(nil, "tree", flag, strings.Repeat("0", 64)); none != "Nothing that is stored matches.\n" {
			t.Errorf("%s of a hash that is not stored shows\n%s\nwant %q", flag, none, "Nothing that is stored matches.\n")
		}
	}
	if dot, _ := s.must(nil, "tree", "-format", "dot"); !strings.HasPrefix(dot, "digraph heddle {") || !strings.Contains(dot, "style=dashed") {
		t.Errorf("the tree as DOT is\n%s\nwant %q at its start and %q in it", dot, "digraph heddle {", "style=dashed")
	}
	if status, _, stderr := s.command(nil, "tree", "-format", "svg"); status != cli.StatusMisuse || !strings.Contains(stderr, "text, json and dot") {
		t.Errorf("a format that is not known ends with %d: %s, want %d and %q in it", status, stderr, cli.StatusMisuse, "text, json and dot")
	}
}

// foundByHashes fails the test unless the tree shows the same of the first question by
// its hashes, by their beginnings and by its text.
func (s *scene) foundByHashes(prompt, path string) {
	s.t.Helper()
	byPrompt, _ := s.must(nil, "tree", "-prompt", prompt)
	byPath, _ := s.must(nil, "tree", "-path", path[:12], "-scope", string(s.scope()))
	byText, _ := s.must(nil, "tree", "-prompt", "2 + 2?")
	byWholePath, _ := s.must(nil, "tree", "-path", path)
	if byPrompt != byPath || byText != byPath || byWholePath != byPath || !strings.Contains(byPath, "Vier.") || strings.Contains(byPath, "Because.") {
		s.t.Errorf("by its prompt_hash the node is\n%s\nwant that of its path_hash, with Vier. and without Because.:\n%s", byPrompt, byPath)
	}
}

func TestTheTreeListsTwoModelsSideBySide(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four."))
	for _, model := range []string{"model-one", "model-two"} {
		r := s.start("LLM_MODEL=" + model)
		side := s.thread(model)
		s.answer(side, s.postIn(side, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "")
		r.end()
	}
	text, _ := s.must(nil, "tree")
	for _, want := range []string{"2 turns, 2 answers", "answer 1/2", "answer 2/2", " model-one, stop: ", " model-two, stop: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the tree:\n%s", want, text)
		}
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the models were asked %d times, want once each", got)
	}
}

func TestVerifyTellsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	s, question := talked(t)
	stdout, _ := s.must(nil, "verify")
	if want := ", 0 faults; 0 erased ones passed over\n  4 requests can be made again byte for byte, 0 cannot"; !strings.Contains(stdout, want) {
		t.Errorf("verify says %q, want %q", stdout, want)
	}
	if stdout, _ := s.must(nil, "migrate"); !strings.Contains(stdout, "which this version uses; 0 answers were brought up to date") {
		t.Errorf("migrate says %q, want %q in it", stdout, "which this version uses; 0 answers were brought up to date")
	}
	stored := s.stored()
	if _, err := stored.Deletions.Forget(s.ctx, s.scope(), s.channel, []graph.MessageID{question}); err != nil {
		t.Fatal(err)
	}
	if err := stored.Close(); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := s.must(nil, "verify"); !strings.Contains(stdout, "0 faults") || strings.Contains(stdout, " 0 erased") {
		t.Errorf("after a deletion verify says %q, want %q in it and no %q in it", stdout, "0 faults", " 0 erased")
	}
}

func TestAnExportedRequestIsTheOneThatWasSent(t *testing.T) {
	t.Parallel()
	s, _ := talked(t)
	stdout, stderr := s.must(consent(s.ann, s.bob), "export", "-format", "raw")
	if !strings.Contains(stderr, "4 rows.") || !strings.Contains(stderr, "1 answers given again are no samples") {
		t.Errorf("export says %q, want %q in it and %q in it", stderr, "4 rows.", "1 answers given again are no samples")
	}
	var exported [][]byte
	for line := range strings.Lines(stdout) {
		var row struct {
			Request     json.RawMessage `json:"request"`
			Reported    string          `json:"reported_model"`
			Fingerprint string          `json:"system_fingerprint"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Reported != "test-model" || row.Fingerprint != openaitest.Fingerprint {
			t.Errorf("a row tells the model %q and the fingerprint %q, want %q and %q", row.Reported, row.Fingerprint, "test-model", openaitest.Fingerprint)
		}
		exported = append(exported, row.Request)
	}
	var sent [][]byte
	for _, request := range s.model.Requests() {
		sent = append(sent, request.Body)
	}
	if !slices.EqualFunc(exported, sent, bytes.Equal) {
		t.Errorf("exported are\n%s\nwant what was sent\n%s", bytes.Join(exported, []byte("\n")), bytes.Join(sent, []byte("\n")))
	}
}

func TestNothingIsExportedWithoutConsent(t *testing.T) {
	t.Parallel()
	s, _ := talked(t)
	if status, stdout, stderr := s.command(nil, "export", "-format", "raw"); status != cli.StatusMisuse || stdout != "" || !strings.Contains(stderr, "EXPORT_CONSENT") {
		t.Errorf("without any consent export ends with %d: %q, %q, want %d, \"\" and %q in it", status, stdout, stderr, cli.StatusMisuse, "EXPORT_CONSENT")
	}
	for _, format := range []string{"openai", "trl", "dpo", "openai-dpo"} {
		status, stdout, stderr := s.command(consent(s.ann, s.bob)[:1], "export", "-format", format)
		if status != cli.StatusMisuse || stdout != "" || !strings.Contains(stderr, "DISCORD_TRAINING_PERMISSION=on") {
			t.Errorf("without Discord's permission export -format %s ends with %d: %q, %q, want %d, \"\" and %q in it", format, status, stdout, stderr, cli.StatusMisuse, "DISCORD_TRAINING_PERMISSION=on")
		}
	}
	if stdout, stderr := s.must(consent(s.ann, s.bob)[:1], "export", "-format", "raw"); strings.Count(stdout, "\n") != 4 {
		t.Errorf("without Discord's permission export -format raw gives %q and says %q, want four rows", stdout, stderr)
	}
	s.must(nil, "opt-out", s.bob.String())
	if stdout, stderr := s.must(consent(s.ann, s.bob), "export", "-format", "raw"); strings.Count(stdout, "\n") != 3 {
		t.Errorf("of bob, who opted out since, export gives %q and says %q, want 3 lines", stdout, stderr)
	}
	stdout, stderr := s.must(consent(s.ann), "export", "-format", "openai")
	if rows := strings.Count(stdout, "\n"); rows != 3 || strings.Contains(stdout, "why?") || !strings.Contains(stderr, "Withheld: 1 without the consent") {
		t.Errorf("with ann's consent alone export gives %d rows and says %q, want 3 rows and one withheld", rows, stderr)
	}
	if stdout, stderr := s.must(consent(s.bob), "export", "-format", "trl"); stdout != "" || !strings.Contains(stderr, "0 rows. Withheld: 4 without") {
		t.Errorf("with bob's consent alone export gives %q and says %q, want \"\" and %q in it", stdout, stderr, "0 rows. Withheld: 4 without")
	}
}

func TestForgettingAPersonErasesWhatTheyWroteFromDiskAndExports(t *testing.T) {
	t.Parallel()
	s, _ := talked(t)
	stdout, _ := s.must(nil, "forget", "-yes", s.ann.String())
	if !strings.Contains(stdout, ": answers 5, summaries 0,") || !strings.Contains(stdout, "All of that is erased.") {
		t.Errorf("forget says %q, want 5 answers to be stored and erased", stdout)
	}
	s.nowhere("2 + 2", "3 * 3", "Vier.", "Nine.")
	if stdout, _ := s.must(consent(s.ann, s.bob), "export", "-format", "raw"); stdout != "" {
		t.Errorf("exported is %q, want \"\"", stdout)
	}
	if status, _, stderr := s.command(nil, "forget", "ann"); status != cli.StatusMisuse || !strings.Contains(stderr, "not an id") {
		t.Errorf("a name for an id ends with %d: %s, want %d and %q in it", status, stderr, cli.StatusMisuse, "not an id")
	}
}

func TestTheTreeSaysWhatBrokeAPathThatWasContinued(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("One."), openaitest.Answer("Two."), openaitest.Answer("Three."), openaitest.Answer("Four."), openaitest.Answer("Five."))
	var asked []graph.MessageID
	var last discordtest.Message
	follow := func(answer string, environ ...string) {
		t.Helper()
		r := s.start(append(environ, "EDIT_ANSWER=off")...)
		if answer == "Four." {
			s.edit(asked[0], s.mention("what was that again?"))
		}
		asked = append(asked, s.post(s.ann, discordtest.Draft{Content: s.mention("and?"), ReplyTo: last.ID}))
		last = s.answer(s.channel, asked[len(asked)-1], answer)
		r.end()
	}
	follow("One.")
	follow("Two.") // continues where the first ended
	follow("Three.", "SYSTEM_PROMPT=Be terse.")
	follow("Four.", "SYSTEM_PROMPT=Be terse.")
	follow("Five.", "SYSTEM_PROMPT=Be terse.", "TEMPERATURE=0")
	tree, _ := s.must(nil, "tree")
	for _, want := range []string{"prompt: answer", "under another system prompt, from turn 1 on", "rewritten: answer", "as a message was edited, from turn 2 on", "tools: answer"} {
		if strings.Count(tree, want) != 1 {
			t.Errorf("%q is not once in the tree:\n%s", want, tree)
		}
	}
}

// matching runs "heddle tree -match -" on a conversation.
func (o *operator) matching(conversation string, args ...string) (status int, stdout, stderr string) {
	o.t.Helper()
	var out, told bytes.Buffer
	status = cli.Run(context.Background(), append([]string{"tree", "-match", "-"}, args...), cli.Process{
		Environ: o.environ, Read: noFiles,
		Stdin: strings.NewReader(conversation), Stdout: &out, Stderr: &told,
	})
	return status, out.String(), told.String()
}

func TestAConversationIsMatchedToTheStoredPaths(t *testing.T) {
	t.Parallel()
	s, _ := talked(t)
	const question = `{"role":"user","name":"ann","content":"@heddle 2 + 2?"}`
	for conversation, want := range map[string][]string{
		`[` + question + `]`: {": 2 of 2 turns are stored, up to ", "answer 1/2", "Vier.", "answer 2/2"},
		`[` + question + `,{"role":"assistant","content":"Five."},{"role":"user","name":"bob","content":"no"}]`: {
			": 2 of 4 turns are stored", "Vier.", "new: assistant: Five.", "new: user: no",
		},
		`[` + question + `,{"role":"assistant","content":[{"type":"text","text":"Vier."}]}]`: {": 2 of 3 turns are stored", "the next turn is answer "},
		`[{"role":"user","name":"bob","content":"@heddle 2 + 2?"}]`:                          {"Nothing of it is stored."},
		`[{"role":"system","content":"Be someone else."},` + question + `]`:                  {"Nothing of it is stored."},
	} {
		status, stdout, stderr := s.matching(conversation)
		for _, text := range want {
			if status != cli.StatusDone || !strings.Contains(stdout, text) {
				t.Errorf("%s gives %d, %q, %q; want %q in it", conversation, status, stdout, stderr, text)
			}
		}
	}
	var matched []struct {
		Stored  int              `json:"stored"`
		Answers []inspect.Answer `json:"answers"`
	}
	_, stdout, _ := s.matching(`[`+question+`]`, "-format", "json")
	if err := json.Unmarshal([]byte(stdout), &matched); err != nil || len(matched) != 1 || matched[0].Stored != 2 || len(matched[0].Answers) != 2 || matched[0].Answers[1].Text != "Vier." {
		t.Errorf("as JSON it is %s, %v, want one match of two turns with two answers", stdout, err)
	}
	for conversation, want := range map[string]string{
		`{}`:                              "a JSON array of messages",
		`[{"role":"user"}]`:               "message 1: it has neither content nor tool calls",
		`[{"role":"cook","content":"x"}]`: `message 1: it is by "cook"`,
		`[{"role":"tool","content":"x"}]`: "message 1: a tool's message has the id of a call before it",
	} {
		if status, _, stderr := s.matching(conversation); status != cli.StatusMisuse || !strings.Contains(stderr, want) {
			t.Errorf("%s ends with %d: %q, want %d and %q in it", conversation, status, stderr, cli.StatusMisuse, want)
		}
	}
	if status, _, stderr := s.matching(`[`+question+`]`, "-format", "dot"); status != cli.StatusMisuse || !strings.Contains(stderr, "text or json") {
		t.Errorf("as dot it ends with %d: %q, want %d and %q in it", status, stderr, cli.StatusMisuse, "text or json")
	}
}

func TestARequestIsRecognisedAsItWasSent(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(
		openaitest.Answer("A first one."),
		call("create_artifact", `{"title":"Plan","file_name":"plan.md","content":"# Plan"}`),
		openaitest.Answer("There it is."),
	)
	r := s.start()
	first := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("hello?")}), "A first one.")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("make a plan"), ReplyTo: first.ID}), "There it is.")
	r.end()
	requests := s.model.Requests()
	for i, request := range requests {
		_, stdout, stderr := s.matching(string(request.Body))
		if !strings.Contains(stdout, "this is, byte for byte, the request of answer ") {
			t.Errorf("request %d is matched to %q, %q, want %q in it", i+1, stdout, stderr, "this is, byte for byte, the request of answer ")
		}
	}
	var last struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(requests[2].Body, &last); err != nil {
		t.Fatal(err)
	}
	messages, err := json.Marshal(last.Messages)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("begins with %d of its messages and has %[1]d", len(last.Messages))
	if _, stdout, stderr := s.matching(string(messages)); !strings.Contains(stdout, want) {
		t.Errorf("its messages alone are matched to %q, %q, want %q", stdout, stderr, want)
	}
	called := func(arguments string) string {
		return `[{"role":"user","name":"ann","content":"@heddle hello?"},{"role":"assistant","content":"A first one."},
			{"role":"user","name":"ann","content":"@heddle make a plan"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"create_artifact","arguments":` + arguments + `}}]},
			{"role":"tool","tool_call_id":"c","content":` + string(resultOf(t, last.Messages)) + `},
			{"role":"assistant","content":"There it is."}]`
	}
	for arguments, want := range map[string]string{
		`"{\"title\":\"Plan\",\"file_name\":\"plan.md\",\"content\":\"# Plan\"}"`:  "the next turn is answer ",
		`"{\"title\":\"Plan\",\"file_name\":\"other.md\",\"content\":\"# Plan\"}"`: "new: assistant: There it is.",
	} {
		if _, stdout, stderr := s.matching(called(arguments)); !strings.Contains(stdout, "4 of 5 turns are stored") || !strings.Contains(stdout, want) {
			t.Errorf("with %s it is matched to %q, %q, want %q", arguments, stdout, stderr, want)
		}
	}
}

// resultOf returns the content of the tool's message among messages, as JSON.
func resultOf(t *testing.T, messages []json.RawMessage) json.RawMessage {
	t.Helper()
	for _, raw := range messages {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(raw, &m); err == nil && m.Role == "tool" {
			return m.Content
		}
	}
	t.Fatal("no tool's message was sent")
	return nil
}

func TestTheTreeTellsRootsApart(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four."))
	for _, environ := range [][]string{{"TEMPERATURE=0"}, {"TEMPERATURE=1", "TOOLS=off"}} {
		r := s.start(environ...)
		side := s.thread(environ[0])
		s.answer(side, s.postIn(side, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "")
		r.end()
	}
	text, _ := s.must(nil, "tree")
	for _, want := range []string{": create_artifact, search_channel", `"temperature":0,`, ": no tools; options ", `"temperature":1,`} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not once in the tree:\n%s", want, text)
		}
	}
}
