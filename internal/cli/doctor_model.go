package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/tools"
	"heddle/config"
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

// examineModel asks a model, which settings name, what a real question asks, until it is clear
// what its provider refuses; then for a call of a tool; then with a prompt as long as
// TOKEN_BUDGET allows.
func examineModel(ctx context.Context, c *config.Config, p config.Provider, settings string) []finding {
	cut := [2]int{} // tokens sent and read
	client, err := llm.New(llm.Config{
		BaseURL: string(p.BaseURL), APIKey: p.Key.Reveal(), Model: p.Model, Timeout: c.LLMTimeout, Retries: once,
		Count: llm.NewCounter(p.Model).Sent, Cut: func(_ string, sent, read int) { cut = [2]int{sent, read} },
	})
	if err != nil {
		return []finding{{fault, "model", err.Error(), "correct " + settings}}
	}
	defer client.Close()
	question := realQuestion("Call the tool note with the word warp. Do not answer in words.", pictures(c)...)
	called, err := client.Stream(ctx, question, nil)
	if err != nil && llm.KindOf(err) != llm.Empty {
		return []finding{unanswered(p, err)}
	}
	for range mostDoubts { // each answer clears up one doubt
		if len(client.Doubted()) == 0 || ctx.Err() != nil {
			break
		}
		_, _ = client.Stream(ctx, question, nil) // what it refuses is seen below
	}
	found := []finding{inOrder("model", "%s answers at %s", p.Model, p.BaseURL.Host()), refusals(client, question)}
	found = append(found, examineStream(ctx, client)...)
	return append(found, examineTools(called, len(c.Tools) > 0), examineWindow(ctx, c, p, client, &cut))
}

// examineStream checks whether an answer in words comes in pieces, with its log-probabilities.
func examineStream(ctx context.Context, client *llm.Client) []finding {
	question, pieces := realQuestion("Count from one to twenty in English words, with commas between."), 0
	question.Path.Tools = nil
	answer, err := client.Stream(ctx, question, func(piece string) {
		if piece != "" {
			pieces++
		}
	})
	found := []finding{inOrder("streaming", "its answers come in pieces"), inOrder("confidence", "its answers come with log-probabilities")}
	switch {
	case err != nil:
		found[0] = finding{warning, "streaming", "a question without a tool failed: " + err.Error(), "ask again; if it goes on, choose another model"}
	case slices.Contains(client.Rejected(), "stream"):
		found[0] = finding{warning, "streaming", "its provider refuses to stream, so that people see nothing until an answer is whole", "some providers stream only for verified organisations; or choose another model"}
	case pieces <= 1:
		found[0] = finding{warning, "streaming", "its answers come in one piece, so that people see nothing until they are whole", "look for a proxy or a setting of the provider that holds streams back"}
	}
	if answer.Confidence == nil {
		found[1] = inOrder("confidence", "its answers come without log-probabilities, so that heddle goes by how recent they are")
	}
	return found
}

// mostDoubts bounds the questions that clear up what a provider refuses: more than there are
// features of a request.
const mostDoubts = 16

// refusals returns the finding of what the provider refuses of a real question.
func refusals(client *llm.Client, question llm.Request) finding {
	refused, picture := client.Rejected(), ""
	if parts := question.Path.Turns[2].Parts; len(parts) > 1 {
		picture = ", a picture"
	}
	switch {
	case len(refused) == 0:
		return inOrder("requests", "it takes them whole: several people, a system prompt, a tool%s", picture)
	case slices.Contains(refused, llm.FeatureImages):
		return finding{warning, "requests", "its provider refuses " + several(inWords(refused)) + "; heddle asks without", "set VISION=off, or choose a model that sees"}
	default:
		return inOrder("requests", "its provider refuses %s; heddle asks without", several(inWords(refused)))
	}
}

// examineTools checks whether the model called the tool that it was asked to call.
func examineTools(answer llm.Answer, wanted bool) finding {
	const remedy = "choose another model, or set TOOLS=off to do without"
	switch {
	case len(answer.ToolCalls) > 0:
		return inOrder("tools", "it calls them")
	case !wanted:
		return inOrder("tools", "it calls none, and TOOLS is off")
	case slices.Contains(answer.Dropped, llm.FeatureTools):
		return finding{warning, "tools", "its provider refuses them, so that it makes no files and searches nothing", remedy}
	default:
		return finding{warning, "tools", "it does not call them when it is asked to", remedy}
	}
}

// examineWindow checks whether prompts as long as TOKEN_BUDGET allows arrive whole. A server
// of Ollama is asked for its window, any other is sent such prompts.
func examineWindow(ctx context.Context, c *config.Config, p config.Provider, client *llm.Client, cut *[2]int) finding {
	remedy := "give the model a larger window (OLLAMA_CONTEXT_LENGTH for Ollama), or lower TOKEN_BUDGET"
	if fits, err := llm.Window(ctx, string(p.BaseURL), p.Key.Reveal(), p.Model); err == nil && fits > 0 {
		if fits < c.TokenBudget+c.MaxTokens {
			return finding{warning, "window", fmt.Sprintf("its server keeps %d tokens and cuts longer prompts without a word; a prompt with its answer may take %d", fits, c.TokenBudget+c.MaxTokens), remedy}
		}
		return inOrder("window", "it holds %d tokens", fits)
	}
	const word = "loom "
	long := realQuestion(strings.Repeat(word, c.TokenBudget*3/4) + "\nAnswer with the word yes.")
	long.Path.Options.MaxTokens = 16
	for range 2 { // a single short count proves nothing
		answer, err := client.Stream(ctx, long, nil)
		switch kind := llm.KindOf(err); {
		case kind == llm.ContextTooLong:
			return finding{warning, "window", fmt.Sprintf("it refuses a prompt of about %d tokens as too long", c.TokenBudget), remedy}
		case kind != 0 && kind != llm.Empty:
			return finding{warning, "window", fmt.Sprintf("a prompt of about %d tokens failed: %s", c.TokenBudget, err), "lower TOKEN_BUDGET, or raise LLM_TIMEOUT"}
		case answer.Usage.Prompt == 0:
			return inOrder("window", "unknown, as its provider reports no token counts")
		case answer.Usage.Prompt > c.TokenBudget/2:
			return inOrder("window", "a prompt of about %d tokens arrives whole", answer.Usage.Prompt)
		}
	}
	if cut[0] > 0 {
		return finding{warning, "window", fmt.Sprintf("its server read %d tokens of a prompt of about %d: it cuts prompts without a word", cut[1], cut[0]), remedy}
	}
	return inOrder("window", "a prompt of about %d tokens arrives whole", c.TokenBudget)
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
