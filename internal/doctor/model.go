package doctor

import (
	"context"
	"net/url"
	"slices"

	"heddle/graph/path"
	"heddle/llm"
)

// Client asks a model; llm.Client is one.
type Client interface {
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	TestVision(ctx context.Context) (bool, error)
}

// Model checks the language model.
type Model struct {
	Client  Client
	Name    string
	Address string // where it is asked
	// Tools and Vision are set if heddle is to use them.
	Tools, Vision bool
}

// probeTokens bounds each answer of the model, its reasoning included.
const probeTokens = 1000

// Examine asks the model three questions: one in words, one for a tool and one about
// pictures.
func (m Model) Examine(ctx context.Context, to *Report) {
	pieces := 0
	answer, err := m.Client.Stream(ctx, m.ask("Count from one to twenty in English words, with commas between."), func(d llm.Delta) {
		if d.Text != "" {
			pieces++
		}
	})
	if err != nil {
		to.Add(m.failed(err))
		return
	}
	to.Fine("model", "%s answers at %s", m.Name, host(m.Address))
	if pieces > 1 {
		to.Fine("streaming", "its answers come in pieces")
	} else {
		to.Add(Finding{Warning, "streaming", "its answers come in one piece, so that people see nothing until they are whole", "look for a proxy or a setting of the provider that holds streams back"})
	}
	if answer.Confidence != nil {
		to.Fine("confidence", "its answers come with log-probabilities")
	} else {
		to.Add(Finding{Fine, "confidence", "its answers come without log-probabilities, so that heddle goes by how recent they are", ""})
	}
	m.tools(ctx, to)
	m.vision(ctx, to)
}

// ask returns a request with one question.
func (m Model) ask(question string) llm.Request {
	return llm.Request{Path: path.Path{
		Turns: []path.Turn{
			{Role: path.RoleSystem, Parts: []path.Part{path.Text("You are being tested. Do exactly what is asked.")}},
			{Role: path.RoleUser, Speaker: "heddle", Parts: []path.Part{path.Text(question)}},
		},
		Options: path.Options{MaxTokens: probeTokens},
	}}
}

// tools checks whether the model calls a tool that it is asked to call.
func (m Model) tools(ctx context.Context, to *Report) {
	request := m.ask("Call the tool note with the word warp. Do not answer in words.")
	request.Path.Tools = []path.Tool{{
		Name: "note", Description: "Notes a word.",
		Schema: `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`,
	}}
	answer, err := m.Client.Stream(ctx, request, nil)
	remedy := "choose another model, or set TOOLS=off to do without"
	switch {
	case len(answer.ToolCalls) > 0:
		to.Fine("tools", "it calls them")
	case !m.Tools:
		to.Fine("tools", "it calls none, and TOOLS is off")
	case err != nil && llm.KindOf(err) != llm.Empty:
		to.Add(Finding{Warning, "tools", "a question with a tool failed: " + err.Error(), remedy})
	case slices.Contains(answer.Dropped, llm.FeatureTools):
		to.Add(Finding{Warning, "tools", "its provider refuses them, so that it makes no files and searches nothing", remedy})
	default:
		to.Add(Finding{Warning, "tools", "it does not call them when it is asked to", remedy})
	}
}

// vision checks whether the model sees pictures.
func (m Model) vision(ctx context.Context, to *Report) {
	sees, err := m.Client.TestVision(ctx)
	switch {
	case err == nil && sees:
		to.Fine("vision", "it sees pictures")
	case !m.Vision && err == nil:
		to.Fine("vision", "it sees no pictures, and is told of them in words")
	case !m.Vision:
		to.Fine("vision", "unknown: %v", err)
	case err != nil:
		to.Add(Finding{Warning, "vision", "a question about pictures failed: " + err.Error(), "set VISION=off, or choose another model"})
	default:
		to.Add(Finding{Warning, "vision", "VISION is on, but it sees no pictures", "set VISION=auto or off, or choose another model"})
	}
}

// failed returns the finding of a model that does not answer.
func (m Model) failed(err error) Finding {
	kind := llm.KindOf(err)
	if kind == llm.Unreachable {
		err = innermost(err)
	}
	remedy, known := remedies()[kind]
	if !known {
		remedy = "check LLM_MODEL and OPENAI_BASE_URL: heddle needs an API that speaks chat completions"
	}
	return Finding{Fault, "model", m.Name + " does not answer at " + host(m.Address) + ": " + err.Error(), remedy}
}

// remedies returns what to do about an error, for some kinds of errors.
func remedies() map[llm.Kind]string {
	const unreached, busy = "check OPENAI_BASE_URL, and that the server runs and can be reached from here", "try again later; if it goes on, ask the provider"
	return map[llm.Kind]string{
		llm.Unreachable: unreached,
		llm.Stalled:     unreached,
		llm.Auth:        "check OPENAI_API_KEY, and that the key may use this model",
		llm.NotFound:    "check LLM_MODEL, and that OPENAI_BASE_URL ends in the API's version, such as /v1",
		llm.Quota:       "top up the account, or raise its limit",
		llm.RateLimited: busy,
		llm.Server:      busy,
	}
}

// host returns the scheme and host of an address, which contain no secret.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that cannot be read"
	}
	return u.Host
}
