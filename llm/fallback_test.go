package llm_test

import (
	"slices"
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// everything returns a request that uses all fields.
func everything() llm.Request {
	request := question()
	turns := request.Path.Turns
	turns[1].Parts = append(turns[1].Parts, path.Image{Type: "image/png"})
	request.Path = path.Path{
		Turns: append(turns,
			path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "search", Arguments: `{"q":1}`}}},
			path.Turn{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "search", Parts: []path.Part{path.Text("found")}}}},
			said("Ada", "and now?"),
		),
		Tools:   []path.Tool{{Name: "search", Description: "Searches.", Schema: `{"type":"object"}`}},
		Options: path.Options{Temperature: new(0.0), MaxTokens: 100, Stop: []string{"END"}},
	}
	request.CacheKey = "abc"
	request.Image = func(path.Image) string { return "data:image/png;base64,AA==" }
	return request
}

// picky starts a server that rejects requests with one of the given fields, as a
// provider would.
func picky(t *testing.T, reject map[string]openaitest.Reply) (*openaitest.Server, *llm.Client) {
	t.Helper()
	return setupOver(t, openaitest.Config{Script: func(request openaitest.Request) openaitest.Reply {
		for field, reply := range reject {
			_, sent := request.Chat.Fields[field]
			if sent || field == "images" && strings.Contains(string(request.Body), "image_url") {
				return reply
			}
		}
		return openaitest.Answer("yes")
	}}, func(c *llm.Config) { c.Retries = -1 })
}

