package llm_test

import (
	"bytes"
	"testing"

	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestARequestIsMadeAgainByteForByte(t *testing.T) {
	t.Parallel()
	plain := question()
	plain.Tail = "Today is <Monday> & nothing is \u2028 left."
	for name, test := range map[string]struct {
		request llm.Request
		model   string
		reject  []string
	}{
		"plainly":                           {plain, "test-model", nil},
		"with all that there is":            {everything(), "test-model", nil},
		"of a reasoning model":              {everything(), "o3-mini", nil},
		"without what the provider rejects": {everything(), "test-model", []string{"logprobs", "temperature", "max_tokens", "stop", "tools"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reject := map[string]openaitest.Reply{}
			for _, field := range test.reject {
				reject[field] = openaitest.Reject(field)
			}
			server, client := picky(t, test.model, reject)
			answer := mustStream(t, client, test.request)
			requests := server.Requests()
			sent := requests[len(requests)-1].Body
			again, err := llm.Rebuild(t.Context(), test.model, test.request, answer.Without)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, sent) || path.RequestHash(again) != answer.RequestHash {
				t.Errorf("made again the request is\n%s, want what was sent\n%s", again, sent)
			}
		})
	}
}
