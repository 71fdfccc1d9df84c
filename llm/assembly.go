package llm

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"heddle/graph/path"
)

// assembly puts an answer together from the events of a stream.
type assembly struct {
	each       func(Delta)
	keepTokens bool

	events      int
	grown       int // bytes of text, of reasoning, and of the arguments of tool calls
	model       string
	fingerprint string
	usage       Usage
	finish      string
	refused     bool
	text        strings.Builder
	visible     joining // of the text, before reasoning is removed
	reasoned    joining
	thinking    thinking
	certainty   certainty
	tokens      []Token // of the visible text, if they are kept
	calls       []*call
}

// call is a tool call, possibly incomplete. Providers identify calls by index, by id, or
// not at all.
type call struct {
	index     int // -1 if the provider sends none
	id        string
	name      string
	arguments strings.Builder
	joining   joining // of the arguments
}

// add adds an event. It returns an Error if the event is one or cannot be read.
func (a *assembly) add(raw []byte) *Error {
	a.events++
	var event chunk
	if json.Unmarshal(raw, &event) != nil {
		return &Error{Kind: Malformed, Retryable: true}
	}
	if event.failed() {
		return classify(0, nil, readProblem(raw), 0)
	}
	if event.Model != "" {
		a.model = event.Model
	}
	if fingerprint := event.fingerprint(); fingerprint != "" {
		a.fingerprint = fingerprint
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
	a.grown += len(said) + len(reasoned)
	text, thought := a.thinking.next(a.visible.next(said))
	a.show(text, a.reasoned.next(reasoned)+thought)
	if text != "" || a.visible.held != "" && said != "" && a.thinking.state != thinkInside {
		a.addTokens(c.tokens())
	}
	for i := range piece.ToolCalls {
		a.addCall(&piece.ToolCalls[i])
	}
}

// show passes a piece on.
func (a *assembly) show(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	a.text.WriteString(text)
	if a.each != nil {
		a.each(Delta{Text: text, Reasoning: reasoning})
	}
}

// addTokens adds tokens of the visible text.
func (a *assembly) addTokens(tokens []Token) {
	for i := range tokens {
		a.certainty.add(tokens[i].Logprob)
		if !a.keepTokens {
			continue
		}
		a.tokens = append(a.tokens, tokens[i])
		if last := len(a.tokens) - 1; last > 0 {
			joinTokens(&a.tokens[last-1], &a.tokens[last])
		}
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
	c.arguments.WriteString(c.joining.next(fragment(piece.Function.Arguments)))
	a.grown += len(piece.Function.Arguments)
}

// length returns a number that grows with the answer.
func (a *assembly) length() int { return a.grown + len(a.calls) }

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
	a.calls = append(a.calls, begun)
	return begun
}

// end ends the answer after the last event. It returns what is wrong with the answer, or
// nil.
func (a *assembly) end() *Error {
	text, thought := a.thinking.next(a.visible.rest())
	a.show(text+a.thinking.rest(), a.reasoned.rest()+thought)
	for _, c := range a.calls {
		c.arguments.WriteString(c.joining.rest())
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
		Confidence: a.certainty.confidence(),
		Tokens:     a.tokens,
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
