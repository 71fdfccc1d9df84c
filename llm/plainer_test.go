package llm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// talk returns a request as a busy channel makes it: several people in a row, two pictures,
// a call of a tool and what follows it, two tool servers, a tail.
func talk() llm.Request {
	request := everything()
	turns := request.Path.Turns
	picture := said("Bo", "does your tool support this? single image, stop")
	picture.Parts = append(picture.Parts, path.Image{Type: "image/png"})
	request.Path.Turns = slices.Concat(turns[:2], []path.Turn{picture, said("Cy", "look")}, turns[2:], []path.Turn{said("Bo", "well?")})
	request.Path.Tools = append(request.Path.Tools,
		path.Tool{Name: "note", Schema: `{"type":"object"}`},
		path.Tool{Name: "maps_route", Schema: `{"type":"object"}`, Server: "maps"}, path.Tool{Name: "maps_find", Schema: `{"type":"object"}`, Server: "maps"},
		path.Tool{Name: "wiki_read", Schema: `{"type":"object"}`, Server: "wiki"},
	)
	request.Tail = "Today is Saturday."
	return request
}

// strict starts a server that refuses requests by some rules, and a client that tells what
// was refused.
func strict(t *testing.T, rules ...openaitest.Strict) (*openaitest.Server, *llm.Client, *[]string) {
	t.Helper()
	told := new([]string)
	server, client := setupOver(t, openaitest.Config{Script: func(r openaitest.Request) openaitest.Reply {
		for _, rule := range rules {
			if reply, refused := rule.Refuse(r); refused {
				return reply
			}
		}
		return openaitest.Answer("yes")
	}}, func(c *llm.Config) {
		c.Retries = -1
		c.Refused = func(_ string, features []string) { *told = append(*told, features...) }
	})
	return server, client, told
}

// TestStrictServersAnswer asks servers that refuse what others take, until nothing is in
// doubt. Each first question is answered, and in the end requests lack only what is refused.
func TestStrictServersAnswer(t *testing.T) {
	for _, rule := range openaitest.Strictest() {
		t.Run(rule.Name, func(t *testing.T) {
			server, client, told := strict(t, rule)
			first := mustStream(t, client, talk())
			if !slices.Contains(first.Dropped, rule.Feature) {
				t.Errorf("the first answer does without %q, want %q among it", first.Dropped, rule.Feature)
			}
			rebuilt := errtest.Must(llm.Rebuild("test-model", talk(), first.Without))(t)
			if sent := lastRequest(t, server).Body; string(rebuilt) != string(sent) {
				t.Errorf("rebuilt is\n%s\nwant\n%s", rebuilt, sent)
			}
			for range 20 {
				if len(client.Doubted()) == 0 {
					break
				}
				mustStream(t, client, talk())
			}
			if got := client.Rejected(); !slices.Equal(got, []string{rule.Feature}) || len(client.Doubted()) > 0 {
				t.Errorf("refused are %q, and %q in doubt; want %q and none", got, client.Doubted(), rule.Feature)
			}
			before := len(server.Requests())
			if last := mustStream(t, client, talk()); !slices.Equal(last.Dropped, []string{rule.Feature}) || len(server.Requests()) != before+1 {
				t.Errorf("the last answer does without %q after %d requests, want only %q after 1", last.Dropped, len(server.Requests())-before, rule.Feature)
			}
			if !slices.Contains(*told, rule.Feature) || len(slices.Compact(slices.Sorted(slices.Values(*told)))) != len(*told) {
				t.Errorf("told is %q, want %q among it, and each once", *told, rule.Feature)
			}
		})
	}
}

// TestAServerThatRefusesEverythingAtOnceAnswers asks one server that has all the rules.
func TestAServerThatRefusesEverythingAtOnceAnswers(t *testing.T) {
	_, client, _ := strict(t, openaitest.Strictest()...)
	for range 20 {
		mustStream(t, client, talk())
	}
	got, want := client.Rejected(), []string{"images but one", "prompt_cache_key", "roles", "stream", "tools"}
	if !slices.Equal(got, want) {
		t.Errorf("refused are %q, want %q", got, want)
	}
}

