package conversation

import (
	"context"
	"slices"
	"sync/atomic"

	"heddle/graph/path"
	"heddle/llm"
)

// tokens counts tokens and divides the budget. Its methods may be called from any
// goroutine.
type tokens struct {
	budget      int                 // of the provider's tokens; 0: no bound
	count       llm.CountFunc       // nil: nothing is counted
	atMost      func(path.Turn) int // bounds count; may be nil
	calibration *calibration
	estimated   bool // count is corrected by the provider's counts
	summaries   bool
	recall      int // percent of the budget that recalled messages may take
	tools       atomic.Pointer[countedTools]
}

// countedTools is the number of tokens of the descriptions of tools.
type countedTools struct {
	first  *path.Tool // of the list, which is immutable
	number int
	tokens int
}

// newTokens returns the tokens of a model. ratios stores how the provider's counts
// compare.
func newTokens(ratios ratios, model string, settings Settings) *tokens {
	return &tokens{
		budget: settings.Budget, count: settings.Count, atMost: settings.AtMost, calibration: newCalibration(ratios, model),
		estimated: settings.Estimated, summaries: settings.Summaries, recall: settings.Recall,
	}
}

// load reads what earlier processes have learnt of the provider's counts.
func (t *tokens) load(ctx context.Context) { t.calibration.load(ctx) }

// pathBudget returns how many tokens, by heddle's count, a path that is sent with tools
// may have; 0 for any number.
func (t *tokens) pathBudget(ctx context.Context, tools []path.Tool) int {
	return t.leaving(func() int { return t.ofTools(ctx, tools) })
}

// leastPathBudget returns no more than pathBudget does, and counts nothing.
func (t *tokens) leastPathBudget(tools []path.Tool) int {
	return t.leaving(func() int {
		tokens, counted := t.known(tools)
		if counted {
			return tokens
		}
		for i := range tools {
			tokens += t.atMost(asTurn(&tools[i]))
		}
		return tokens
	})
}

// leaving returns how many tokens of the budget are left after tools, the tail, recalled
// messages and a summary; 0 for any number.
func (t *tokens) leaving(tools func() int) int {
	if t.budget <= 0 {
		return t.budget
	}
	room, _ := t.tailRoom()
	return max(t.ownBudget()-tools()-t.summaryRoom()-t.recallRoom()-room, 1)
}

// ownBudget returns the budget by heddle's count.
func (t *tokens) ownBudget() int { return t.calibration.budget(t.budget) }

// tailRoom returns the number of tokens that are reserved for the tail, and reports
// whether it is bounded. The number is constant, so that messages of others do not move
// a path's cut.
func (t *tokens) tailRoom() (tokens int, bounded bool) {
	return t.budget / 8, t.budget > 0 && t.count != nil
}

// recallRoom returns the number of tokens that are reserved for recalled messages, or 0
// if none are recalled. It is constant, like tailRoom.
func (t *tokens) recallRoom() int {
	if t.budget == 0 || t.count == nil {
		return recalledTokens * min(t.recall, 1)
	}
	return t.budget * t.recall / 100
}

// ofRecalled returns the number of tokens of a recalled message.
func (t *tokens) ofRecalled(ctx context.Context, turn path.Turn) int {
	if t.count == nil {
		return 1 + len(turn.PlainText())/4
	}
	return t.count(ctx, turn)
}

// The bounds of a summary's room in tokens.
const leastSummary, mostSummary = 64, 512

// summaryRoom returns the number of tokens that are reserved for a summary: an eighth
// of the budget, within bounds, or 0 if there are no summaries.
func (t *tokens) summaryRoom() int {
	switch {
	case !t.summaries:
		return 0
	case t.budget == 0:
		return mostSummary
	default:
		return min(max(t.budget/8, leastSummary), mostSummary)
	}
}

// ofTools returns the number of tokens of the descriptions of tools. It remembers that
// of the last list.
func (t *tokens) ofTools(ctx context.Context, tools []path.Tool) int {
	tokens, counted := t.known(tools)
	if counted {
		return tokens
	}
	for i := range tools {
		tokens += t.count(ctx, asTurn(&tools[i]))
	}
	if ctx.Err() == nil { // the end of ctx may have cut the counts short
		t.tools.Store(&countedTools{&tools[0], len(tools), tokens})
	}
	return tokens
}

// known returns the number of tokens of the descriptions of tools if that is remembered.
func (t *tokens) known(tools []path.Tool) (tokens int, counted bool) {
	if len(tools) == 0 {
		return 0, true
	}
	last := t.tools.Load()
	if last == nil || last.first != &tools[0] || last.number != len(tools) {
		return 0, false
	}
	return last.tokens, true
}

// asTurn returns the description of a tool as a turn to count.
func asTurn(tool *path.Tool) path.Turn {
	return path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(tool.Name), path.Text(tool.Description), path.Text(tool.Schema)}}
}

// surelyFit reports whether turns take no more than so many tokens, whatever their exact
// count.
func (t *tokens) surelyFit(turns []path.Turn, tokens int) bool {
	if t.atMost == nil {
		return false
	}
	for i := range turns {
		tokens -= t.atMost(turns[i])
	}
	return tokens >= 0
}

// ofText returns the number of tokens of a text that is sent as a turn of its own.
func (t *tokens) ofText(ctx context.Context, text string) int {
	return t.count(ctx, path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(text)}})
}

// measure compares the provider's count of a request with heddle's own. It ignores
// requests with pictures, which each provider counts differently, and requests that
// were repeated or sent without some of their features.
func (t *tokens) measure(ctx context.Context, p *Prepared, answer *llm.Answer, requests int) {
	if !t.estimated || t.count == nil || answer.Usage.Prompt == 0 || requests > 1 || len(answer.Dropped) > 0 {
		return
	}
	counted := t.ofTools(ctx, p.Built.Path.Tools) + t.ofText(ctx, p.Request().Tail)
	for _, turn := range p.Built.Path.Turns {
		if slices.ContainsFunc(turn.Parts, isImage) {
			return
		}
		counted += t.count(ctx, turn)
	}
	if ctx.Err() != nil { // the end of ctx may have cut the counts short
		return
	}
	t.calibration.add(ctx, float64(answer.Usage.Prompt)/float64(counted))
}

func isImage(part path.Part) bool { _, ok := part.(path.Image); return ok }
