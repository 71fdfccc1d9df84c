package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"heddle/bot"
	"heddle/bot/answer"
	discordcommands "heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/questions"
	"heddle/bot/tools"
	"heddle/config"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/graph/path"
	"heddle/llm"
)

const (
	// recalled is the percentage of TOKEN_BUDGET for older messages that come back because a
	// question shares rare words with them. All else of the budget is for the conversation.
	recalled = 6
	// artifactWindow is how long after an answer without a record a file counts as made by
	// it: Discord shows a file within seconds of its message.
	artifactWindow = 5 * time.Second
	// reusable is how long an answer may be given again. The model is told the day, so that
	// no answer is given on another one anyway.
	reusable = 24 * time.Hour
	// editable is how soon after a question its edit is answered: a slip is mended at once,
	// and a later edit may be about something else.
	editable = 2 * time.Minute
)

// sees reports whether the model is shown pictures.
func sees(c config.Config) bool {
	return c.Vision == "on" || c.Vision == "auto" && llm.Sees(c.LLMModel)
}

// settings returns the settings of the bot.
func settings(c config.Config, p Process, count llm.CountFunc) (bot.Settings, error) {
	expand, err := expansion(c)
	if err != nil {
		return bot.Settings{}, err
	}
	timings, retention := p.Timings.usually(c.LLMTimeout), path.DefaultRetention()
	retention.Base = c.RetainBase // how much a model takes well differs; the rest follows from measurements
	asks := admission(&c)
	return bot.Settings{
		Conversation: conversation.Settings{
			Expand:         expand,
			System:         c.SystemPrompt,
			Options:        path.Options{Temperature: c.Temperature, MaxTokens: c.MaxTokens},
			Zone:           c.Zone.Location,
			Vision:         sees(c),
			Budget:         c.TokenBudget,
			Count:          count,
			Summaries:      bool(c.Summaries),
			Recall:         recalled,
			Retention:      retention,
			ArtifactWindow: artifactWindow,
		},
		Answer: answer.Settings{
			ReuseFor: reusable, Confidence: answer.Confidence(c.Confidence), Edits: asks.Questions.Edits, Record: timings.Record,
		},
		Gate:      asks,
		Questions: questions.Settings{CatchUp: c.CatchUp},
		Commands:  told(c, p),
		Overrides: overriding(c),
		Lease:     timings.Lease,
		Several:   c.Shards == "leased",
		Grace:     timings.Grace,
		Deaf:      timings.Deaf,
	}, nil
}

// priced returns what tokens of models cost. A price without a model's name is that of all
// others.
func priced(c config.Config) limits.Price {
	return func(model string, u llm.Usage) (float64, bool) {
		price, known := c.LLMPrices.Of[model]
		if !known {
			price, known = c.LLMPrices.Of[""]
		}
		const million = 1e6
		return (float64(u.Prompt-u.Cached)*price.Prompt + float64(u.Cached)*price.Cached + float64(u.Completion)*price.Completion) / million, known
	}
}

// told returns what commands tell of how heddle is run.
func told(c config.Config, p Process) discordcommands.Settings {
	settings := discordcommands.Settings{
		Chat: discordcommands.Model{Provider: c.OpenAIBaseURL.Host(), Name: c.LLMModel}, Keep: c.CacheTTL, Contact: c.Contact, Operators: c.Operators,
		Version: p.Build.described().Version, Priced: c.LLMPrices.Of != nil, Currency: c.LLMPrices.Currency,
	}
	for _, p := range c.Fallbacks {
		settings.Fallbacks = append(settings.Fallbacks, discordcommands.Model{Provider: p.BaseURL.Host(), Name: p.Model})
	}
	for _, s := range c.MCPServers {
		settings.Servers = append(settings.Servers, s.Name)
	}
	if c.Transcribe.Model != "" {
		settings.Hears = discordcommands.Model{Provider: c.Transcribe.BaseURL.Host(), Name: c.Transcribe.Model}
	}
	if c.Reader != "off" {
		settings.Reader = discordcommands.Model{Provider: settings.Chat.Provider, Name: c.Reader}
	}
	return settings
}

// expansion returns the options for choosing conversations.
func expansion(c config.Config) (graph.Options, error) {
	o := graph.Options{MinLinear: c.MinLinear, MaxTotal: c.MaxTotal, Background: c.Background, TimeThreshold: time.Duration(c.TimeThreshold)}
	if c.Affinity {
		model, err := affinity.Default()
		if err != nil {
			return graph.Options{}, fmt.Errorf("read the weights of the link model: %w", err)
		}
		o.Affinity = model
	}
	return o, nil
}

// admission returns who may ask, as the settings say.
func admission(c *config.Config) questions.GateSettings {
	rules := questions.Rules{Bots: c.AllowBots}
	if c.EditAnswer {
		rules.Edits = editable
	}
	return questions.GateSettings{
		People: c.AllowPeople, Places: c.AllowPlaces, Block: c.Block,
		Questions: rules, Contact: c.Contact,
	}
}

// toolTokens is how many tokens the tools of one answer may take, beside the
// conversation, which every request repeats.
const toolTokens = 100_000

// repeats is how often the conversation of an answer may be sent in full.
const repeats = 8

// limitsOf returns what c allows people to use.
func limitsOf(c config.Config) limits.Settings {
	return limits.Settings{
		Person: c.LimitPerson.Anybody, Roles: c.LimitPerson.Roles,
		Channel: c.LimitShared.Channel, Guild: c.LimitShared.Server, All: c.LimitShared.All,
		Answer: toolTokens + repeats*c.TokenBudget,
	}
}

// toolset returns the tools that are configured.
func toolset(c config.Config, model *llm.Client, known *guilds.Cache) []tools.Tool {
	var chosen []tools.Tool
	for _, name := range c.Tools {
		switch name {
		case tools.NameArtifact:
			chosen = append(chosen, tools.Artifact{})
		case tools.NameSearch:
			chosen = append(chosen, tools.Search{Guilds: known})
		case tools.NameSubagent:
			options := path.Options{Temperature: c.Temperature, MaxTokens: c.MaxTokens}
			chosen = append(chosen, &tools.Subagent{Model: model, Options: options})
		}
	}
	return chosen
}

// serversOf returns the MCP servers of c. Their commands get the environment without heddle's
// own settings, which hold its secrets.
func serversOf(c config.Config, environ []string) []tools.Server {
	environ = slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(config.Variables(), func(v config.Variable) bool { return v.Name == strings.TrimSuffix(name, "_FILE") })
	})
	var all []tools.Server
	for _, s := range c.MCPServers {
		server := tools.Server{Name: s.Name, Environ: slices.Clone(environ), Dir: s.Dir, Legacy: s.Legacy, For: s.For}
		for _, word := range s.At {
			server.Command = append(server.Command, word.Reveal())
		}
		for _, pair := range s.Env {
			server.Environ = append(server.Environ, pair.Reveal())
		}
		if s.IsRemote() {
			server.URL, server.Header = server.Command[0], make(http.Header)
			if key := strings.Join(server.Command[1:], ""); key != "" {
				server.Header.Set("Authorization", "Bearer "+key)
			}
			for name, value := range s.Headers {
				server.Header.Set(name, value.Reveal())
			}
			server.Command = nil
		}
		all = append(all, server)
	}
	return all
}

// fileHosts returns the hosts besides Discord's that attachments may come from: that of an
// emulator's API.
func fileHosts(c *config.Config) []string {
	host := c.DiscordAPIURL.Host()
	if host == "discord.com" || strings.HasSuffix(host, ".discord.com") {
		return nil
	}
	return []string{host}
}
