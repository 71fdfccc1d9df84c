package llm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

// TestCharactersThatAreSplitBetweenEventsAreJoined has a provider split 😀 and é, between
// the halves of a surrogate pair or between bytes, wherever text can stand.
func TestCharactersThatAreSplitBetweenEventsAreJoined(t *testing.T) {
	cuts := map[string][]string{
		"surrogate pairs":       {`a\ud83d`, `\ude00b`},
		"in upper case":         {`a\uD83D`, `\uDE00b`},
		"bytes":                 {"a\xf0", "\x9f\x98", "\x80b"},
		"an empty piece":        {`a\ud83d`, ``, `\ude00b`},
		"two pairs":             {`a\ud83d`, `\ude00\ud83d`, `\ude00b`},
		"beside another escape": {`a\n\ud83d`, `\ude00\t\u00e9\ud83d\ude00"b`},
	}
	wants := map[string]string{"two pairs": "a😀😀b", "beside another escape": "a\n😀\té😀\"b"}
	places := map[string]string{
		"text":      `"content":"%s"`,
		"a refusal": `"refusal":"%s"`,
		"a list":    `"content":[{"type":"text","text":"%s"}]`,
		"reasoning": `"reasoning_content":"%s"`,
		"thoughts":  `"content":[{"type":"thinking","thinking":[{"type":"text","text":"%s"}]}]`,
		"arguments": `"tool_calls":[{"index":0,"id":"c","function":{"name":"search","arguments":"%s"}}]`,
	}
	for where, place := range places {
		for name, pieces := range cuts {
			t.Run(where+", "+name, func(t *testing.T) {
				server, client := setup(t, nil)
				reply := openaitest.Answer("yes")
				reply.Chunks = nil
				for _, piece := range pieces {
					escaped := strings.ReplaceAll(piece, `"`, `\"`)
					reply.Chunks = append(reply.Chunks, openaitest.Chunk{Raw: openaitest.Event(`{"choices":[{"delta":{` + fmt.Sprintf(place, escaped) + `}}]}`)})
				}
				server.Queue(reply)
				var read strings.Builder
				answer, _ := client.Stream(t.Context(), question(), func(d llm.Delta) { read.WriteString(d.Text + d.Reasoning) })
				for _, call := range answer.ToolCalls {
					read.WriteString(call.Arguments)
				}
				want := wants[name]
				if want == "" {
					want = "a😀b"
				}
				if got := read.String(); got != want {
					t.Errorf("the answer is %q, want %q", got, want)
				}
			})
		}
	}
}

// TestHalfACharacterThatNothingFollowsIsReplaced has a provider send halves that belong to
// nothing, in the midst of an answer and at its end.
func TestHalfACharacterThatNothingFollowsIsReplaced(t *testing.T) {
	tests := []struct{ name, first, second, want string }{
		{"the first half", `a\ud83d`, `b`, "a\uFFFDb"},
		{"the second half", `a`, `\ude00b`, "a\uFFFDb"},
		{"at the end", `a`, `b\ud83d`, "ab\uFFFD"},
		{"a byte", "a\x9f", `b`, "a\uFFFDb"},
		{"the beginning of a character", "a\xf0\x9f", `b`, "a\uFFFDb"},
		{"in the wrong order", `a\ude00`, `\ud83db`, "a\uFFFD\uFFFDb"},
		{"before an escape", `a\ud83d`, `\u0041\\ud83d`, "a\uFFFDA\\ud83d"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client := setup(t, nil)
			reply := openaitest.Answer("yes")
			reply.Chunks = nil
			for _, piece := range []string{test.first, test.second} {
				reply.Chunks = append(reply.Chunks, openaitest.Chunk{Raw: openaitest.Event(`{"choices":[{"delta":{"content":"` + piece + `"}}]}`)})
			}
			server.Queue(reply)
			if answer := mustStream(t, client, question()); answer.Text != test.want {
				t.Errorf("the answer is %q, want %q", answer.Text, test.want)
			}
		})
	}
}

// TestTokensThatSplitACharacterKeepTheirBytes has a provider sample a character in two
// tokens without naming their bytes. Both count, and together they have its bytes.
func TestTokensThatSplitACharacterKeepTheirBytes(t *testing.T) {
	for name, halves := range map[string][2]string{"surrogates": {`\ud83d`, `\ude00`}, "bytes": {"\xf0\x9f", "\x98\x80"}} {
		t.Run(name, func(t *testing.T) {
			server, client := setup(t, func(c *llm.Config) { c.KeepTokens = true })
			reply := openaitest.Answer("yes")
			reply.Chunks = nil
			for _, half := range halves {
				reply.Chunks = append(reply.Chunks, openaitest.Chunk{Raw: openaitest.Event(
					`{"choices":[{"delta":{"content":"` + half + `"},"logprobs":{"content":[{"token":"` + half + `","logprob":-0.5}]}}]}`)})
			}
			server.Queue(reply)
			answer := mustStream(t, client, question())
			if len(answer.Tokens) != 2 || answer.Confidence == nil || answer.Confidence.Tokens != 2 {
				t.Fatalf("the answer has the tokens %+v and the confidence %+v, want two tokens that both count", answer.Tokens, answer.Confidence)
			}
			if got := bytes.Join([][]byte{answer.Tokens[0].Bytes, answer.Tokens[1].Bytes}, nil); string(got) != "😀" || answer.Tokens[0].Text != "\uFFFD" {
				t.Errorf("the tokens are %+v with the bytes %q, want the text %q and the bytes of %q", answer.Tokens, got, "\uFFFD", "😀")
			}
		})
	}
}
