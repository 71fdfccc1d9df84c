package e2e_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
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
func talked(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.model.Queue(openaitest.Answer("Four <4> & \"more\"."), openaitest.Answer("Vier."), openaitest.Answer("Nine."), openaitest.Answer("Because."))
	r := s.start("TEMPERATURE=0")
	question := s.ask(s.ann, "2 + 2?")
	first := s.answer(s.channel, question, "Four")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID}), "Vier.")
	s.edit(question, s.mention("3 * 3?"))
	nine := s.answer(s.channel, question, "Nine.")
	s.answer(s.channel, s.askBelow(nine.ID, s.bob, "why?"), "Because.")
	side := s.thread("sums")
	s.answered(side, "3 * 3?", "Nine.")
	r.end()
	return s
}

func TestTheTreeShowsPathsAlternativesReusesAndEdits(t *testing.T) {
	s := talked(t)
	text, _ := s.must(nil, "tree")
	s.contains(text,
		"4 answers, given again 1 time, 1 edit", "ann: @heddle 2 + 2?", "answer 1/2", "answer 2/2", " test-model at 0, stop: Vier.",
		"given again 1 time: Nine.", "assistant: Nine.", "edit: answer", " UTC, response_hash ", ", last given again 20",
	)
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
	encoded, _ := s.must(nil, "tree", "--format", "json")
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
		if n.Text == "@heddle 2 + 2?" {
			s.foundByHashes(n.PromptHash, n.PathHash)
		}
	}
	for _, flag := range []string{"--prompt", "--path"} {
		s.same(flag+" of a hash that is not stored", s.prints(nil, "tree", flag, strings.Repeat("0", 64)), "Nothing that is stored matches.\n")
	}
	s.misuse("text and json", nil, "tree", "--format", "svg")
}

// foundByHashes fails the test unless the tree shows the same of the first question by
// its hashes, by their beginnings and by its text.
func (s *scene) foundByHashes(prompt, path string) {
	s.t.Helper()
	byPath := s.prints(nil, "tree", "--path", path)
	s.contains(byPath, "Vier.")
	s.lacks(byPath, "Because.")
	for _, by := range [][]string{{"--prompt", prompt}, {"--prompt", "2 + 2?"}, {"--path", path[:12], "--scope", string(s.scope())}} {
		s.same("the node by "+by[0], s.prints(nil, append([]string{"tree"}, by...)...), byPath)
	}
}

func TestAnExportedRequestIsTheOneThatWasSent(t *testing.T) {
	s := talked(t)
	rows, told := s.must(consent(s.ann, s.bob), "export", "--format", "raw")
	s.contains(told, "4 rows.", "1 left out as given again")
	s.contains(rows, `"reported_model":"test-model"`, `"system_fingerprint":"`+openaitest.Fingerprint+`"`)
	s.sameRequests(s.exported(rows), s.model.Requests()...)
}

func TestNothingIsExportedWithoutConsent(t *testing.T) {
	s := talked(t)
	s.misuse("EXPORT_CONSENT", nil, "export", "--format", "raw")
	both := consent(s.ann, s.bob)
	for _, format := range []string{"openai", "openai-dpo", "trl"} {
		s.misuse("the format "+format+" is no longer written; use --format raw", both, "export", "--format", format)
	}
	rows, told := s.must(both, "export")
	s.same("rows of both", strings.Count(rows, "\n"), 4)
	s.contains(told, "Discord's Developer Policy forbids training")
	s.must(nil, "opt-out", s.bob.String())
	s.same("rows once bob has opted out", strings.Count(s.prints(both, "export", "--format", "raw"), "\n"), 3)
	rows, told = s.must(consent(s.ann), "export", "--format", "raw", "--discord-permits")
	s.lacks(told, "Developer Policy")
	s.same("rows with ann's consent alone", strings.Count(rows, "\n"), 3)
	s.lacks(rows, "why?")
	s.contains(told, "Withheld: 1 without the consent")
	rows, told = s.must(consent(s.bob), "export", "--format", "raw")
	s.same("rows with bob's consent alone", rows, "")
	s.contains(told, "0 rows. Withheld: 4 without")
}

func TestTheTreeSaysWhatBrokeAPathThatWasContinued(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("One."), openaitest.Answer("Two."), openaitest.Answer("Three."), openaitest.Answer("Four."), openaitest.Answer("Five."))
	var asked []graph.MessageID
	var last discordtest.Message
	follow := func(answer string, environ ...string) {
		t.Helper()
		r := s.start(append(environ, "EDIT_ANSWER=off")...)
		if answer == "Four." {
			s.edit(asked[0], s.mention("what was that again?"))
		}
		asked = append(asked, s.askBelow(last.ID, s.ann, "and?"))
		last = s.answer(s.channel, asked[len(asked)-1], answer)
		r.end()
	}
	follow("One.")
	follow("Two.") // continues where the first ended
	follow("Three.", "SYSTEM_PROMPT=Be terse.")
	follow("Four.", "SYSTEM_PROMPT=Be terse.")
	follow("Five.", "SYSTEM_PROMPT=Be terse.", "TEMPERATURE=0")
	tree, _ := s.must(nil, "tree")
	s.contains(tree, ", from turn 1 on", ", from turn 2 on")
	s.same("paths that were continued and changed", strings.Count(tree, "continued: answer "), 3)
}

