package cli

import (
	"net/url"
	"strings"

	"heddle/bot/tools"
	"heddle/config"
	"heddle/fetch"
	"heddle/graph/path"
	"heddle/llm"
)

// toolset returns the tools that are configured.
func toolset(c config.Config, history *fetch.History, model *llm.Chain) []tools.Tool {
	var chosen []tools.Tool
	for _, name := range c.Tools.Names() {
		switch name {
		case tools.NameArtifact:
			chosen = append(chosen, tools.Artifact{})
		case tools.NameSearch:
			chosen = append(chosen, &tools.Search{History: history})
		case tools.NameSubagent:
			options := path.Options{Temperature: c.Temperature, MaxTokens: c.MaxTokens}
			chosen = append(chosen, &tools.Subagent{Model: model, Options: options})
		}
	}
	return chosen
}

// fileHosts returns the hosts besides Discord's that attachments may come from: those
// that the operator named, and that of an emulator's API.
func fileHosts(c *config.Config) []string {
	hosts := c.CDNHosts.All()
	at, err := url.Parse(string(c.DiscordAPIURL))
	if err != nil || at.Host == "discord.com" || strings.HasSuffix(at.Host, ".discord.com") {
		return hosts
	}
	return append(hosts, at.Host)
}
