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

// toolTokens is what the tools of one answer may take beside the conversation that
// every request of it holds.
const toolTokens = 100_000

// toolset are the tools that the operator chose.
func toolset(c config.Config, history *fetch.History, model *llm.Client) []tools.Tool {
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

// fileHosts are the hosts beside Discord's own that attachments may come from: an
// emulator serves them where it serves its API.
func fileHosts(api string) []string {
	at, err := url.Parse(api)
	if err != nil || at.Host == "discord.com" || strings.HasSuffix(at.Host, ".discord.com") {
		return nil
	}
	return []string{at.Host}
}
