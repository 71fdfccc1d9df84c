package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
	"heddle/llm"
)

// FuzzEncodedAsGoOpenAIDoes compares our encoding with go-openai's, as requests that were
// stored before must still verify.
func FuzzEncodedAsGoOpenAIDoes(f *testing.F) {
	f.Add("hello", "model")
	f.Add("<b>&\u2028\xff\x00\"messages\":null", `"messages":null`)
	f.Add("", "")
	f.Add("[speaker: Ada]\n\"quoted\" \\ and\tmore", "\u7e54\u6a5f \u00df \U0001f9f6\x7f")
	for _, escaped := range []string{"<", ">", "&", "\u2028", "\u2029", "\xff", "\ufffd", "\x00", "\r"} {
		f.Add("a text with\n"+escaped+" in it", escaped)
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		call := openai.ToolCall{ID: text, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name, Arguments: text}}
		picture := &openai.ChatMessageImageURL{URL: text, Detail: openai.ImageURLDetailLow}
		messages := []openai.ChatCompletionMessage{
			{Role: "system", Content: text},
			{Role: "user", Content: name},
			{Role: "user"},
			{Role: "user", Content: text, Name: name},
			{Role: "assistant", Content: text, Refusal: name},
			{Role: "assistant", Content: text, ReasoningContent: name},
			{Role: "assistant", Content: text, FunctionCall: &call.Function},
			{Role: "user", MultiContent: []openai.ChatMessagePart{{Type: "text", Text: text}, {Type: "image_url", ImageURL: picture}}},
			{Role: "assistant", Content: text, ToolCalls: []openai.ToolCall{call}},
			{Role: "tool", ToolCallID: text, Content: name},
		}
		tools := []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: name, Description: text, Parameters: json.RawMessage(`{ "type": "object" }`),
		}}}
		other := []openai.Tool{tools[0], tools[0]}
		tool := path.Tool{Name: name, Description: text, Schema: `{ "type": "object" }`}
		listed, otherListed := []path.Tool{tool}, []path.Tool{tool, tool}
		seed := len(text)
		encode := llm.NewEncoder()
		for _, request := range []struct {
			tools []path.Tool
			chat  openai.ChatCompletionRequest
		}{
			{nil, openai.ChatCompletionRequest{Model: name}},
			{nil, openai.ChatCompletionRequest{Model: name, Messages: messages, Stream: true, LogProbs: true}},
			{nil, openai.ChatCompletionRequest{Model: name, Messages: messages[:1], Stream: true, LogProbs: true}},
			{listed, openai.ChatCompletionRequest{Model: name, Messages: messages[:2], Tools: tools, Stop: []string{text}, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}},
			{listed, openai.ChatCompletionRequest{Model: name, Messages: messages[1:], Tools: tools, Stop: []string{text}, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}},
			{listed, openai.ChatCompletionRequest{Model: name, Messages: messages[1:], Tools: tools, Stop: []string{name}, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}},
			{listed, openai.ChatCompletionRequest{Model: name, Messages: messages, Tools: tools, Seed: &seed}},
			{otherListed, openai.ChatCompletionRequest{Model: name, Messages: messages, Tools: other, Seed: &seed}},
			{nil, openai.ChatCompletionRequest{Model: name, Messages: messages, Seed: &seed}}, // the provider rejects tools
			{nil, openai.ChatCompletionRequest{Model: text, Messages: messages, Seed: &seed}},
		} {
			chat := request.chat
			want, err := json.Marshal(chat)
			if err != nil {
				t.Fatal(err)
			}
			chat.Tools = nil
			got, err := encode(chat, request.tools, nil)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s, %v\nwant %s", got, err, want)
			}
		}
	})
}
