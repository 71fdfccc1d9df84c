package cli

import (
	"fmt"
	"net/url"

	"heddle/bot"
	"heddle/bot/alternatives"
	"heddle/bot/answer"
	discordcommands "heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/dispatch"
	"heddle/bot/limits"
	"heddle/bot/operating"
	"heddle/bot/tools"
	"heddle/config"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/graph/path"
	"heddle/llm"
)

// sight returns what is known about whether the model understands pictures.
func sight(c config.Config) llm.Vision {
	switch c.Vision {
	case config.VisionOn:
		return llm.VisionYes
	case config.VisionOff:
		return llm.VisionNo
	case config.VisionAuto:
	}
	return llm.VisionOf(c.LLMModel)
}

// edits returns what the bot does when a question is edited.
func edits(choice config.EditAnswer) alternatives.EditPolicy {
	switch choice {
	case config.EditAnswerOn:
		return alternatives.EditsAnswered
	case config.EditAnswerOffer:
		return alternatives.EditsOffered
	case config.EditAnswerOff:
	}
	return alternatives.EditsIgnored
}

// buttons returns which buttons stand below answers.
func buttons(choice config.Buttons) alternatives.ButtonPolicy {
	switch choice {
	case config.ButtonsAlternatives:
		return alternatives.ButtonsAlternatives
	case config.ButtonsOff:
		return alternatives.ButtonsOff
	case config.ButtonsOn:
	}
	return alternatives.ButtonsOn
}

// confidence is how the confidence of answers is compared.
func confidence(c config.Confidence) answer.Confidence {
	switch c {
	case config.ConfidenceRaw:
		return answer.ConfidenceRaw
	case config.ConfidenceRank:
		return answer.ConfidenceRank
	case config.ConfidenceCalibrated:
	}
	return answer.ConfidenceCalibrated
}

// settings returns the settings of the bot.
func settings(c config.Config, p Process, counter *llm.Counter, count llm.CountFunc) (bot.Settings, error) {
	expand, err := expansion(c)
	if err != nil {
		return bot.Settings{}, err
	}
	curves, err := p.readCurves(c.Calibration)
	if err != nil {
		return bot.Settings{}, misuseError{fmt.Errorf("CALIBRATION %w", err)}
	}
	judge, _ := expand.Affinity.(conversation.Judge)
	return bot.Settings{
		Conversation: conversation.Settings{
			Expand:    expand,
			Ahead:     judge,
			System:    c.SystemPrompt,
			Options:   path.Options{Temperature: c.Temperature, MaxTokens: c.MaxTokens},
			Vision:    sight(c),
			Budget:    c.TokenBudget,
			Count:     count,
			AtMost:    counter.AtMost,
			Estimated: !counter.Exact(),
			Summaries: bool(c.Summaries),
			Recall:    c.RecallShare,
			Retention: path.Retention{
				Base: c.RetainBase, Recent: c.RetainRecent, Always: c.RetainAlways, Spaced: c.RetainSpaced,
				Every: path.DefaultRetention().Every, Step: path.DefaultRetention().Step,
			},
			ArtifactWindow: c.ArtifactWindow,
		},
		Answer: answer.Settings{
			ReuseFor: c.ReuseTTL, Confidence: confidence(c.Confidence), Assess: bool(c.AskConfidence), Calibrated: curves.At,
		},
		Alternatives: alternatives.Settings{Edits: edits(c.EditAnswer), EditWindow: c.EditWindow, Buttons: buttons(c.Buttons)},
		Gate:         admission(&c),
		Dispatch:     dispatch.Settings{CatchUp: c.CatchUp},
		Commands:     told(c),
		Overrides:    overriding(c),
		Operating:    operating.Settings{Version: p.Build.described().Version, Model: c.LLMModel, Priced: c.LLMPrices != ""},
		Tools:        tools.Limits{Rounds: c.ToolRounds},
		Lease:        c.ClaimLease,
		Several:      c.Processes > 1,
		Grace:        c.ShutdownGrace,
		Flush:        c.ShutdownFlush,
	}, nil
}

// priced returns what tokens of models cost. A price without a model's name is that of
// answers, and not of vectors.
func priced(c config.Config) limits.Price {
	prices := c.LLMPrices
	return func(model string, u llm.Usage) (float64, bool) {
		if model == c.EmbeddingModel && !prices.Names(model) {
			return 0, false
		}
		return prices.Of(model, float64(u.Prompt-u.Cached), float64(u.Cached), float64(u.Completion)), prices.Known(model)
	}
}

// host returns the host of an address, which the configuration has checked.
func host(address config.URL) string {
	parsed, err := url.Parse(string(address))
	if err != nil {
		return string(address)
	}
	return parsed.Host
}

// told returns what commands tell of how heddle is run.
func told(c config.Config) discordcommands.Settings {
	settings := discordcommands.Settings{
		Chat: discordcommands.Model{Provider: host(c.OpenAIBaseURL), Name: c.LLMModel}, Keep: c.CacheTTL, Contact: string(c.Contact), Operators: operators(c.Operators),
	}
	for _, p := range c.Fallbacks() {
		settings.Fallbacks = append(settings.Fallbacks, discordcommands.Model{Provider: host(p.BaseURL), Name: p.Model})
	}
	if c.EmbeddingModel != "" {
		settings.Embedding = discordcommands.Model{Provider: host(embeddingURL(c)), Name: c.EmbeddingModel}
	}
	return settings
}

// expansion returns the options for choosing conversations.
func expansion(c config.Config) (graph.Options, error) {
	o := graph.Options{MinLinear: c.MinLinear, MaxTotal: c.MaxTotal, TimeThreshold: graph.AutoThreshold, Foreseen: graph.NewForeseen(), Scratch: graph.NewScratch()}
	if !c.TimeThreshold.Auto {
		o.TimeThreshold = c.TimeThreshold.Gap
	}
	if c.Affinity {
		model, err := affinity.Default()
		if err != nil {
			return graph.Options{}, fmt.Errorf("read the weights of the link model: %w", err)
		}
		o.Affinity = model
	}
	return o, nil
}
