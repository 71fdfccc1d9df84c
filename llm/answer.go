package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"heddle/graph/path"
)

// The finish reasons, with OpenAI's names. A reason of another provider with the same
// meaning is mapped to them; any other is kept.
const (
	FinishStop          = "stop"
	FinishLength        = "length" // the answer is cut off at a token limit
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	FinishRefusal       = "refusal" // the text is the model's own refusal
)

// Answer is a model's answer. After an error it holds what had arrived by then.
type Answer struct {
	Text         string // never any reasoning
	FinishReason string // "" if the answer broke off
	Usage        Usage
	Asked        string // the model that was asked
	Model        string // as reported by the provider; "" if it reports none
	Fingerprint  string // of the provider's configuration, as reported by it; "" if it reports none
	ToolCalls    []path.ToolCall
	Beside       *Beside     // what came with the calls; nil if nothing did
	Confidence   *Confidence // nil where unknown
	Tokens       []Token     // of Text, in order, if Config.KeepTokens is set and the provider sends them

	RequestHash path.Hash // of the bytes of the request's body without any Beside
	// Dropped names what the request would have held and left out because the provider
	// rejects it, such as "tools", "images" or "temperature".
	Dropped []string
	// Without names everything that the request could not hold, including Dropped. Rebuild
	// needs it.
	Without []string
}

// Token is a token that a model sampled.
type Token struct {
	Text string
	// Bytes are the token's bytes if the provider sends them and they are not Text: a
	// token may be a part of a character. They are nil otherwise.
	Bytes   []byte
	Logprob float64
}

// Complete reports whether the answer is neither cut off nor refused nor waiting for
// tools.
func (a Answer) Complete() bool { return a.FinishReason == FinishStop && a.Text != "" }

// Usage is what the provider charged, in tokens; zero if unknown.
type Usage struct {
	Prompt     int
	Completion int
	Cached     int // of Prompt, read from the provider's cache
}

// finishReason returns OpenAI's name of a provider's finish reason.
func finishReason(reason string) string {
	reason = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(reason)), "-", "_")
	reason = strings.TrimPrefix(reason, "finish_reason_")
	switch reason {
	case "null", "none", "unspecified":
		return ""
	case "end_turn", "end_of_turn", "end_of_text", "end", "eos", "eos_token", "eot", "stop_sequence", "stop_str", "stop_token",
		"stopped", "complete", "completed", "finished", "done", "normal":
		return FinishStop
	case "max_tokens", "max_output_tokens", "max_new_tokens", "max_completion_tokens", "model_length", "model_context_window_exceeded",
		"context_length", "context_length_exceeded", "token_limit", "length_limit", "error_limit", "truncated":
		return FinishLength
	case "function_call", "function_calls", "tool_use", "tool_call":
		return FinishToolCalls
	case "language", "spii", "recitation", "guardrail_intervened", "unsafe", "flagged":
		return FinishContentFilter
	}
	if containsAny(reason, "filter", "safety", "prohibited", "sensitive", "toxic", "blocklist", "blocked", "recitation", "moderation", "policy") {
		return FinishContentFilter
	}
	return reason
}

// Confidence is how certain the model was of its answer, computed from the
// probabilities of the tokens of the visible text, without reasoning and tool calls.
// It is a raw measure, which can be compared only between answers of one model.
type Confidence struct {
	Value  float64 // geometric mean of the tokens' probabilities, in (0, 1]
	Tokens int     // number of tokens; at least 1
	Min    float64 // the least certain token's probability
}

// leastLogprob replaces everything less likely. Some providers send -9999 or minus
// infinity for tokens outside their top ones.
const leastLogprob = -100

// confidenceOf returns the confidence in a text of these tokens, or nil if no probability is
// known. Unknown is neither high nor low.
func confidenceOf(tokens []Token) *Confidence {
	count, sum, least := 0, 0.0, 0.0
	for i := range tokens {
		if math.IsNaN(tokens[i].Logprob) {
			continue
		}
		logprob := min(max(tokens[i].Logprob, leastLogprob), 0)
		count++
		sum += logprob
		least = min(least, logprob)
	}
	if count == 0 {
		return nil
	}
	return &Confidence{Value: math.Exp(sum / float64(count)), Tokens: count, Min: math.Exp(least)}
}

// assembly puts an answer together from the events of a stream.
type assembly struct {
	request sent
	each    func(piece string) // may be nil
	again   func()             // called when what was shown turns out to be reasoning; may be nil
	owner   *Client            // that asks
	limit   limit

	events      int
	grown       time.Time // when the answer last grew
	reported    string    // the model, as the provider calls it
	fingerprint string
	usage       Usage
	finish      string
	marked      bool // the end of the answer is marked, whatever its finish reason
	refused     bool
	text        strings.Builder
	thinking    reasoning
	tokens      []Token // of the visible text
	waiting     []Token // of text that may become visible
	calls       []*call
	beside      beside
}

// errFull ends an answer that has reached its limit.
var errFull = errors.New("the answer is too long")

// add adds an event. It returns an Error if the event is one or cannot be read, and errFull
// if the answer may not go on.
func (a *assembly) add(e event) error {
	a.events++
	all := []json.RawMessage{e.data}
	if e.data[0] == '[' && json.Unmarshal(e.data, &all) != nil {
		return &Error{Kind: Malformed, Retryable: true}
	}
	for _, one := range all {
		if err := a.addChunk(e.name, one); err != nil {
			return err
		}
	}
	return nil
}

