package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"time"

	"heddle/config"
	"heddle/graph/path"
	"heddle/llm"
)

// realQuestion returns a request with everything that a question in a channel may have: a
// system prompt, two people, a tool and what is shown. A provider that takes only plainer
// requests refuses it.
func realQuestion(task string, shown ...path.Part) llm.Request {
	const tokens = 1000 // of the answer, with what the model reasons
	second := path.Turn{Role: path.RoleUser, Speaker: "Ben", Parts: append([]path.Part{path.Text(task)}, shown...)}
	return llm.Request{
		Path: path.Path{
			Turns: []path.Turn{
				{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System("You are being tested. Do exactly what the last message asks."))}},
				{Role: path.RoleUser, Speaker: "Ann", Parts: []path.Part{path.Text("Does it work?")}},
				second,
			},
			Tools: []path.Tool{{
				Name: "note", Description: "Notes a word.",
				Schema: `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`,
			}},
			Options: path.Options{MaxTokens: tokens},
		},
		Tail: "Ann and Ben test.", CacheKey: "heddle",
		Image: func(path.Image) string { return testPicture() },
	}
}

// pictures returns a picture for a model that is shown pictures.
func pictures(c *config.Config) []path.Part {
	if !sees(*c) {
		return nil
	}
	return []path.Part{path.Image{Type: "image/png"}}
}

// testPicture returns a small picture as a data URI. Some models refuse sides below 28 pixels.
func testPicture() string {
	const side = 64
	picture := image.NewGray(image.Rect(0, 0, side, side))
	for i := range side {
		picture.SetGray(i, i, color.Gray{Y: 255})
	}
	var encoded bytes.Buffer
	_ = png.Encode(&encoded, picture) // into memory
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(encoded.Bytes())
}

// probe asks the model a real question for /readyz/model, unless it answered lately.
type probe struct {
	config config.Config
	watch  *modelWatch
	turn   chan struct{} // holds one value while somebody asks, who alone uses the rest

	when time.Time // of the newest answer or failure
	said string
	err  error
}

// How long the end of a request to the model stands for the next one.
const (
	answeredFor = 5 * time.Minute
	failedFor   = 30 * time.Second
)

// check reports what requests to the model have to do without, or returns an error if it does
// not answer. An answer to a person within the last five minutes is enough.
func (p *probe) check(ctx context.Context, model *llm.Client) (said string, err error) {
	if p.watch.answered(time.Now().Add(-answeredFor)) {
		return lacking(model.Rejected()), nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return "", fmt.Errorf("%w: it is being asked", errModelAway)
	}
	if age := time.Since(p.when); p.err == nil && age >= answeredFor || p.err != nil && age >= failedFor {
		p.said, p.err = p.ask(ctx)
		p.when = time.Now()
	}
	return p.said, p.err
}

// ask asks the model.
func (p *probe) ask(ctx context.Context) (string, error) {
	c := p.config
	client, err := llm.New(llm.Config{BaseURL: string(c.OpenAIBaseURL), APIKey: c.OpenAIAPIKey.Reveal(), Model: c.LLMModel, Retries: once})
	if err != nil {
		return "", fmt.Errorf("%w: %w", errModelAway, err)
	}
	defer client.Close()
	answer, err := client.Stream(ctx, realQuestion("Answer with the word yes.", pictures(&c)...), nil)
	if kind := llm.KindOf(err); kind != 0 && kind != llm.Empty {
		return "", fmt.Errorf("%w: %s", errModelAway, kind)
	}
	return lacking(answer.Dropped), nil
}

var errModelAway = errors.New("the model does not answer")

// lacking returns what requests have to do without, or "".
func lacking(features []string) string {
	if len(features) == 0 {
		return ""
	}
	return "without " + strings.Join(inWords(features), ", ")
}

// inWords returns the features of requests as people call them.
func inWords(features []string) []string {
	words := map[string]string{
		"roles": "several messages of one role in a row and a system role", "stream": "streaming", "images but one": "more than one picture",
		"images": "pictures", "stream_options": "token counts of streams", "logprobs": "log-probabilities", "prompt_cache_key": "a cache key",
		"stop": "stop sequences", "max_tokens": "max_tokens", "max_completion_tokens": "a limit of the answer",
	}
	var all []string
	for _, feature := range features {
		if word, ok := words[feature]; ok {
			feature = word
		}
		all = append(all, strings.Replace(feature, "tool:", "the tool ", 1))
	}
	return slices.Compact(all)
}