// matching runs "heddle tree --match" on a file with a conversation.
func (o *operator) matching(conversation string, args ...string) (status int, stdout, stderr string) {
	o.t.Helper()
	file := filepath.Join(o.t.TempDir(), "conversation.json")
	o.write(file, conversation)
	return o.command(nil, append([]string{"tree", "--match", file}, args...)...)
}

func TestAConversationIsMatchedToTheStoredPaths(t *testing.T) {
	s := talked(t)
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
		status, stdout, _ := s.matching(conversation)
		s.same("the status of "+conversation, status, cli.StatusDone)
		s.contains(stdout, want...)
	}
	var matched []struct {
		Stored  int              `json:"stored"`
		Answers []inspect.Answer `json:"answers"`
	}
	_, stdout, _ := s.matching(`[`+question+`]`, "--format", "json")
	if err := json.Unmarshal([]byte(stdout), &matched); err != nil || len(matched) != 1 || matched[0].Stored != 2 || len(matched[0].Answers) != 2 || matched[0].Answers[1].Text != "Vier." {
		t.Errorf("as JSON it is %s, %v, want one match of two turns with two answers", stdout, err)
	}
	for conversation, want := range map[string]string{
		`{}`:                              "a JSON array of messages",
		`[{"role":"user"}]`:               "message 1: it has neither content nor tool calls",
		`[{"role":"cook","content":"x"}]`: `message 1: it is by "cook"`,
		`[{"role":"tool","content":"x"}]`: "a JSON array of messages",
	} {
		status, _, stderr := s.matching(conversation)
		s.same("the status of "+conversation, status, cli.StatusMisuse)
		s.contains(stderr, want)
	}
}

// exported returns the requests of the rows of an export in the format raw.
func (o *operator) exported(rows string) (requests [][]byte) {
	o.t.Helper()
	for line := range strings.Lines(rows) {
		var row struct {
			Request json.RawMessage `json:"request"`
		}
		o.ok(json.Unmarshal([]byte(line), &row))
		requests = append(requests, row.Request)
	}
	return requests
}

// sameRequests fails the test unless the same requests were exported as were sent, in any order.
func (o *operator) sameRequests(exported [][]byte, sent ...openaitest.Request) {
	o.t.Helper()
	var bodies [][]byte
	for _, request := range sent {
		bodies = append(bodies, request.Body)
	}
	slices.SortFunc(exported, bytes.Compare)
	slices.SortFunc(bodies, bytes.Compare)
	o.same("exported", string(bytes.Join(exported, []byte("\n"))), string(bytes.Join(bodies, []byte("\n"))))
}

func TestTokensAreKeptAndExportedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	sampled := []openaitest.Logprob{
		{Token: "Tea ", Bytes: []byte("Tea "), Logprob: -0.25},
		{Token: "�", Bytes: []byte{0xF0, 0x9F}, Logprob: -0.5},
		{Token: "�", Bytes: []byte{0x8D, 0xB5}, Logprob: -0.125},
	}
	for setting, want := range map[string][]string{
		"EXPORT_CONSENT=": {`null`, `null`},
		"EXPORT_CONSENT=7": {
			`[{"token":"Wait. ","logprob":-1}]`,
			`[{"token":"Tea ","logprob":-0.25},{"token":"�","bytes":"8J8=","logprob":-0.5},{"token":"�","bytes":"jbU=","logprob":-0.125}]`,
		},
	} {
		t.Run(setting, func(t *testing.T) {
			s := newScene(t)
			calling := call("create_artifact", `{"title":"A","file_name":"a.md","content":"x"}`)
			calling.Chunks = append([]openaitest.Chunk{{Text: "Wait. ", Logprobs: []openaitest.Logprob{{Token: "Wait. ", Logprob: -1}}}}, calling.Chunks...)
			last := openaitest.Answer("Tea 🍵")
			last.Chunks[0].Logprobs = sampled
			s.model.Queue(calling, last)
			r := s.start(setting)
			s.answered(s.channel, "tea?", "")
			r.end()
			var tokens []string
			for line := range strings.Lines(s.prints(consent(s.ann), "export", "--format", "raw")) {
				var row struct {
					Tokens json.RawMessage `json:"tokens"`
				}
				s.ok(json.Unmarshal([]byte(line), &row))
				tokens = append(tokens, string(row.Tokens))
			}
			s.same("the tokens", tokens, want)
		})
	}
}

func TestTheTreeListsTwoModelsSideBySide(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Four."))
	for _, model := range []string{"model-one", "model-two"} {
		r := s.start("LLM_MODEL=" + model)
		side := s.thread(model)
		s.answered(side, "2 + 2?", "")
		r.end()
	}
	s.contains(s.prints(nil, "tree"), "2 turns, 2 answers", "answer 1/2", "answer 2/2", " model-one, stop: ", " model-two, stop: ")
	s.askedTimes(2)
}
