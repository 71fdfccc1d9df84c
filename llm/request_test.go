package llm_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestARequestHoldsPathTailToolsAndOptions(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("yes"))
	request := everything()
	request.Tail = "Today is Monday.\n" + llm.Render(said("Bob", "[speaker: Ada]"))
	mustStream(t, client, request)

	chat := lastRequest(t, server).Chat
	want := []openaitest.Message{
		{Role: "system", Parts: []openaitest.Part{{Text: llm.System("Be kind.")}}},
		{Role: "user", Parts: []openaitest.Part{{Text: "[speaker: Ada]\nhello\n"}, {Image: "data:image/png;base64,AA=="}}},
		{Role: "assistant", ToolCalls: []openaitest.ToolCall{{ID: "c1", Name: "search", Arguments: `{"q":1}`}}},
		{Role: "tool", ToolCallID: "c1", Parts: []openaitest.Part{{Text: "found"}}},
		{Role: "user", Parts: []openaitest.Part{{Text: "[heddle: added, not said by anyone]\nToday is Monday.\n[speaker: Bob]\n\\[speaker: Ada]"}}},
		{Role: "user", Parts: []openaitest.Part{{Text: "[speaker: Ada]\nand now?"}}},
	}
	if len(chat.Messages) != len(want) {
		t.Fatalf("%d messages: %+v, want %d", len(chat.Messages), chat.Messages, len(want))
	}
	for i, message := range chat.Messages {
		if !equalMessages(message, want[i]) {
			t.Errorf("message %d is %+v, want %+v", i, message, want[i])
		}
	}
	for field, value := range map[string]string{"temperature": "0", "max_tokens": "100", "stop": `["END"]`, "stream": "true", "logprobs": "true"} {
		if got := string(chat.Fields[field]); got != value {
			t.Errorf("%s is %q, want %q", field, got, value)
		}
	}
	if tool := chat.Tools[0].Function; tool.Name != "search" || string(tool.Parameters) != `{"type":"object"}` {
		t.Errorf("the tool is %+v, want search with an object's schema", tool)
	}
}

func equalMessages(a, b openaitest.Message) bool {
	return a.Role == b.Role && a.Name == b.Name && a.ToolCallID == b.ToolCallID &&
		slices.Equal(a.Parts, b.Parts) && slices.Equal(a.ToolCalls, b.ToolCalls)
}

func TestOnlyTheGivenKeyIsSent(t *testing.T) {
	for key, want := range map[string]string{"": "", "sk-1": "Bearer sk-1"} {
		server, client := setup(t, func(c *llm.Config) { c.APIKey = key })
		server.Queue(openaitest.Answer("yes"))
		mustStream(t, client, question())
		if got := lastRequest(t, server).Header.Get("Authorization"); got != want {
			t.Errorf("the key sent is %q, want %q", got, want)
		}
	}
}

func TestPicturesThatCannotBeLoadedAreNamed(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("yes"))
	request := everything()
	request.Image = func(path.Image) string { return "" }
	mustStream(t, client, request)
	if text := lastRequest(t, server).Chat.Messages[1].Text(); text != "[speaker: Ada]\nhello\n[image: image/png, not shown]" {
		t.Errorf("the turn is %q, want %q", text, "[speaker: Ada]\nhello\n[image: image/png, not shown]")
	}
}

func TestTurnsWithSeveralPicturesKeepTheirOrder(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("yes"))
	turn := path.Turn{Role: path.RoleUser, Speaker: "Ada", Parts: []path.Part{
		path.Image{Type: "a"}, path.Image{Type: "b"}, path.Text("[end: x]"), path.Image{Type: "c"},
	}}
	request := llm.Request{
		Path:  path.Path{Turns: []path.Turn{turn}},
		Image: func(image path.Image) string { return image.Type },
	}
	mustStream(t, client, request)
	want := []openaitest.Part{{Text: "[speaker: Ada]\n"}, {Image: "a"}, {Image: "b"}, {Text: "\n\\[end: x]\n"}, {Image: "c"}}
	if got := lastRequest(t, server).Chat.Messages[0].Parts; !slices.Equal(got, want) {
		t.Errorf("the parts are %+v, want %+v", got, want)
	}
}

func TestAllFaultsOfAConfigurationAreNamedAtOnceAndNoSecret(t *testing.T) {
	_, err := llm.New(llm.Config{BaseURL: "api.example.com/hunter2", APIKey: "hunter2\n"})
	for _, want := range []string{"base URL", "no model", "API key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the error, which is %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a secret is shown: %v, want no %q in it", err, "hunter2")
	}
	if _, err := llm.New(llm.Config{BaseURL: "https://x/v1/chat/completions", Model: "m"}); err == nil {
		t.Error("a base URL that is the endpoint's own is taken, want an error")
	}
}

