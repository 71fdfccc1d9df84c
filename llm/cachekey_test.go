package llm_test

import (
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

// TestACacheKeyThatIsRejectedIsLeftOutFromThenOn lets a provider reject the field with
// known error texts, and without a text.
func TestACacheKeyThatIsRejectedIsLeftOutFromThenOn(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]openaitest.Reply{
		"OpenAI": openaitest.Reject("prompt_cache_key"),
		"Groq":   {Status: 400, Body: `{"error":{"message":"property 'prompt_cache_key' is unsupported","type":"invalid_request_error"}}`},
		"Cerebras": {Status: 422, Body: `{"message":"body.prompt_cache_key: property 'body.prompt_cache_key' is unsupported",` +
			`"type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}`},
		"Gemini": {Status: 400, Body: `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"prompt_cache_key\": Cannot find field.",` +
			`"status":"INVALID_ARGUMENT"}}]`},
		"Mistral": {Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","prompt_cache_key"],"msg":"Extra inputs are not permitted"}]}`},
		"no word": {Status: 400, Body: `{"error":{"message":"bad request"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := picky(t, "test-model", map[string]openaitest.Reply{"prompt_cache_key": reply})
			request := question()
			request.CacheKey = "abc"
			for range 2 {
				if answer := mustStream(t, client, request); len(answer.Dropped) != 0 {
					t.Errorf("left out %q, want none", answer.Dropped)
				}
			}
			if n := len(server.Requests()); n != 3 {
				t.Errorf("%d requests, want one rejected and two answered", n)
			}
		})
	}
}

// TestARefusalIsNotTakenForTheCacheKeys checks that a refused request is not repeated
// once a request with a key was accepted.
func TestARefusalIsNotTakenForTheCacheKeys(t *testing.T) {
	t.Parallel()
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("yes"), openaitest.Reply{Status: 400, Body: `{"error":{"message":"bad request"}}`})
	request := question()
	request.CacheKey = "abc"
	mustStream(t, client, request)
	if _, err := stream(t.Context(), t, client, request); llm.KindOf(err) != llm.BadRequest {
		t.Errorf("the error is %v, want %v", err, llm.BadRequest)
	}
	if got := string(lastRequest(t, server).Chat.Fields["prompt_cache_key"]); got != `"abc"` || len(server.Requests()) != 2 {
		t.Errorf("the last of %d requests had the key %s, want 2 and %q", len(server.Requests()), got, `"abc"`)
	}
}
