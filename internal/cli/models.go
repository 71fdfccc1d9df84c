package cli

import (
	"fmt"
	"log/slog"
	"time"

	"heddle/bot/limits"
	"heddle/config"
	"heddle/llm"
)

// once is the number of retries of a model after which another is asked sooner, or for which
// nobody waits: none.
const once = -1

// retriesBefore returns the number of retries of a model before so many others are asked.
func retriesBefore(others int) int {
	if others > 0 {
		return once
	}
	return 0 // as many as usual
}

// newModels returns the model, with those to ask if it fails and those that admins may choose,
// and the model that reads what questions need, or nil if READER is off.
func newModels(c *config.Config, patience time.Duration, bounds *limits.Limits, counter *llm.Counter, watch *modelWatch, log *slog.Logger) (model, reader *llm.Client, err error) {
	client := func(p config.Provider, retries int) (*llm.Client, error) {
		made, err := llm.New(llm.Config{
			BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, Retries: retries,
			Meter: bounds, Timeout: c.LLMTimeout, Patience: patience, Ended: func(u llm.Usage, kind llm.Kind) { watch.ended(p.Model, u, kind) },
			KeepTokens: len(c.ExportConsent) > 0, Count: counter.Sent,
			Refused: func(model string, features []string) {
				log.Warn("a provider refuses a part of requests, which are sent without it for an hour", "model", model, "refused", features)
			},
			Cut: func(model string, sent, read int) {
				log.Warn("a model's server cuts prompts: give the model a larger window (OLLAMA_CONTEXT_LENGTH for Ollama), or lower TOKEN_BUDGET", "model", model, "sent_tokens", sent, "read_tokens", read)
			},
			Failed: func(model string, kind llm.Kind, next string) {
				log.Warn("a model failed, the next is asked", "model", model, "failure", kind.String(), "next", next)
			},
		})
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", p.Model, err)
		}
		return made, nil
	}
	main := config.Provider{Model: c.LLMModel, BaseURL: c.OpenAIBaseURL, Key: c.OpenAIAPIKey}
	if model, err = client(main, retriesBefore(len(c.Fallbacks))); err != nil {
		return nil, nil, err
	}
	for i, p := range c.Fallbacks {
		next, err := client(p, retriesBefore(len(c.Fallbacks)-1-i))
		if err != nil {
			return nil, nil, err
		}
		model.FallBackOn(next)
	}
	for _, name := range c.Models {
		main.Model = name
		offered, err := client(main, retriesBefore(len(c.Fallbacks)))
		if err != nil {
			return nil, nil, err
		}
		model.Offer(offered)
	}
	if c.Reader != "off" {
		main.Model = c.Reader
		reader, err = client(main, once)
	}
	return model, reader, err
}

// newTranscriber returns who hears voice messages, or nil if TRANSCRIBE is off.
func newTranscriber(c *config.Config, meter llm.Meter) (*llm.Transcriber, error) {
	p := c.Transcribe
	if p.Model == "" {
		return nil, nil //nolint:nilnil // nobody does
	}
	made, err := llm.NewTranscriber(llm.Config{BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, Meter: meter, Timeout: c.LLMTimeout})
	if err != nil {
		return nil, fmt.Errorf("TRANSCRIBE: %w", err)
	}
	return made, nil
}
