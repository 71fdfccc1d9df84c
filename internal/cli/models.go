package cli

import (
	"fmt"
	"log/slog"

	"heddle/bot/conversation"
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

// assist sets for conversations the models that are configured beside the one that answers:
// what embeds, and what reads. end closes their idle connections.
func assist(chosen *conversation.Settings, c config.Config, bounds *limits.Limits, watch *modelWatch) (end func(), err error) {
	if chosen.Embedder, err = newEmbedder(c, bounds); err != nil {
		return nil, err
	}
	if c.Reader != "off" {
		chosen.Reader, err = llm.New(llm.Config{
			BaseURL: string(c.OpenAIBaseURL), APIKey: c.OpenAIAPIKey.Reveal(), Model: c.Reader, Retries: -1, // nobody waits for another try
			Meter: bounds, Ended: func(u llm.Usage, kind llm.Kind) { watch.ended(c.Reader, u, kind) },
		})
		if err != nil {
			return nil, fmt.Errorf("READER: %w", err)
		}
	}
	return func() {
		if chosen.Embedder != nil {
			chosen.Embedder.Close()
		}
		if chosen.Reader != nil {
			chosen.Reader.Close()
		}
	}, nil
}

// newEmbedder returns what embeds, or nil if nothing is configured.
func newEmbedder(c config.Config, bounds *limits.Limits) (*llm.Embedder, error) {
	if c.Embedding.Model == "" {
		return nil, nil //nolint:nilnil // none is asked for
	}
	p := embedding(c)
	embed, err := llm.NewEmbedder(llm.EmbedConfig{BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, Meter: bounds})
	if err != nil {
		return nil, fmt.Errorf("EMBEDDING_MODEL: %w", err)
	}
	return embed, nil
}

// embedding returns the provider that embeds. The key of one provider is never sent to
// another.
func embedding(c config.Config) config.Provider {
	p := c.Embedding
	if p.BaseURL == "" {
		p.BaseURL = c.OpenAIBaseURL
	}
	if p.Key == "" && p.BaseURL == c.OpenAIBaseURL {
		p.Key = c.OpenAIAPIKey
	}
	return p
}
