package llm

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
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
	Confidence   *Confidence // nil where unknown
	Tokens       []Token     // of Text, in order, if Config.KeepTokens is set and the provider sends them

	RequestHash path.Hash // of the bytes of the request's body
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
	switch reason = strings.ToLower(reason); reason {
	case "end_turn", "eos", "eos_token", "stop_sequence", "complete":
		return FinishStop
	case "max_tokens", "model_length":
		return FinishLength
	case "function_call", "tool_use":
		return FinishToolCalls
	case "safety", "recitation", "blocked", "prohibited_content":
		return FinishContentFilter
	default:
		return reason
	}
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
	each func(piece string) // may be nil

	events      int
	grown       time.Time // when the answer last grew
	model       string
	fingerprint string
	usage       Usage
	finish      string
	refused     bool
	text        strings.Builder
	thinking    thinking
	tokens      []Token // of the visible text
	calls       []*call
}

// call is a tool call, possibly incomplete. Providers identify calls by index, by id, or
// not at all.
type call struct {
	index     int // -1 if the provider sends none
	id        string
	name      string
	arguments strings.Builder
}

// add adds an event. It returns an Error if the event is one or cannot be read.
func (a *assembly) add(raw []byte) error {
	a.events++
	var event chunk
	if json.Unmarshal(raw, &event) != nil {
		return &Error{Kind: Malformed, Retryable: true}
	}
	if event.failed() {
		return classify(0, nil, readProblem(raw), sent{})
	}
	if event.Model != "" {
		a.model = event.Model
	}
	if event.Fingerprint != "" {
		a.fingerprint = string(event.Fingerprint)
	}
	if usage, told := event.usage(); told {
		a.usage = usage
	}
	for i := range event.Choices {
		if event.Choices[i].Index == 0 {
			a.choose(&event.Choices[i])
		}
	}
	return nil
}

// choose adds what one choice of a chunk holds: text, reasoning, parts of calls, and how
// the answer finished.
func (a *assembly) choose(c *choice) {
	if c.FinishReason != "" {
		a.finish = finishReason(c.FinishReason)
	}
	piece := c.Delta
	if piece == nil {
		piece = c.Message
	}
	if piece == nil {
		return
	}
	a.refused = a.refused || piece.Refusal != ""
	said, reasoned := piece.Content.text+piece.Refusal, piece.ReasoningContent+piece.Reasoning+piece.Content.reasoning
	text := a.thinking.next(said)
	if said != "" || reasoned != "" {
		a.grown = time.Now()
		a.show(text)
	}
	if text != "" {
		a.tokens = append(a.tokens, c.tokens()...)
	}
	for i := range piece.ToolCalls {
		a.addCall(&piece.ToolCalls[i])
	}
}

// show passes a piece on.
func (a *assembly) show(piece string) {
	a.text.WriteString(piece)
	if a.each != nil {
		a.each(piece)
	}
}

func (a *assembly) addCall(piece *toolCallDelta) {
	c := a.call(piece)
	if c.id == "" {
		c.id = piece.ID
	}
	if c.name == "" {
		c.name = piece.Function.Name
	}
	if piece.Function.Arguments != "" {
		a.grown = time.Now()
		c.arguments.WriteString(string(piece.Function.Arguments))
	}
}

// call returns the call that a piece belongs to, which may be new. Pieces with different
// ids belong to different calls, even under the same index.
func (a *assembly) call(piece *toolCallDelta) *call {
	index := -1
	if piece.Index != nil {
		index = *piece.Index
	}
	for _, c := range slices.Backward(a.calls) {
		sameID := piece.ID == "" || piece.ID == c.id
		if sameID && (c.index == index || index == -1) {
			return c
		}
	}
	begun := &call{index: index}
	a.calls, a.grown = append(a.calls, begun), time.Now()
	return begun
}

// end ends the answer after the last event. It returns what is wrong with the answer, or
// nil.
func (a *assembly) end() *Error {
	if rest := a.thinking.rest(); rest != "" {
		a.show(rest)
	}
	if len(a.calls) > 0 && (a.finish == FinishStop || a.finish == FinishToolCalls) {
		a.finish = FinishToolCalls
		return nil
	}
	if a.refused && a.finish == FinishStop {
		a.finish = FinishRefusal
	}
	switch {
	case a.events == 0:
		return &Error{Kind: Malformed, Retryable: true}
	case a.finish == "":
		return &Error{Kind: Cut, Retryable: true}
	case a.finish == FinishContentFilter:
		return &Error{Kind: Refused}
	case a.finish == "error":
		return &Error{Kind: Server, Retryable: true}
	case strings.TrimSpace(a.text.String()) == "":
		return &Error{Kind: Empty, Retryable: a.finish == FinishStop}
	}
	return nil
}

// answer returns what has come so far.
func (a *assembly) answer() Answer {
	answer := Answer{
		Text: a.text.String(), FinishReason: a.finish, Usage: a.usage, Model: a.model, Fingerprint: a.fingerprint,
		Confidence: confidenceOf(a.tokens), Tokens: a.tokens,
	}
	for i, c := range a.calls {
		id, arguments := c.id, c.arguments.String()
		if id == "" {
			id = "call_" + strconv.Itoa(i+1)
		}
		if arguments == "" {
			arguments = "{}"
		}
		answer.ToolCalls = append(answer.ToolCalls, path.ToolCall{ID: id, Name: c.name, Arguments: arguments})
	}
	return answer
}
