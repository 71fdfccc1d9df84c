package cli

import (
	"cmp"
	"fmt"

	"heddle/bot"
	"heddle/bot/limits"
	"heddle/config"
	"heddle/llm"
)

// models are what heddle asks.
type models struct {
	chat  *llm.Client
	embed *llm.Embedder // nil if none is configured
}

// newModels makes no connection yet.
func newModels(c config.Config, bounds *limits.Limits, watch *modelWatch) (models, error) {
	chat, err := llm.New(llm.Config{
		BaseURL: string(c.OpenAIBaseURL), APIKey: c.OpenAIAPIKey.Reveal(), Model: c.LLMModel,
		Meter: bounds, FirstByte: c.LLMTimeout, Idle: c.LLMTimeout, Patience: c.LLMPatience, Ended: watch.ended,
		KeepTokens: bool(c.KeepLogprobs),
	})
	if err != nil || c.EmbeddingModel == "" {
		return models{chat: chat}, err
	}
	// The key of one provider is never sent to another.
	base, key := embeddingURL(c), c.EmbeddingKey
	if key == "" && base == c.OpenAIBaseURL {
		key = c.OpenAIAPIKey
	}
	embed, err := llm.NewEmbedder(llm.EmbedConfig{BaseURL: string(base), APIKey: key.Reveal(), Model: c.EmbeddingModel, Meter: bounds})
	if err != nil {
		chat.Close()
		return models{}, fmt.Errorf("EMBEDDING_BASE_URL: %w", err)
	}
	return models{chat, embed}, nil
}

// into returns settings with what embeds.
func (m models) into(settings bot.Settings) bot.Settings {
	if m.embed != nil {
		settings.Answer.Embedder = m.embed
	}
	return settings
}

// Close closes idle connections.
func (m models) Close() {
	m.chat.Close()
	if m.embed != nil {
		m.embed.Close()
	}
}

// embeddingURL returns the address of the provider that embeds.
func embeddingURL(c config.Config) config.URL { return cmp.Or(c.EmbeddingURL, c.OpenAIBaseURL) }