// TestWhatWasNamedIsDoubtedIfMoreHadToGo has servers name one thing and mean another.
func TestWhatWasNamedIsDoubtedIfMoreHadToGo(t *testing.T) {
	for name, rule := range map[string]openaitest.Strict{
		"the name was wrong": {Refuse: func(r openaitest.Request) (openaitest.Reply, bool) {
			return openaitest.Fail(openaitest.Failure{Status: 400, Message: "logprobs are not supported"}), len(r.Chat.Tools) > 0
		}},
		"a template fails on tools": {Refuse: func(r openaitest.Request) (openaitest.Reply, bool) {
			return openaitest.Fail(openaitest.Failure{Status: 500, Message: "Jinja Exception: cannot iterate"}), len(r.Chat.Tools) > 0
		}},
		"only streams": {Refuse: func(r openaitest.Request) (openaitest.Reply, bool) {
			if !r.Chat.Stream { // as some models of Alibaba's
				return openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model only support stream mode, please enable the stream parameter."}), true
			}
			return openaitest.Fail(openaitest.Failure{Status: 400, Message: "no"}), len(r.Chat.Tools) > 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, client, _ := strict(t, rule)
			mustStream(t, client, talk())
			if got := client.Rejected(); len(got) > 0 {
				t.Errorf("after one answer refused are %q, want none: nobody knows what it was", got)
			}
			for range 20 {
				mustStream(t, client, talk())
			}
			if got := client.Rejected(); !slices.Equal(got, []string{"tools"}) {
				t.Errorf("in the end refused are %q, want only the tools", got)
			}
		})
	}
}

// TestTheNewestPictureIsKept asks a server that takes one.
func TestTheNewestPictureIsKept(t *testing.T) {
	server, client, _ := strict(t, openaitest.Strictest()[3])
	request, shown := talk(), 0
	request.Image = func(path.Image) string { shown++; return fmt.Sprintf("data:image/png;base64,%04d", shown) }
	mustStream(t, client, request)
	if body := string(lastRequest(t, server).Body); !strings.Contains(body, fmt.Sprintf("base64,%04d", shown)) || strings.Count(body, "base64") != 1 {
		t.Errorf("sent is %s, want only the last of %d pictures", body, shown)
	}
}

// TestAWholeAnswerMayTakeLongerThanAStreamIsSilent lets a server that does not stream think.
func TestAWholeAnswerMayTakeLongerThanAStreamIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, func(c *llm.Config) { c.Timeout, c.Retries = time.Minute, -1 })
		thought := make(chan struct{})
		time.AfterFunc(5*time.Minute, func() { close(thought) })
		slow := openaitest.Answer("at last")
		slow.Wait = thought
		server.Queue(openaitest.Reject("stream"), slow)
		if answer := mustStream(t, client, talk()); answer.Text != "at last" {
			t.Errorf("the answer is %q, want %q", answer.Text, "at last")
		}
	})
}

// TestARefusalThatSaysNothingEndsInThePlainestRequest checks the order of the requests, and
// that a model which refuses the plainest is told as one that accepts no request.
func TestARefusalThatSaysNothingEndsInThePlainestRequest(t *testing.T) {
	never := openaitest.Strict{Refuse: func(openaitest.Request) (openaitest.Reply, bool) {
		return openaitest.Reply{Status: 400, Body: `{"error":"no"}`}, true
	}}
	server, client, told := strict(t, never)
	other, next := setup(t, nil)
	other.Queue(openaitest.Answer("I do."))
	client.FallBackOn(next)
	if answer := mustStream(t, client, talk()); answer.Text != "I do." {
		t.Errorf("%q answers %q, want the fallback's %q", answer.Asked, answer.Text, "I do.")
	}
	var shapes []string
	for _, r := range server.Requests() {
		_, logprobs := r.Chat.Fields["logprobs"]
		pictures := strings.Contains(string(r.Body), "image_url")
		shapes = append(shapes, fmt.Sprintf("%s logprobs %t, tools %t, pictures %t, stream %t", r.Chat.Messages[0].Role, logprobs, len(r.Chat.Tools) > 0, pictures, r.Chat.Stream))
	}
	want := []string{
		"system logprobs true, tools true, pictures true, stream true",
		"user logprobs false, tools true, pictures true, stream true",
		"user logprobs false, tools false, pictures false, stream false",
	}
	if !slices.Equal(shapes, want) {
		t.Errorf("the requests are %q, want %q", shapes, want)
	}
	if len(client.Rejected())+len(client.Doubted())+len(*told) > 0 {
		t.Errorf("learned is %q, %q, %q from a provider that never answered, want nothing", client.Rejected(), client.Doubted(), *told)
	}
}