// addChunk adds the data of an event, or one of several chunks in it.
func (a *assembly) addChunk(name string, raw []byte) error {
	var c chunk
	if lenient(raw, &c); name == "error" || c.failed() {
		return classify(0, nil, readProblem(raw, a.request.texts()...), &a.request)
	}
	if !json.Valid(raw) || raw[0] != '{' && string(raw) != "null" {
		return &Error{Kind: Malformed, Retryable: true}
	}
	if c.Model != "" {
		a.reported = string(c.Model)
	}
	if c.Fingerprint != "" {
		a.fingerprint = string(c.Fingerprint)
	}
	if usage, told := c.usage(); told {
		a.usage = usage
	}
	for i := range c.Choices {
		if c.Choices[i].Index == 0 {
			a.choose(&c.Choices[i])
		}
	}
	if a.limit.reached {
		a.finish = FinishLength
		return errFull
	}
	return nil
}

// choose adds what one choice of a chunk holds: text, reasoning, parts of calls, and how
// the answer finished.
func (a *assembly) choose(c *choice) {
	if finish := finishReason(string(cmp.Or(c.FinishReason, c.Camel))); finish != "" {
		a.finish = finish
	}
	piece := c.Delta
	if piece == nil {
		piece = c.Message
		a.marked = a.marked || piece != nil
	}
	if piece == nil {
		return
	}
	a.refused = a.refused || piece.Refusal != ""
	said, reasoned := piece.Content.text+string(piece.Refusal), string(piece.ReasoningContent+piece.Reasoning)+piece.Content.reasoning
	if said != "" || reasoned != "" {
		a.grown = time.Now()
		a.waiting = append(a.waiting, c.tokens()...)
		a.show(a.thinking.next(said))
	}
	a.beside.add(piece.raw)
	for i := range piece.ToolCalls {
		a.addCall(&piece.ToolCalls[i])
	}
	if older := piece.FunctionCall; older != nil && (older.Name != "" || older.Arguments != "") {
		a.addCall(&toolCallDelta{Function: *older})
	}
}

// show passes on text, or "" if there is none for now. It replaces what was shown if that was
// reasoning.
func (a *assembly) show(text string) {
	if a.thinking.tookBack() {
		a.text.Reset()
		a.tokens, a.waiting = nil, nil
		a.limit.tokens, a.limit.uncounted = 0, nil
		if a.again != nil {
			a.again()
		}
	}
	if text = a.limit.take(text); text != "" {
		a.tokens = append(a.tokens, a.waiting...)
	}
	if text != "" || !a.thinking.withholds() {
		a.waiting = nil
	}
	a.text.WriteString(text)
	if a.each != nil {
		a.each(text)
	}
}

// end ends the answer after the last event. It returns what is wrong with the answer, or
// nil.
func (a *assembly) end() *Error {
	if rest := a.thinking.rest(); rest != "" || a.thinking.again {
		a.show(rest)
	}
	shown := strings.TrimSpace(a.text.String()) != ""
	if a.finish == "" && a.marked && (shown || len(a.calls) > 0) { // openai-workflow#52, pi#6226
		a.finish = FinishStop
	}
	if len(a.calls) > 0 && (a.finish == FinishStop || a.finish == FinishToolCalls) {
		a.finish = FinishToolCalls
		return nil
	}
	if a.refused && a.finish == FinishStop {
		a.finish = FinishRefusal
	}
	switch a.finish {
	case FinishStop, FinishLength, FinishToolCalls:
		if !shown {
			return &Error{Kind: Empty, Retryable: a.finish != FinishLength}
		}
		return nil
	case FinishRefusal:
		if !shown {
			return &Error{Kind: Refused}
		}
		return nil
	case FinishContentFilter:
		return &Error{Kind: Refused}
	case "":
		if a.events == 0 {
			return &Error{Kind: Malformed, Retryable: true}
		}
		return &Error{Kind: Cut, Retryable: true}
	}
	// The provider gave up, in words of its own (Vibe-Trading#308).
	if shown && a.finish != "error" {
		return &Error{Kind: Cut, Code: safeCode(a.finish), Retryable: true}
	}
	return &Error{Kind: Server, Code: safeCode(a.finish), Retryable: true}
}

// answer returns what has come so far.
func (a *assembly) answer() Answer {
	return Answer{
		Text: a.text.String(), FinishReason: a.finish, Usage: a.usage, Asked: a.owner.Model(), Model: a.reported, Fingerprint: a.fingerprint,
		Confidence: confidenceOf(a.tokens), Tokens: a.tokens, ToolCalls: a.toolCalls(), Beside: a.kept(),
	}
}

// assembly returns one for the answer to a request.
func (c *Client) assembly(ctx context.Context, request *Request, made sent, each func(piece string)) assembly {
	return assembly{
		request: made,
		each:    each, again: request.Again, owner: c, limit: c.limitOf(ctx, request.Path.Options.MaxTokens),
		grown: time.Now(), thinking: reasoning{held: c.unopened.Load()},
	}
}

// learn remembers how the model marks its reasoning, which its template decides.
func (c *Client) learn(r *reasoning) {
	switch {
	case r.bare:
		c.unopened.Store(true)
	case r.untagged:
		c.unopened.Store(false)
	}
}
