package cli

import (
	"fmt"
	"log/slog"

	"heddle/bot/limits"
	"heddle/config"
	"heddle/llm"
)

// newChain returns the model, those to ask if it fails, and those that admins may choose.
func newChain(c *config.Config, bounds *limits.Limits, watch *modelWatch, log *slog.Logger) (*llm.Chain, error) {
	fallbacks := c.Fallbacks
	client := func(p config.Provider, alone bool) (*llm.Client, error) {
		set := llm.Config{
			BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model,
			Meter: bounds, Timeout: c.LLMTimeout, Patience: c.LLMPatience, Ended: func(u llm.Usage, kind llm.Kind) { watch.ended(p.Model, u, kind) },
			KeepTokens: len(c.ExportConsent) > 0,
		}
		if !alone {
			set.Retries = -1 // another provider is asked sooner
		}
		return llm.New(set)
	}
	main := config.Provider{Model: c.LLMModel, BaseURL: c.OpenAIBaseURL, Key: c.OpenAIAPIKey}
	first, err := client(main, len(fallbacks) == 0)
	if err != nil {
		return nil, err
	}
	next := make([]*llm.Client, len(fallbacks))
	for i, p := range fallbacks {
		if next[i], err = client(p, i == len(fallbacks)-1); err != nil {
			return nil, fmt.Errorf("LLM_FALLBACKS: %w", err)
		}
	}
	chain := llm.NewChain(first, next, func(model string, kind llm.Kind, next string) {
		log.Warn("a model failed, the next is asked", "model", model, "failure", kind.String(), "next", next)
	})
	for _, name := range c.Models {
		main.Model = name
		offered, err := client(main, len(fallbacks) == 0)
		if err != nil {
			return nil, fmt.Errorf("MODELS: %w", err)
		}
		chain.Offer(offered)
	}
	return chain, nil
}

// newReader returns the model that reads what questions need, or nil if READER is off.
func newReader(c *config.Config, bounds *limits.Limits, watch *modelWatch) (*llm.Client, error) {
	if c.Reader == "off" {
		return nil, nil //nolint:nilnil // nobody reads
	}
	reader, err := llm.New(llm.Config{
		BaseURL: string(c.OpenAIBaseURL), APIKey: c.OpenAIAPIKey.Reveal(), Model: c.Reader, Retries: -1, // nobody waits for another try
		Meter: bounds, Ended: func(u llm.Usage, kind llm.Kind) { watch.ended(c.Reader, u, kind) },
	})
	if err != nil {
		return nil, fmt.Errorf("READER: %w", err)
	}
	return reader, nil
}