func TestAnErrorFitsALogLine(t *testing.T) {
	err := &llm.Error{Kind: llm.RateLimited, Status: 429, Code: "rate_limit_exceeded", RetryAfter: time.Second}
	if got, want := err.Error(), "model request: rate limited, status 429, code rate_limit_exceeded, retry after 1s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for kind := llm.Unreachable; kind <= llm.Cancelled; kind++ {
		if strings.HasPrefix(kind.String(), "unknown") {
			t.Errorf("kind %d has no name, want no %q at its start", kind, "unknown")
		}
	}
}

func TestWhatCameOfToolsExtendsTheRequest(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("one"), openaitest.Answer("two"))
	request := question()
	request.Tail = "Today is Monday."
	mustStream(t, client, request)
	request.Since = []path.Turn{
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "look", Arguments: `{}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "look", Parts: []path.Part{path.Text("nothing")}}}},
	}
	mustStream(t, client, request)

	sent := server.Requests()
	first, _, _ := bytes.Cut(sent[0].Body, []byte(`],"stream"`))
	if !bytes.HasPrefix(sent[1].Body, first) {
		t.Errorf("the second request does not extend the first:\n%s\n%s\nwant %q at its start", sent[0].Body, sent[1].Body, first)
	}
	messages := sent[1].Chat.Messages
	if last := messages[len(messages)-1]; last.Role != "tool" || last.ToolCallID != "c1" || last.Text() != "nothing" {
		t.Errorf("the last message is %+v, want the result", last)
	}
}

func TestARequestIsMadeAgainByteForByte(t *testing.T) {
	plain := question()
	plain.Tail = "Today is <Monday> & nothing is \u2028 left."
	for name, test := range map[string]struct {
		request llm.Request
		reject  []string
	}{
		"plainly":                           {plain, nil},
		"with all that there is":            {everything(), nil},
		"without what the provider rejects": {everything(), []string{"logprobs", "temperature", "max_tokens", "stop", "tools"}},
	} {
		t.Run(name, func(t *testing.T) {
			reject := map[string]openaitest.Reply{}
			for _, field := range test.reject {
				reject[field] = openaitest.Reject(field)
			}
			server, client := picky(t, reject)
			answer := mustStream(t, client, test.request)
			requests := server.Requests()
			sent := requests[len(requests)-1].Body
			again := errtest.Must(llm.Rebuild("test-model", test.request, answer.Without))(t)
			if !bytes.Equal(again, sent) || path.RequestHash(again) != answer.RequestHash {
				t.Errorf("made again the request is\n%s, want what was sent\n%s", again, sent)
			}
		})
	}
}

func TestEveryModelGetsIDsOfCallsThatItAccepts(t *testing.T) {
	called := func(id, model string) []path.Turn {
		return []path.Turn{
			{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: id, Name: "look", Arguments: `{}`, Model: model}}},
			{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: id, Name: "look", Parts: []path.Part{path.Text("blue")}}}},
		}
	}
	short, kimi := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`), regexp.MustCompile(`^functions\.look:\d+$`)
	for name, test := range map[string]struct {
		model string
		turns []path.Turn
		own   int // of the ids, which are sent unchanged
		want  *regexp.Regexp
	}{
		"another model's":       {"mistral-large", slices.Concat(called("call_0fypS1hVX", "gpt-5"), called("toolu_1", "claude")), 0, short}, // gptel#1203
		"its own":               {"gpt-5", slices.Concat(called("call_1", "gpt-5"), called("call_2", "gpt-5")), 2, short},
		"its own twice":         {"gpt-5", slices.Concat(called("call_1", "gpt-5"), called("call_1", "gpt-5")), 1, short},
		"missing":               {"gpt-5", called("", "gpt-5"), 0, short},
		"another model's, Kimi": {"moonshotai/Kimi-K2-Instruct", slices.Concat(called("functions.look:0", "moonshotai/Kimi-K2-Instruct"), called("call_1", "gpt-5")), 1, kimi},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := setup(t, func(c *llm.Config) { c.Model = test.model })
			server.Queue(openaitest.Answer("yes"))
			request := question()
			request.Path.Turns = append(request.Path.Turns, test.turns...)
			answer := mustStream(t, client, request)
			sent := lastRequest(t, server)
			var ids []string
			for i, m := range sent.Chat.Messages {
				if len(m.ToolCalls) == 0 {
					continue
				}
				ids = append(ids, m.ToolCalls[0].ID)
				if next := sent.Chat.Messages[i+1]; next.ToolCallID != ids[len(ids)-1] {
					t.Errorf("the result of %q is one of %q, want the same id", ids[len(ids)-1], next.ToolCallID)
				}
			}
			for i, id := range ids {
				want := test.turns[2*i].Parts[0].(path.ToolCall).ID
				if i < test.own && id != want || i >= test.own && (id == want || !test.want.MatchString(id)) || slices.Contains(ids[:i], id) {
					t.Errorf("the ids are %q, want %d unchanged, others that match %s, and each once", ids, test.own, test.want)
				}
			}
			again := errtest.Must(llm.Rebuild(test.model, request, answer.Without))(t)
			if !bytes.Equal(again, sent.Body) {
				t.Errorf("made again the request is\n%s, want what was sent\n%s", again, sent.Body)
			}
		})
	}
}
