package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"heddle/graph/path"
)

// Request is a request to a model.
type Request struct {
	Path path.Path
	// Model names one of the models that the Client offers; any other name is the Client's.
	Model string
	// Tail is one more message right before the last turn of the path, which is what the
	// model is asked, as rendered by path.Tail; "" for none.
	Tail string
	// Since are the model's tool calls in this answer and their results. They follow
	// the path, so that each request of an answer extends the one before byte for byte.
	Since []path.Turn
	// CacheKey is equal for requests with a common beginning, so that the provider's
	// cache can serve it. It reveals nothing else. "" sends none.
	CacheKey string
	// Beside holds the Answer.Beside of each turn of Since that calls tools, in order.
	Beside []*Beside
	// Again, which may be nil, is called between two pieces of an answer if the pieces so far
	// turn out to be the model's reasoning: those that follow are the answer.
	Again func()
	// Late, which may be nil, is called from another goroutine if no answer has begun
	// after Config.Patience, once for each attempt.
	Late func()
	// Image returns the address of a picture, normally a data URI, or "" for one that is
	// only named. If Image is nil, all are. A retry calls it again.
	Image func(path.Image) string
}

// The first lines of the tail and of a task, of a summary and, where it is rendered, of an earlier
// answer. No person's text can begin like them.
const (
	tailLabel      = "[heddle: added, not said by anyone]\n"
	summaryLabel   = "[heddle: summary of older messages, which are left out here]\n"
	assistantLabel = "[assistant: yourself]\n"
)

// composer builds a request.
type composer struct {
	sent

	image func(path.Image) string
	ids   callIDs           // of the calls so far
	given map[string]string // the ids of the last turn's calls, as they are sent
}

// chatRequest is a request as it is sent: go-openai's, with fields that it omits or does not have.
type chatRequest struct {
	openai.ChatCompletionRequest

	MaxTokens   int      `json:"max_tokens,omitempty"` // go-openai's is deprecated
	CacheKey    string   `json:"prompt_cache_key,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"` // go-openai omits 0
}

// compose returns a request without some features, and what it is made of.
func compose(model string, request Request, without []string) (chatRequest, sent) {
	c := composer{sent: sent{without: without, tools: request.Path.Tools}, image: request.Image, ids: callIDs{model: model}}
	c.messages = make([]openai.ChatCompletionMessage, 0, len(request.Path.Turns)+1+len(request.Since))
	for i, turn := range request.Path.Turns {
		if i == len(request.Path.Turns)-1 && request.Tail != "" {
			c.addText(openai.ChatMessageRoleUser, tailLabel+request.Tail)
		}
		c.add(turn)
	}
	for _, turn := range request.Since {
		c.add(turn)
	}
	c.keepPictures()
	if !c.wants(featureRoles) {
		c.messages = alternating(c.messages)
	}
	body := chatRequest{ChatCompletionRequest: openai.ChatCompletionRequest{Model: model, Messages: c.messages, Stream: c.wants(featureStream)}}
	if len(request.Path.Tools) > 0 && c.wants(FeatureTools) {
		body.Tools = c.wireTools(request.Path.Tools)
	}
	c.setOptions(&body, request.Path.Options)
	if request.CacheKey != "" && c.wants(featureCacheKey) {
		body.CacheKey = request.CacheKey
	}
	return body, c.sent
}

// keepPictures keeps only the newest picture if the model takes no more than one
// (vllm#23402).
func (c *composer) keepPictures() {
	var shown []*openai.ChatMessagePart
	for i := range c.messages {
		for j := range c.messages[i].MultiContent {
			if part := &c.messages[i].MultiContent[j]; part.ImageURL != nil {
				shown = append(shown, part)
			}
		}
	}
	if len(shown) < 2 || c.wants(FeatureOneImage) {
		return
	}
	for _, part := range shown[:len(shown)-1] {
		*part = openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: "[image: not shown]"}
	}
}

// wireTools returns the tools that the provider takes.
func (c *composer) wireTools(tools []path.Tool) []openai.Tool {
	var wire []openai.Tool
	for _, tool := range tools {
		if !c.wants(featureTool + tool.Name) {
			continue
		}
		wire = append(wire, openai.Tool{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name: tool.Name, Description: tool.Description, Parameters: json.RawMessage(tool.Schema),
			},
		})
	}
	return wire
}