func TestWhatAProviderRejectsIsLeftOutFromThenOn(t *testing.T) {
	worded := func(status int, message string) openaitest.Reply {
		return openaitest.Fail(openaitest.Failure{Status: status, Message: message})
	}
	for _, test := range []struct {
		name    string
		field   string
		reply   openaitest.Reply
		dropped []string
	}{
		{"logprobs", "logprobs", openaitest.Reject("logprobs"), []string{"logprobs"}},
		{"logprobs, forbidden", "logprobs", worded(403, "You are not allowed to request logprobs from this model"), []string{"logprobs"}},
		{"usage", "stream_options", openaitest.Reply{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}`}, []string{"stream_options"}},
		{"temperature", "temperature", worded(400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."), []string{"temperature"}},
		{"stop", "stop", openaitest.Reject("stop"), []string{"stop"}},
		{"tools, unknown to Ollama's model", "tools", worded(400, "gemma:2b does not support tools"), []string{"tools"}},
		{"tools, unknown to llama.cpp", "tools", worded(500, "tools param requires --jinja flag"), []string{"tools"}},
		{"tools, unknown to OpenRouter's endpoints", "tools", worded(404, "No endpoints found that support tool use."), []string{"tools"}},
		{"images", "images", worded(400, "Invalid content type. image_url is only supported by certain models."), []string{"images"}},
		{"images, unknown to DeepSeek", "images", worded(400, "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`"), []string{"images"}},
		{"the limit's old name", "max_tokens", worded(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."), []string{"max_tokens"}},
		{"a cache key, unknown to OpenAI's model", "prompt_cache_key", openaitest.Reject("prompt_cache_key"), []string{"prompt_cache_key"}},
		{"a cache key, unknown to Groq", "prompt_cache_key", worded(400, "property 'prompt_cache_key' is unsupported"), []string{"prompt_cache_key"}},
		{"a cache key, unknown to Cerebras", "prompt_cache_key", openaitest.Reply{Status: 422, Body: `{"message":"body.prompt_cache_key: property 'body.prompt_cache_key' is unsupported",` +
			`"type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}`}, []string{"prompt_cache_key"}},
		{"a cache key, unknown to Gemini", "prompt_cache_key", worded(400, `Invalid JSON payload received. Unknown name "prompt_cache_key": Cannot find field.`), []string{"prompt_cache_key"}},
		{"a cache key, unknown to Mistral", "prompt_cache_key", openaitest.Reply{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","prompt_cache_key"],"msg":"Extra inputs are not permitted"}]}`}, []string{"prompt_cache_key"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, client := picky(t, map[string]openaitest.Reply{test.field: test.reply})
			if got := client.Rejected(); len(got) != 0 {
				t.Errorf("before any request %q are rejected, want none", got)
			}
			for range 2 {
				if answer := mustStream(t, client, everything()); !slices.Equal(answer.Dropped, test.dropped) {
					t.Errorf("left out %q, want %q", answer.Dropped, test.dropped)
				}
			}
			if got := client.Rejected(); !slices.Equal(got, test.dropped) {
				t.Errorf("rejected are %q, want %q", got, test.dropped)
			}
			if n := len(server.Requests()); n != 3 {
				t.Errorf("%d requests, want one rejected and two answered", n)
			}
		})
	}
}

func TestAProviderThatRejectsAllThatIsOptionalStillAnswers(t *testing.T) {
	reject := map[string]openaitest.Reply{"images": openaitest.Fail(openaitest.Failure{Status: 400, Message: "no image support"})}
	for _, field := range []string{"logprobs", "stream_options", "temperature", "stop", "tools", "max_tokens", "max_completion_tokens"} {
		reject[field] = openaitest.Reject(field)
	}
	server, client := picky(t, reject)
	answer := mustStream(t, client, everything())
	slices.Sort(answer.Dropped)
	if want := []string{"images", "logprobs", "max_completion_tokens", "max_tokens", "stop", "stream_options", "temperature", "tools"}; !slices.Equal(answer.Dropped, want) {
		t.Errorf("left out %q, want %q", answer.Dropped, want)
	}
	messages := lastRequest(t, server).Chat.Messages
	var roles, texts []string
	for _, message := range messages {
		roles, texts = append(roles, message.Role), append(texts, message.Text())
	}
	if want := []string{"system", "user", "assistant", "user", "user"}; !slices.Equal(roles, want) {
		t.Errorf("the roles are %q, want %q", roles, want)
	}
	if want := []string{"[speaker: Ada]\nhello\n[image: image/png, not shown]", "[call: search]\n{\"q\":1}", "[tool: search]\nfound", "[speaker: Ada]\nand now?"}; !slices.Equal(texts[1:], want) {
		t.Errorf("the texts are %q, want %q", texts[1:], want)
	}
}

func TestOnePictureThatCannotBeReadDoesNotBlindTheModel(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(
		openaitest.Fail(openaitest.Failure{Status: 400, Message: "You uploaded an unsupported image. Please use one of the supported formats."}),
		openaitest.Answer("cannot see it"), openaitest.Answer("I see"),
	)
	if answer := mustStream(t, client, everything()); !slices.Equal(answer.Dropped, []string{"images"}) {
		t.Errorf("left out %q, want %q", answer.Dropped, []string{"images"})
	}
	if answer := mustStream(t, client, everything()); answer.Dropped != nil || !strings.Contains(string(lastRequest(t, server).Body), "image_url") {
		t.Errorf("left out %q the next time, want the images sent again", answer.Dropped)
	}
}

// TestTheNextProviderIsAskedIfOneFails asks three providers, of which the first two
// fail.
func TestTheNextProviderIsAskedIfOneFails(t *testing.T) {
	named := func(name string) func(*llm.Config) {
		return func(c *llm.Config) { c.Model, c.Retries = name, -1 }
	}
	var failed []string
	firstServer, client := setup(t, func(c *llm.Config) {
		named("first")(c)
		c.Failed = func(model string, kind llm.Kind, next string) {
			failed = append(failed, model+" "+kind.String()+" "+next)
		}
	})
	secondServer, second := setup(t, named("second"))
	thirdServer, third := setup(t, named("third"))
	offeredServer, offered := setup(t, named("offered"))
	client.FallBackOn(second)
	client.FallBackOn(third)
	client.Offer(offered)

	firstServer.Queue(openaitest.Reply{Status: 503})
	secondServer.Queue(openaitest.Reply{Status: 401})
	thirdServer.Queue(openaitest.Answer("I am third."))
	answer, err := client.Stream(t.Context(), question(), nil)
	if err != nil || answer.Text != "I am third." || answer.Asked != "third" {
		t.Errorf("%q answers %q, %v, want %q, %q and no error", answer.Asked, answer.Text, err, "third", "I am third.")
	}
	if want := []string{"first " + llm.Server.String() + " second", "second " + llm.Auth.String() + " third"}; !slices.Equal(failed, want) {
		t.Errorf("failed have %q, want %q", failed, want)
	}

	wanted := question()
	wanted.Model = "offered"
	offeredServer.Queue(openaitest.Answer("I am offered."))
	if answer, err := client.Stream(t.Context(), wanted, nil); err != nil || answer.Asked != "offered" {
		t.Errorf("%q answers %q, %v, want %q and no error", answer.Asked, answer.Text, err, "offered")
	}
	wanted.Model = "gone" // a model that was chosen and that the operator has removed since
	firstServer.Queue(openaitest.Answer("I am first."))
	if answer, err := client.Stream(t.Context(), wanted, nil); err != nil || answer.Asked != "first" {
		t.Errorf("%q answers %q, %v, want %q and no error", answer.Asked, answer.Text, err, "first")
	}
}

// TestNoOtherProviderIsAskedIfOneRefuses lets a provider refuse a question, and another
// break off its answer.
func TestNoOtherProviderIsAskedIfOneRefuses(t *testing.T) {
	begun := openaitest.Answer("I began")
	begun.End = openaitest.EndAbort
	for name, reply := range map[string]openaitest.Reply{
		"too long": openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}), "begun": begun,
	} {
		t.Run(name, func(t *testing.T) {
			server, first := setup(t, nil)
			other, second := setup(t, nil)
			server.Queue(reply)
			first.FallBackOn(second)
			if _, err := first.Stream(t.Context(), question(), nil); err == nil {
				t.Error("the question is answered, want an error")
			}
			if asked := len(other.Requests()); asked != 0 {
				t.Errorf("the other provider is asked %d times, want 0", asked)
			}
		})
	}
}

// TestATurnWithoutReasoningSaysSoWhereItMust asks a provider that refuses turns of the model
// without a word on their reasoning (opencode#24190).
func TestATurnWithoutReasoningSaysSoWhereItMust(t *testing.T) {
	server, client := setupOver(t, openaitest.Config{Script: func(request openaitest.Request) openaitest.Reply {
		if !strings.Contains(string(request.Body), `"reasoning_content":""`) {
			return openaitest.Fail(openaitest.Failure{Status: 400, Message: "The `reasoning_content` in the thinking mode must be passed back to the API."})
		}
		return openaitest.Answer("yes")
	}}, nil)
	for range 2 {
		mustStream(t, client, everything())
	}
	if got := len(server.Requests()); got != 3 {
		t.Errorf("%d requests were made, want 3: the first twice", got)
	}
}
