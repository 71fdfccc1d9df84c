package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/sashabaranov/go-openai"

	"heddle/llm"
)

// FuzzEncodedAsGoOpenAIDoes holds our encoding to go-openai's: what was stored before
// must verify.
func FuzzEncodedAsGoOpenAIDoes(f *testing.F) {
	f.Add("hello", "model")
	f.Add("<b>&\u2028\xff\x00\"messages\":null", `"messages":null`)
	f.Add("", "")
	f.Fuzz(func(t *testing.T, text, name string) {
		call := openai.ToolCall{ID: text, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name, Arguments: text}}
		picture := &openai.ChatMessageImageURL{URL: text, Detail: openai.ImageURLDetailLow}
		messages := []openai.ChatCompletionMessage{
			{Role: "system", Content: text},
			{Role: "user", Content: name},
			{Role: "user", MultiContent: []openai.ChatMessagePart{{Type: "text", Text: text}, {Type: "image_url", ImageURL: picture}}},
			{Role: "assistant", Content: text, ToolCalls: []openai.ToolCall{call}},
			{Role: "tool", ToolCallID: text, Content: name},
		}
		tools := []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: name, Description: text, Parameters: json.RawMessage(`{ "type": "object" }`),
		}}}
		for _, chat := range []openai.ChatCompletionRequest{
			{Model: name},
			{Model: name, Messages: messages, Stream: true, LogProbs: true},
			{Model: name, Messages: messages[:2], Tools: tools, Stop: []string{text}, StreamOptions: &openai.StreamOptions{IncludeUsage: true}},
		} {
			want, err := json.Marshal(chat)
			if err != nil {
				t.Fatal(err)
			}
			got, err := llm.Encode(chat, nil)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s, %v\nwant %s", got, err, want)
			}
		}
	})
}