// setOptions sets the options of a request.
func (c *composer) setOptions(body *chatRequest, options path.Options) {
	if body.Stream && c.wants(featureUsage) {
		body.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	body.LogProbs = c.wants(featureLogprobs)
	if len(options.Stop) > 0 && c.wants(featureStop) {
		body.Stop = options.Stop
	}
	if options.MaxTokens > 0 {
		if c.wants(featureMaxTokens) {
			body.MaxTokens = options.MaxTokens
		} else if c.wants(featureMaxCompletionTokens) {
			body.MaxCompletionTokens = options.MaxTokens
		}
	}
	if options.Temperature != nil && c.wants(featureTemperature) {
		body.Temperature = options.Temperature
	}
}

func (c *composer) add(turn path.Turn) {
	switch turn.Role {
	case path.RoleSystem:
		c.addText(openai.ChatMessageRoleSystem, plainParts(turn.Parts))
	case path.RoleUser:
		c.addUser(turn)
	case path.RoleAssistant:
		c.addAssistant(turn)
	case path.RoleTool:
		c.addResults(turn)
	case path.RoleSummary, path.RoleTask:
		c.addText(openai.ChatMessageRoleUser, Render(turn))
	}
}

func (c *composer) addText(role, text string) {
	c.messages = append(c.messages, openai.ChatCompletionMessage{Role: role, Content: text})
}

// plainParts returns the text of a turn that no person wrote, unquoted.
func plainParts(parts []path.Part) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if text, ok := part.(path.Text); ok {
			b.WriteString(strings.ToValidUTF8(string(text), "\uFFFD"))
			continue
		}
		writePart(&b, part)
	}
	return b.String()
}

// addUser adds a person's turn, as one text or, with pictures, in pieces.
func (c *composer) addUser(turn path.Turn) {
	var pieces []openai.ChatMessagePart
	var b strings.Builder
	writeLabel(&b, "speaker", turn.Speaker)
	for _, part := range turn.Parts {
		b.WriteByte('\n')
		if image, ok := part.(path.Image); ok {
			if address := c.show(image); address != "" {
				shown := openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: address}}
				pieces = append(appendText(pieces, &b), shown)
				continue
			}
		}
		writePart(&b, part)
	}
	if len(turn.Parts) == 0 {
		b.WriteByte('\n')
	}
	if pieces == nil {
		c.addText(openai.ChatMessageRoleUser, b.String())
		return
	}
	c.messages = append(c.messages, openai.ChatCompletionMessage{
		Role: openai.ChatMessageRoleUser, MultiContent: appendText(pieces, &b),
	})
}

// show returns a picture's address, or "" if the picture can only be named.
func (c *composer) show(image path.Image) string {
	if c.image == nil || !c.wants(FeatureImages) {
		return ""
	}
	return c.image(image)
}

// appendText adds the text in b as a piece and resets b. It skips white space, which
// some servers refuse.
func appendText(pieces []openai.ChatMessagePart, b *strings.Builder) []openai.ChatMessagePart {
	text := b.String()
	b.Reset()
	if strings.TrimSpace(text) == "" {
		return pieces
	}
	return append(pieces, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text})
}

// addAssistant adds a turn of the model's own: its text and its calls of tools. Where
// tools are dropped, the calls become text.
func (c *composer) addAssistant(turn path.Turn) {
	message := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant}
	var said []path.Part
	c.given = map[string]string{}
	for _, part := range turn.Parts {
		call, ok := part.(path.ToolCall)
		if !ok || slices.Contains(c.without, FeatureTools) {
			said = append(said, part)
			continue
		}
		c.given[call.ID] = c.idOf(call)
		message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
			ID: c.given[call.ID], Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
		})
	}
	message.Content = plainParts(said)
	if message.Content == "" && message.ToolCalls == nil {
		return // some servers refuse a message without content
	}
	c.messages = append(c.messages, message)
}

// idOf returns the id under which a call is sent.
func (c *composer) idOf(call path.ToolCall) string {
	if call.Model != "" && call.Model != c.ids.model {
		return c.ids.another(call)
	}
	return c.ids.own(call)
}

// addResults adds the results of tools, each under the id of its call or, for a model
// without tools, as text.
func (c *composer) addResults(turn path.Turn) {
	for _, part := range turn.Parts {
		result, ok := part.(path.ToolResult)
		switch {
		case !ok:
			c.addText(openai.ChatMessageRoleUser, plainParts([]path.Part{part}))
		case slices.Contains(c.without, FeatureTools):
			c.addText(openai.ChatMessageRoleUser, plainParts(turn.Parts))
			return
		default:
			var b strings.Builder
			writeParts(&b, result.Parts)
			if b.Len() == 0 {
				writeLabel(&b, "tool", result.Name+", no output")
			}
			c.messages = append(c.messages, openai.ChatCompletionMessage{
				Role: openai.ChatMessageRoleTool, ToolCallID: cmp.Or(c.given[result.ID], result.ID), Content: b.String(),
			})
		}
	}
}

// Rebuild returns the body of a request that was sent before, byte for byte. without is
// its Answer.Without. A later version of heddle may render turns differently, so
// callers must compare the RequestHash.
func Rebuild(model string, request Request, without []string) ([]byte, error) {
	chat, _ := compose(model, request, without)
	body, err := json.Marshal(chat)
	if err != nil {
		return nil, fmt.Errorf("rebuild a request: %w", err)
	}
	return body, nil
}
