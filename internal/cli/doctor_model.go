package cli

import (
	"cmp"
	"context"
	"slices"

	"heddle/bot/tools"
	"heddle/config"
	"heddle/graph/path"
	"heddle/llm"
)

// examineModels asks each model that is configured what it can do. It finds nothing if the
// settings to reach one are missing, as their faults say so.
func examineModels(ctx context.Context, c *config.Config) (found []finding) {
	if !c.HasModel() {
		return nil
	}
	main := config.Provider{Model: c.LLMModel, BaseURL: c.OpenAIBaseURL, Key: c.OpenAIAPIKey}
	found = append(examineModel(ctx, c, main, "OPENAI_BASE_URL, OPENAI_API_KEY and LLM_MODEL"), ofPictures(c))
	for _, p := range c.Fallbacks {
		found = append(found, examineModel(ctx, c, p, "LLM_FALLBACKS")...)
	}
	for _, name := range c.Models {
		main.Model = name
		found = append(found, examineModel(ctx, c, main, "MODELS")...)
	}
	return found
}

// examineModel asks a model, which settings name, two questions: one in words and one for a
// tool.
func examineModel(ctx context.Context, c *config.Config, p config.Provider, settings string) []finding {
	client, err := llm.New(llm.Config{
		BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, Timeout: c.LLMTimeout, Retries: once,
	})
	if err != nil {
		return []finding{{fault, "model", err.Error(), "correct " + settings}}
	}
	defer client.Close()
	pieces := 0
	answer, err := client.Stream(ctx, probe("Count from one to twenty in English words, with commas between."), func(piece string) {
		if piece != "" {
			pieces++
		}
	})
	if err != nil {
		return []finding{unanswered(p, err)}
	}
	found := []finding{inOrder("model", "%s answers at %s", p.Model, p.BaseURL.Host()), inOrder("streaming", "its answers come in pieces"), inOrder("confidence", "its answers come with log-probabilities")}
	if pieces <= 1 {
		found[1] = finding{warning, "streaming", "its answers come in one piece, so that people see nothing until they are whole", "look for a proxy or a setting of the provider that holds streams back"}
	}
	if answer.Confidence == nil {
		found[2] = inOrder("confidence", "its answers come without log-probabilities, so that heddle goes by how recent they are")
	}
	return append(found, examineTools(ctx, client, len(c.Tools) > 0))
}

// probe returns a request with one question.
func probe(question string) llm.Request {
	const tokens = 1000 // of the answer, with what the model reasons
	return llm.Request{Path: path.Path{
		Turns: []path.Turn{
			{Role: path.RoleSystem, Parts: []path.Part{path.Text("You are being tested. Do exactly what is asked.")}},
			{Role: path.RoleUser, Speaker: "heddle", Parts: []path.Part{path.Text(question)}},
		},
		Options: path.Options{MaxTokens: tokens},
	}}
}

// examineTools checks whether the model calls a tool that it is asked to call.
func examineTools(ctx context.Context, client *llm.Client, wanted bool) finding {
	request := probe("Call the tool note with the word warp. Do not answer in words.")
	request.Path.Tools = []path.Tool{{
		Name: "note", Description: "Notes a word.",
		Schema: `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`,
	}}
	answer, err := client.Stream(ctx, request, nil)
	const remedy = "choose another model, or set TOOLS=off to do without"
	switch {
	case len(answer.ToolCalls) > 0:
		return inOrder("tools", "it calls them")
	case !wanted:
		return inOrder("tools", "it calls none, and TOOLS is off")
	case err != nil && llm.KindOf(err) != llm.Empty:
		return finding{warning, "tools", "a question with a tool failed: " + err.Error(), remedy}
	case slices.Contains(answer.Dropped, llm.FeatureTools):
		return finding{warning, "tools", "its provider refuses them, so that it makes no files and searches nothing", remedy}
	default:
		return finding{warning, "tools", "it does not call them when it is asked to", remedy}
	}
}

// ofPictures returns the finding about pictures, which no question tests.
func ofPictures(c *config.Config) finding {
	switch {
	case sees(*c):
		return inOrder("vision", "it is shown pictures")
	case c.Vision == "off":
		return inOrder("vision", "it is told of pictures in words, as VISION is off")
	default:
		return inOrder("vision", "it is told of pictures in words, as its name does not say that it sees; VISION=on shows them")
	}
}

// examineServers connects each MCP server once.
func examineServers(ctx context.Context, servers []tools.Server) (found []finding) {
	for _, s := range servers {
		names, err := s.Examine(ctx)
		switch {
		case err != nil:
			found = append(found, finding{
				warning, "MCP", s.Name + " is away: " + err.Error(),
				"check MCP_SERVERS, and that the server runs; until then the model answers without its tools",
			})
		case len(names) == 0:
			found = append(found, finding{warning, "MCP", s.Name + " has no tool that a model could call", "take it out of MCP_SERVERS"})
		default:
			found = append(found, inOrder("MCP", "%s lends %s", s.Name, several(names)))
		}
	}
	return found
}

// unanswered returns the finding of a model that does not answer.
func unanswered(p config.Provider, err error) finding {
	const unreached, busy = "check OPENAI_BASE_URL, and that the server runs and can be reached from here", "try again later; if it goes on, ask the provider"
	kind := llm.KindOf(err)
	if kind == llm.Unreachable {
		err = innermost(err)
	}
	remedy := map[llm.Kind]string{
		llm.Unreachable: unreached,
		llm.Stalled:     unreached,
		llm.Auth:        "check OPENAI_API_KEY, and that the key may use this model",
		llm.NotFound:    "check LLM_MODEL, and that OPENAI_BASE_URL ends in the API's version, such as /v1",
		llm.Quota:       "top up the account, or raise its limit",
		llm.RateLimited: busy,
		llm.Server:      busy,
	}[kind]
	remedy = cmp.Or(remedy, "check LLM_MODEL and OPENAI_BASE_URL: heddle needs an API that speaks chat completions")
	return finding{fault, "model", p.Model + " does not answer at " + p.BaseURL.Host() + ": " + err.Error(), remedy}
}