// TestOpenRouterFindsNoEndpoint has no endpoint take what was sent, in words that name nothing.
func TestOpenRouterFindsNoEndpoint(t *testing.T) {
	server, client, _ := strict(t)
	server.Queue(openaitest.Fail(openaitest.Failure{Status: 404, Message: "No endpoints found that can handle the requested parameters."}))
	if answer := mustStream(t, client, talk()); !slices.Contains(answer.Dropped, "logprobs") || slices.Contains(answer.Dropped, "tools") {
		t.Errorf("left out are %q, want what is optional", answer.Dropped)
	}
}

// TestWhatIsRefusedIsTriedAgainAfterAnHour lets a provider take what it refused.
func TestWhatIsRefusedIsTriedAgainAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, nil)
		server.Queue(openaitest.Reject("logprobs"), openaitest.Answer("a"), openaitest.Answer("b"), openaitest.Answer("c"))
		for _, want := range [][]string{{"logprobs"}, {"logprobs"}, nil} {
			if answer := mustStream(t, client, talk()); !slices.Equal(answer.Dropped, want) {
				t.Errorf("left out are %q, want %q", answer.Dropped, want)
			}
			time.Sleep(31 * time.Minute) //nolint:forbidigo // synctest's time
		}
	})
}

// TestARefusedSchemaTakesAwayThatServersToolsOnly covers the ways in which providers name a
// tool.
func TestARefusedSchemaTakesAwayThatServersToolsOnly(t *testing.T) {
	maps, wiki := []string{"tool:maps_route", "tool:maps_find"}, []string{"tool:wiki_read"}
	for message, want := range map[string][]string{
		"Invalid schema for function 'maps_find': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.": maps, // vercel/ai#7005
		"tools.4.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12":                       wiki, // Anthropic
		"* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[q].items: missing field.":          maps, // Gemini
		"Invalid 'tools[4].function.name': string does not match pattern.":                                                   wiki, // OpenAI
		"failed to convert tool wiki_read: unsupported parameters":                                                           wiki,
		"Invalid schema for function 'search': array schema missing items":                                                   {"tool:search"}, // heddle's own goes alone
	} {
		server, client, _ := strict(t)
		server.Queue(openaitest.Fail(openaitest.Failure{Status: 400, Type: "invalid_request_error", Message: message}))
		answer := mustStream(t, client, talk())
		if !slices.Equal(answer.Dropped, want) || len(lastRequest(t, server).Chat.Tools) != 5-len(want) {
			t.Errorf("%q: left out are %q, and %d tools sent; want %q and %d", message, answer.Dropped, len(lastRequest(t, server).Chat.Tools), want, 5-len(want))
		}
	}
}

// TestTheSecondRefusedSchemaIsCountedAmongTheToolsThatAreLeft has places in the list shift.
func TestTheSecondRefusedSchemaIsCountedAmongTheToolsThatAreLeft(t *testing.T) {
	server, client, _ := strict(t)
	at := func(n int) openaitest.Reply {
		return openaitest.Fail(openaitest.Failure{Status: 400, Message: fmt.Sprintf("tools.%d.custom.input_schema: JSON schema is invalid", n)})
	}
	server.Queue(at(0), at(0))
	if answer := mustStream(t, client, talk()); !slices.Equal(answer.Dropped, []string{"tool:search", "tool:note"}) {
		t.Errorf("left out are %q, want the first two tools", answer.Dropped)
	}
}

