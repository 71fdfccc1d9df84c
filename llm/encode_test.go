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
		tool := path.Tool{Name: name, Description: text, Schema: `{ "type": "object" }`}
		listed, otherListed := []path.Tool{tool}, []path.Tool{tool, tool}
		seed, most := len(text), path.Options{MaxTokens: 5}
		seeded, stopped, stoppedElse := path.Options{Seed: &seed}, path.Options{Stop: []string{text}}, path.Options{Stop: []string{name}}
		encode := llm.NewEncoder()
		for _, request := range []struct {
			model    string
			made     path.Path
			without  []string
			messages []openai.ChatCompletionMessage
		}{
			{name, path.Path{}, nil, nil},
			{name, path.Path{}, nil, messages},
			{name, path.Path{}, []string{"logprobs"}, messages[:1]},
			{name, path.Path{}, []string{"stream_options"}, messages[:1]},
			{name, path.Path{Tools: listed, Options: stopped}, nil, messages[:2]},
			{name, path.Path{Tools: listed, Options: stopped}, nil, messages[1:]},
			{name, path.Path{Tools: listed, Options: stoppedElse}, nil, messages[1:]},
			{name, path.Path{Tools: listed, Options: most}, []string{"max_tokens"}, messages[1:]},
			{name, path.Path{Tools: listed, Options: seeded}, nil, messages},
			{name, path.Path{Tools: otherListed, Options: seeded}, nil, messages},
			{name, path.Path{Tools: otherListed, Options: seeded}, []string{"tools"}, messages},
			{text, path.Path{Tools: otherListed, Options: seeded}, []string{"tools"}, messages},
		} {
			got, chat, err := encode(request.model, request.made, request.without, request.messages)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(chat)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s, %v\nwant %s", got, err, want)
			}
		}
	})
}
