package llm_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

const secret = "what Ada said in private"

func complaint(status int, code, message string) openaitest.Reply {
	return openaitest.Fail(openaitest.Failure{Status: status, Code: code, Message: message + " " + secret})
}

func page(status int, contentType, body string) openaitest.Reply {
	return openaitest.Reply{Status: status, Body: body + secret, Header: http.Header{"Content-Type": {contentType}}}
}

func inStream(text string) openaitest.Reply {
	return openaitest.Reply{Chunks: []openaitest.Chunk{{Raw: text}}, End: openaitest.EndQuiet}
}

// fault is a reply with the kind of failure that it is.
type fault struct {
	name  string
	reply openaitest.Reply
	want  llm.Kind
	retry bool
}

func TestEveryStatusOfAProviderHasItsKind(t *testing.T) {
	checkFaults(t, []fault{
		{"wrong key", complaint(401, "invalid_api_key", "Incorrect API key provided."), llm.Auth, false},
		{"wrong key as Google says it", complaint(400, "", "API key not valid."), llm.Auth, false},
		{"forbidden", page(403, "text/plain", "no"), llm.Auth, false},
		{"moderated", complaint(403, "", "Your chosen model requires moderation and your input was flagged."), llm.Refused, false},
		{"filtered by Azure", complaint(400, "content_filter", "The response was filtered."), llm.Refused, false},
		{"no such model", complaint(404, "model_not_found", "The model does not exist."), llm.NotFound, false},
		{"no such model, named like a tool", complaint(404, "", "unknown model 'tool'"), llm.NotFound, false},
		{"wrong address", page(404, "text/html", "<html>404"), llm.NotFound, false},
		{"a web page for an answer", page(200, "text/html; charset=utf-8", "<html>Welcome"), llm.NotFound, false},
		{"too many requests", complaint(429, "rate_limit_exceeded", "Slow down."), llm.RateLimited, true},
		{"too many requests in plain text", page(429, "text/plain", "slow down"), llm.RateLimited, true},
		{"used up", complaint(429, "insufficient_quota", "You exceeded your current quota."), llm.Quota, false},
		{"payment required", page(402, "text/plain", ""), llm.Quota, false},
		{"too long", complaint(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."), llm.ContextTooLong, false},
		{"too long as llama.cpp says it", complaint(400, "exceed_context_size_error", "the request exceeds the available context size"), llm.ContextTooLong, false},
		{"too large", page(413, "text/html", "<html>413"), llm.ContextTooLong, false},
		{"not accepted", complaint(400, "invalid_request_error", "messages: bad"), llm.BadRequest, false},
		{"not accepted, with the error as text", openaitest.Reply{Status: 422, Body: `{"error":"` + secret + `"}`}, llm.BadRequest, false},
		{"a redirect to nowhere", page(304, "text/plain", ""), llm.NotFound, false},
		{"failed", complaint(500, "server_error", "Oops."), llm.Server, true},
		{"not implemented", page(501, "text/plain", ""), llm.Server, false},
		{"overloaded", complaint(529, "overloaded_error", "Overloaded."), llm.Server, true},
		{"error as a list", openaitest.Reply{Status: 503, Body: `[{"error":{"code":503,"message":"` + secret + `"}}]`}, llm.Server, true},
	})
}

// TestErrorsMeanWhatTheySay has the wordings of providers, with statuses that say something
// else.
func TestErrorsMeanWhatTheySay(t *testing.T) {
	said := func(status int, message string) openaitest.Reply {
		return openaitest.Fail(openaitest.Failure{Status: status, Type: "invalid_request_error", Message: message})
	}
	coded := func(status int, code, message string) openaitest.Reply {
		return openaitest.Fail(openaitest.Failure{Status: status, Code: code, Message: message})
	}
	checkFaults(t, []fault{
		{"money at Anthropic", said(400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."), llm.Quota, false},
		{"money at OpenAI", coded(429, "billing_not_active", "Your account is not active, please check your billing details on our website."), llm.Quota, false},
		{"a hard limit at OpenAI", coded(400, "billing_hard_limit_reached", "Billing hard limit has been reached"), llm.Quota, false},
		{"money at OpenRouter", coded(402, "", "This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 12."), llm.Quota, false},
		{"money at SiliconFlow", openaitest.Reply{Status: 403, Body: `{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}`}, llm.Quota, false},
		{"money at Alibaba", coded(400, "Arrearage", "Access denied, please make sure your account is in good standing."), llm.Quota, false},
		{"money at xAI", openaitest.Reply{Status: 403, Body: `{"code":"The caller does not have permission","error":"Your newly created team doesn't have any credits yet."}`}, llm.Quota, false},
		{"money at Moonshot", coded(429, "exceeded_current_quota_error", "Your account is suspended, please check your plan and billing details"), llm.Quota, false},
		{"money at Zhipu", openaitest.Reply{Status: 429, Body: `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`}, llm.Quota, false},
		{"money at MiniMax", openaitest.Reply{Body: `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`}, llm.Quota, false},
		{"a spending limit", said(412, "Account acme is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices."), llm.Quota, false},
		{"a limit at Anthropic", said(400, "You have reached your specified API usage limits. You will regain access on 2026-12-01."), llm.Quota, false},
		{"pace at OpenAI, which names billing", coded(429, "rate_limit_exceeded", "Rate limit reached for gpt-4o on requests per min (RPM): Limit 3. Please try again in 20ms. You can increase your rate limit by adding a payment method to your account at billing."), llm.RateLimited, true},
		{"pace at Gemini, which names quota", openaitest.Reply{Status: 429, Body: `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x.RetryInfo","retryDelay":"0.01s"}]}}`}, llm.RateLimited, true},
		{"a filter at Moonshot", openaitest.Reply{Status: 400, Body: `{"error":{"code":400,"message":"The request was rejected because it was considered high risk","param":"prompt","type":"content_filter"}}`}, llm.Refused, false},
		{"a filter at DeepSeek", said(400, "Content Exists Risk"), llm.Refused, false},
		{"a filter at Alibaba", coded(400, "data_inspection_failed", "<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content."), llm.Refused, false},
		{"a filter at Zhipu", openaitest.Reply{Status: 400, Body: `{"contentFilter":[{"level":1,"role":"user"}],"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`}, llm.Refused, false},
		{"a filter at xAI", openaitest.Reply{Status: 403, Body: `{"code":"The caller does not have permission","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`}, llm.Refused, false},
		{"a filter at OpenAI", coded(400, "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy."), llm.Refused, false},
		{"a filter at StepFun", openaitest.Reply{Status: 451, Body: `{"error":{"message":"request blocked","type":"censorship_blocked"}}`}, llm.Refused, false},
		{"a filter at Anthropic", said(400, "Output blocked by content filtering policy"), llm.Refused, false},
		{"length at Anthropic", said(400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length"), llm.ContextTooLong, false},
		{"length at Gemini", said(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), llm.ContextTooLong, false},
		{"length at vLLM", said(400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."), llm.ContextTooLong, false},
		{"length at Mistral", said(400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"), llm.ContextTooLong, false},
		{"length at Alibaba", said(400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"), llm.ContextTooLong, false},
		{"length at Moonshot", said(400, "Invalid request: Your request exceeded model token limit: 8192"), llm.ContextTooLong, false},
		{"length at xAI", said(400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."), llm.ContextTooLong, false},
		{"length at LM Studio", said(400, "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"), llm.ContextTooLong, false},
		{"length at TGI", openaitest.Reply{Status: 422, Body: `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4096. Given: 5000","error_type":"validation"}`}, llm.ContextTooLong, false},
		{"length at Copilot", coded(400, "model_max_prompt_tokens_exceeded", "prompt token count of 70000 exceeds the limit of 64000"), llm.ContextTooLong, false},
		{"length at OpenAI", said(400, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."), llm.ContextTooLong, false},
		{"length at SGLang", said(400, "Requested token count exceeds the model's maximum context length of 8192 tokens."), llm.ContextTooLong, false},
		{"a key at Gemini", said(400, "API key expired. Please renew the API key."), llm.Auth, false},
		{"a key at Zhipu", openaitest.Reply{Status: 400, Body: `{"error":{"code":"1002","message":"令牌已过期或验证不正确"}}`}, llm.Auth, false},
		{"a model at DeepSeek", said(400, "Model Not Exist"), llm.NotFound, false},
		{"a model at OpenRouter", said(400, "acme/loom-9 is not a valid model ID"), llm.NotFound, false},
		{"a model at Groq", coded(400, "model_decommissioned", "The model `mixtral` has been decommissioned and is no longer supported."), llm.NotFound, false},
		{"overload at Mistral", openaitest.Reply{Status: 429, Body: `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","code":"3505"}`}, llm.RateLimited, true},
		{"overload with an odd status", said(400, "The engine is currently overloaded, please try again later"), llm.RateLimited, true},
	})
}

// TestWhoIsAskedAfterARefusal lets a filter refuse a question: no fallback gets it. Money, key
// and setting are the provider's failures, for which the fallback is asked.
func TestWhoIsAskedAfterARefusal(t *testing.T) {
	for message, asked := range map[string]int{
		"Content Exists Risk": 0, "Your credit balance is too low": 1, "API key expired": 1, "Model Not Exist": 1, "messages: something is wrong": 1,
	} {
		server, first := setup(t, func(c *llm.Config) { c.Retries = -1 })
		other, second := setup(t, nil)
		first.FallBackOn(second)
		server.Queue(slices.Repeat([]openaitest.Reply{openaitest.Fail(openaitest.Failure{Status: 400, Message: message})}, 3)...)
		other.Queue(openaitest.Answer("yes"))
		_, err := first.Stream(t.Context(), question(), nil)
		if got := len(other.Requests()); got != asked || (err == nil) != (asked == 1) {
			t.Errorf("%q: the fallback is asked %d times (%v), want %d", message, got, err, asked)
		}
	}
}

func TestEveryErrorInAStreamHasItsKind(t *testing.T) {
	checkFaults(t, []fault{
		{"error in the stream", inStream(`data: {"error":{"message":"` + secret + `"}}` + "\n\n"), llm.Server, true},
		{"error in the stream, spaced, after comments", inStream(": wait\n\ndata: { \"error\" : {\"code\":429,\"message\":\"\"}}\n\n"), llm.RateLimited, true},
		{"error in the stream as OpenRouter sends it", inStream(`data: {"id":"x","error":{"code":502,"message":"` + secret + `"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n"), llm.Server, true},
		{"error in the stream as vLLM sent it", openaitest.Reply{Body: `data: {"object":"error","message":"` + secret + `","code":400}` + "\n\n"}, llm.BadRequest, false},
		{"error in the stream without a status", inStream(`data: {"error":{"type":"rate_limit_error"}}` + "\n\n"), llm.RateLimited, true},
		{"error as a body of success", openaitest.Reply{Body: `{"error":{"code":"insufficient_quota"}}`}, llm.Quota, false},
		{"finished by an error", finishedEmpty("error"), llm.Server, true},
	})
}

func TestEveryBadEndHasItsKind(t *testing.T) {
	finished := func(reason string) openaitest.Reply {
		reply := openaitest.Answer("some text")
		reply.FinishReason = reason
		return reply
	}
	ending := func(end openaitest.End) openaitest.Reply {
		reply := openaitest.Reply{End: end, Chunks: []openaitest.Chunk{{ReasoningContent: "hm"}}}
		return reply
	}
	checkFaults(t, []fault{
		{"filtered", finished("content_filter"), llm.Refused, false},
		{"empty", finishedEmpty("stop"), llm.Empty, true},
		{"empty at the limit", finishedEmpty("length"), llm.Empty, false},
		{"cut without a finish reason", ending(openaitest.EndDone), llm.Cut, true},
		{"cut without an end", ending(openaitest.EndQuiet), llm.Cut, true},
		{"connection broken", ending(openaitest.EndAbort), llm.Cut, true},
		{"not JSON", inStream("data: {\"choices\": [\n\n"), llm.Malformed, true},
		{"not a chunk", inStream("data: 17\n\n"), llm.Malformed, true},
		{"nothing", inStream("\n"), llm.Malformed, true},
		{"plain text", inStream("upstream is busy\n"), llm.Malformed, true},
		{"broken JSON for a body", openaitest.Reply{Body: `{"choices":`}, llm.Malformed, true},
		{"an endless line", inStream("data: " + strings.Repeat("x", 9<<20)), llm.Malformed, false},
	})
}

func checkFaults(t *testing.T, tests []fault) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client := setup(t, func(c *llm.Config) { c.Retries = -1 })
			asked := 1
			if test.want == llm.BadRequest { // plainer requests follow
				asked = 3
			}
			server.Queue(slices.Repeat([]openaitest.Reply{test.reply}, asked)...)
			_, err := failure(t, client, test.want)
			if err.Retryable != test.retry {
				t.Errorf("retryable: %t, want %t", err.Retryable, test.retry)
			}
			if strings.Contains(err.Error(), secret) || len(server.Requests()) != asked {
				t.Errorf("%d requests, then %v, want %d and no %q in it", len(server.Requests()), err, asked, secret)
			}
		})
	}
}

func finishedEmpty(reason string) openaitest.Reply {
	return openaitest.Reply{Chunks: []openaitest.Chunk{{Text: "\n"}}, FinishReason: reason}
}

func TestWhatIsWorthRetryingIsRetriedUntilItSucceeds(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(complaint(500, "", ""), openaitest.Reply{End: openaitest.EndAbort}, openaitest.Answer("at last"))
	if answer := mustStream(t, client, question()); answer.Text != "at last" || len(server.Requests()) != 3 {
		t.Errorf("%q after %d requests, want %q and 3", answer.Text, len(server.Requests()), "at last")
	}
}

func TestRetriesEnd(t *testing.T) {
	server, client := setup(t, nil)
	server.Queue(complaint(500, "", ""), complaint(502, "", ""), complaint(503, "", ""), openaitest.Answer("too late"))
	if _, err := failure(t, client, llm.Server); err.Status != 503 || len(server.Requests()) != 3 {
		t.Errorf("%v after %d requests, want Status 503 and 3", err, len(server.Requests()))
	}
}

func TestNothingIsRetriedOnceTextWasShown(t *testing.T) {
	server, client := setup(t, nil)
	reply := openaitest.Answer("half")
	reply.End = openaitest.EndAbort
	server.Queue(reply, openaitest.Answer("again"))
	if answer, _ := failure(t, client, llm.Cut); answer.Text != "half" || len(server.Requests()) != 1 {
		t.Errorf("%q after %d requests, want %q and 1", answer.Text, len(server.Requests()), "half")
	}
}

func TestAServerIsLeftAloneAsLongAsItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, nil)
		limited := complaint(429, "rate_limit_exceeded", "")
		limited.Header = http.Header{"Retry-After": {"1.5"}}
		server.Queue(limited, openaitest.Answer("yes"))
		began := time.Now()
		mustStream(t, client, question())
		if waited := time.Since(began); waited != 1500*time.Millisecond {
			t.Errorf("asked again after %s, want %s", waited, 1500*time.Millisecond)
		}
	})
}

func TestAServerThatAsksForTooLongIsNotAskedAgain(t *testing.T) {
	server, client := setup(t, nil)
	limited := complaint(429, "rate_limit_exceeded", "")
	limited.Header = http.Header{"Retry-After": {"3600"}}
	server.Queue(limited, openaitest.Answer("yes"))
	if _, err := failure(t, client, llm.RateLimited); err.RetryAfter != time.Hour || err.Code != "rate_limit_exceeded" || len(server.Requests()) != 1 {
		t.Errorf("%+v after %d requests, want RetryAfter %v, Code %q and 1", err, len(server.Requests()), time.Hour, "rate_limit_exceeded")
	}
}

func TestAServerThatSaysNothingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, func(c *llm.Config) { c.Timeout, c.Retries = time.Minute, -1 })
		headersOnly := openaitest.Answer("never")
		headersOnly.Chunks[0].Wait = make(chan struct{})
		server.Queue(openaitest.Reply{Wait: make(chan struct{})}, headersOnly)
		for n := range 2 {
			began := time.Now()
			if _, err := failure(t, client, llm.Stalled); !err.Retryable || time.Since(began) != time.Minute {
				t.Errorf("after %s: %v, want %s and Retryable true", time.Since(began), err, time.Minute)
			}
			if err := server.AwaitHangups(t.Context(), n+1); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAServerThatFallsSilentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := setupPiped(t, func(c *llm.Config) { c.Timeout = 30 * time.Second })
		reply := openaitest.Answer("first", "never")
		reply.Chunks[1].Wait = make(chan struct{})
		server.Queue(reply)
		began := time.Now()
		answer, err := failure(t, client, llm.Stalled)
		if answer.Text != "first" || llm.KindOf(err) == llm.Cancelled || time.Since(began) != 30*time.Second {
			t.Errorf("after %s: %q, %v; want %q, stalled after 30s", time.Since(began), answer.Text, err, "first")
		}
		if err := server.AwaitHangups(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
}

// TestWhatAddsNothingDoesNotKeepAnAnswerAliveForEver lets a server send comments, or events
// that add nothing to the answer, for a quarter of an hour.
func TestWhatAddsNothingDoesNotKeepAnAnswerAliveForEver(t *testing.T) {
	for name, sent := range map[string]string{
		"comments":           ": still here\n\n",
		"a role":             openaitest.Event(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`),
		"no choice":          openaitest.Event(`{"choices":[]}`),
		"usage so far":       openaitest.Event(`{"choices":[],"usage":{"prompt_tokens":3}}`),
		"the same tool call": openaitest.Event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"search"}}]}}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := setupPiped(t, func(c *llm.Config) { c.Timeout, c.Retries = 20*time.Second, -1 })
				reply := openaitest.Reply{Chunks: make([]openaitest.Chunk, 200)}
				for i := range reply.Chunks {
					ticked := make(chan struct{})
					time.AfterFunc(time.Duration(i)*5*time.Second, func() { close(ticked) })
					reply.Chunks[i] = openaitest.Chunk{Wait: ticked, Raw: sent}
				}
				server.Queue(reply)
				if answer, _ := failure(t, client, llm.Stalled); answer.Text != "" {
					t.Errorf("the answer is %q, want none", answer.Text)
				}
			})
		})
	}
}

// nameless dials on a machine that can look up no name, and asks no network for one.
func nameless(ctx context.Context, network, address string) (net.Conn, error) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no network")
	}}
	return (&net.Dialer{Resolver: resolver}).DialContext(ctx, network, address)
}

func TestNobodyThereIsUnreachable(t *testing.T) {
	for _, base := range []string{"http://user:hunter2@127.0.0.1:1/v1", "https://heddle.invalid/v1"} {
		_, client := setup(t, func(c *llm.Config) { c.BaseURL, c.Retries = base, -1 })
		client.DialWith(nameless)
		if _, err := failure(t, client, llm.Unreachable); strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "/v1") {
			t.Errorf("the error shows the address: %v, want no %q in it and no %q in it", err, "hunter2", "/v1")
		}
	}
}

func TestAServerWithoutTLSIsUnreachableByHTTPS(t *testing.T) {
	server, _ := setup(t, nil)
	_, client := setup(t, func(c *llm.Config) { c.BaseURL = strings.Replace(server.URL(), "http", "https", 1) })
	if _, err := failure(t, client, llm.Unreachable); err.Retryable {
		t.Errorf("%v is said to be worth retrying, want Retryable false", err)
	}
}

func TestCodesThatMayBeSomethingElseAreNotShown(t *testing.T) {
	for _, code := range []string{"sk-abc123", "what Ada said", strings.Repeat("a", 65)} {
		server, client := setup(t, nil)
		server.Queue(slices.Repeat([]openaitest.Reply{complaint(400, code, "")}, 3)...)
		if _, err := failure(t, client, llm.BadRequest); err.Code != "" {
			t.Errorf("the code %q is shown, want none", err.Code)
		}
	}
}

// FuzzAnyResponseIsReadOrRefused asks a provider that responds with any status and
// bytes, as a stream or not. The result must be an error, or an answer in valid UTF-8
// that is no longer than the response. The pieces passed on must add up to the answer.
func FuzzAnyResponseIsReadOrRefused(f *testing.F) {
	const begin = `data: {"choices":[{"index":0,"delta":`
	for _, stream := range []string{
		begin + `{"role":"assistant","content":"Weft"}}]}` + "\n\n" + begin + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		begin + `{"content":"<think>a</think>Warp","reasoning_content":"b"},"logprobs":{"content":[{"token":"W","logprob":-1}]}}]}` + "\n\n",
		begin + `{"tool_calls":[{"index":0,"id":"1","function":{"name":"read","arguments":"{\"a\":"}},{"index":1000000000,"function":{"arguments":"1}"}}]}}]}` + "\n\ndata: [DONE]\n\n",
		begin + `{"tool_calls":[{"index":-1,"function":{"name":"x"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":-5,"completion_tokens":9e99}}` + "\n\n",
		`{"choices":[{"message":{"role":"assistant","content":"not streamed"},"finish_reason":"stop"}]}`,
		`data: {"error":{"message":"context_length_exceeded","code":400,"type":null}}` + "\n\n",
		begin + `{"content":"a</think>b"}}]}` + "\n\n",
		": ping\n\nevent: error\ndata: null\n\ndata: []\n\ndata: {\"choices\":null}\n\ndata: {\"choices\":[null]}\n\n",
		`{"error":{"message":"tools are not supported"}}`, "data:", "\xff\xfe", "",
	} {
		f.Add(uint16(0), true, []byte(stream))
		f.Add(uint16(http.StatusBadRequest-http.StatusOK), false, []byte(stream))
	}
	var status int
	var streams bool
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if streams {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(status)
		_, _ = w.Write(sent)
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, code uint16, stream bool, body []byte) {
		status, streams, sent = 200+int(code)%400, stream, body
		if status < 400 && status >= 300 {
			status = http.StatusOK // the client follows no redirects to elsewhere
		}
		client := errtest.Must(llm.New(llm.Config{BaseURL: server.URL, APIKey: "key", Model: "test-model", Backoff: time.Nanosecond, KeepTokens: true}))(t)
		defer client.Close()
		began := ""
		asked := question()
		asked.Again = func() { began = "" }
		answer, err := client.Stream(t.Context(), asked, func(piece string) { began += piece })
		if began != answer.Text || len(answer.Text) > 3*len(body) || len(answer.ToolCalls) > len(body) {
			t.Errorf("%d bytes gave %q, passed on as %q, and %d calls; %v; want the same text, and no more than was sent", len(body), answer.Text, began, len(answer.ToolCalls), err)
		}
		if err == nil && !utf8.ValidString(answer.Text) {
			t.Errorf("the answer is %q, want valid UTF-8", answer.Text)
		}
	})
}