// TestWordsOfPeopleInAnErrorAreNotTheProviders lets providers echo what was sent.
func TestWordsOfPeopleInAnErrorAreNotTheProviders(t *testing.T) {
	for name, body := range map[string]string{
		"a field of FastAPI's":         `{"detail":[{"type":"missing","loc":["body","model_id"],"msg":"Field required","input":{"q":"single image"}}]}`,
		"what the model made":          `{"error":{"message":"Bad request","failed_generation":"tools are not supported, logprobs unknown"}}`,
		"OpenRouter's metadata":        `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"does your tool support this?"}}}`,
		"a message that quotes people": `{"error":{"message":"Cannot read: Does your tool support this? single image, stop"}}`,
		"plain text that quotes":       "cannot read \"does your tool support this? single image, stop\"",
		"Python's repr in a message":   `{"object":"error","message":"[{'type': 'missing', 'loc': ('body', 'x'), 'msg': 'Field required', 'input': 'tools unsupported, rate limit'}]","code":400}`,
		"pydantic's text":              `{"detail":"1 validation error for Request\nx\n Field required [type=missing, input_value={'a': 'vision is not supported'}, input_type=dict]"}`,
	} {
		t.Run(name, func(t *testing.T) {
			server, client, told := strict(t)
			server.Queue(openaitest.Reply{Status: 400, Body: body})
			answer := mustStream(t, client, talk())
			if slices.Contains(answer.Dropped, "tools") || slices.Contains(answer.Dropped, "images") || len(server.Requests()) != 2 {
				t.Errorf("left out are %q after %d requests, want tools and pictures kept, and 2", answer.Dropped, len(server.Requests()))
			}
			if got := client.Rejected(); len(got) > 0 {
				t.Errorf("refused are %q, want none: nothing was named; told was %q", got, *told)
			}
		})
	}
}

// TestACallThatTheModelMadeBadlyIsTriedAgain repeats a question, and then asks it without
// tools (pydantic-ai#4354).
func TestACallThatTheModelMadeBadlyIsTriedAgain(t *testing.T) {
	for name, bad := range map[string]openaitest.Reply{
		"Groq":   {Status: 400, Body: `{"error":{"message":"Failed to call a function. Please adjust your prompt.","code":"tool_use_failed","failed_generation":"<function=search>"}}`},
		"Ollama": {Status: 500, Body: `{"error":{"message":"error parsing tool call: raw='{\"q\":', err=unexpected end of JSON input"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			server, client, _ := strict(t)
			server.Queue(bad, bad)
			if answer := mustStream(t, client, talk()); !slices.Equal(answer.Dropped, []string{"tools"}) || len(server.Requests()) != 3 {
				t.Errorf("left out are %q after %d requests, want the tools after 3", answer.Dropped, len(server.Requests()))
			}
			if answer := mustStream(t, client, talk()); answer.Dropped != nil {
				t.Errorf("the next question does without %q, want nothing", answer.Dropped)
			}
		})
	}
}

// TestTheFormForStrictTemplates checks the joined form word by word.
func TestTheFormForStrictTemplates(t *testing.T) {
	server, client, _ := strict(t, openaitest.Strictest()[0])
	request := talk()
	request.Image = nil
	mustStream(t, client, request)
	var got []string
	for _, m := range lastRequest(t, server).Chat.Messages {
		got = append(got, m.Role+": "+m.Text())
	}
	first, found := strings.CutPrefix(got[0], "user: "+llm.System("Be kind."))
	want := []string{
		"assistant: ", "tool: found", "assistant: …",
		"user: [speaker: Ada]\nand now?\n\n[heddle: added, not said by anyone]\nToday is Saturday.\n\n[speaker: Bo]\nwell?",
	}
	if !found || first != "\n\n[speaker: Ada]\nhello\n[image: image/png, not shown]\n\n[speaker: Bo]\ndoes your tool support this? single image, stop\n[image: image/png, not shown]\n\n[speaker: Cy]\nlook" || !slices.Equal(got[1:], want) {
		t.Errorf("the messages are %q, want %q at the end", got, want)
	}
}
