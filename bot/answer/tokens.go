package answer

import (
	"context"
	"slices"
	"sync/atomic"

	"heddle/bot/tools"
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
	estimated   bool // count is corrected by what the provider counts
	summaries   bool
	recall      int // percent of the budget that recalled messages may take
	tools       atomic.Pointer[countedTools]
}

// countedTools is how many tokens the descriptions of tools take.
type countedTools struct {
	first  *path.Tool // of the list, which nobody changes
	number int
	tokens int
}

// newTokens returns the tokens of a model. Ratios remembers how the provider counts.
func newTokens(ratios ratios, model string, settings Settings) *tokens {
	return &tokens{
		budget: settings.Budget, count: settings.Count, atMost: settings.AtMost, calibration: newCalibration(ratios, model),
		estimated: settings.Estimated, summaries: settings.Summaries, recall: settings.Recall,
	}
}

// load reads what earlier processes learned of the provider's counts.
func (t *tokens) load(ctx context.Context) { t.calibration.load(ctx) }

// pathBudget returns how many of heddle's tokens a path may take that is sent with
// tools; 0 for any number.
func (t *tokens) pathBudget(ctx context.Context, tools []path.Tool) int {
	if t.budget <= 0 {
		return t.budget
	}
	room, _ := t.tailRoom()
	return max(t.ownBudget()-t.ofTools(ctx, tools)-t.summaryRoom()-t.recallRoom()-room, 1)
}

// ownBudget returns the budget in heddle's tokens.
func (t *tokens) ownBudget() int { return t.calibration.budget(t.budget) }

// tailRoom returns how many tokens of the budget are kept free for the tail, and
// whether it is bounded. The room is always the same, so that what others say
// meanwhile does not move a path's cut.
func (t *tokens) tailRoom() (tokens int, bounded bool) {
	return t.budget / 8, t.budget > 0 && t.count != nil
}

// recallRoom returns how many tokens are kept free for recalled messages, 0 if none are
// recalled. It is always the same, as tailRoom is.
func (t *tokens) recallRoom() int {
	if t.budget == 0 || t.count == nil {
		return recalledTokens * min(t.recall, 1)
	}
	return t.budget * t.recall / 100
}

// ofRecalled returns how many tokens a recalled message takes.
func (t *tokens) ofRecalled(ctx context.Context, turn path.Turn) int {
	if t.count == nil {
		return 1 + len(turn.PlainText())/4
	}
	return t.count(ctx, turn)
}

// The bounds of a summary's room in tokens.
const leastSummary, mostSummary = 64, 512

// summaryRoom returns how many tokens of the budget are kept free for a summary: an
// eighth, within bounds. It is 0 if nothing is summarised.
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

// ofTools returns how many tokens the descriptions of tools take. Those of the list that
// it was asked for last are remembered.
func (t *tokens) ofTools(ctx context.Context, tools []path.Tool) int {
	if len(tools) == 0 {
		return 0
	}
	if last := t.tools.Load(); last != nil && last.first == &tools[0] && last.number == len(tools) {
		return last.tokens
	}
	tokens := 0
	for _, tool := range tools {
		parts := []path.Part{path.Text(tool.Name), path.Text(tool.Description), path.Text(tool.Schema)}
		tokens += t.count(ctx, path.Turn{Role: path.RoleSystem, Parts: parts})
	}
	if ctx.Err() == nil { // what ended it may have cut the counts short
		t.tools.Store(&countedTools{&tools[0], len(tools), tokens})
	}
	return tokens
}

// ofText returns how many tokens a text takes that is sent as a turn of its own.
func (t *tokens) ofText(ctx context.Context, text string) int {
	return t.count(ctx, path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(text)}})
}

// measure compares what the provider counted for a request with heddle's own count.
// It learns nothing from requests with pictures, which each provider counts in its own
// way, and from those that were repeated or sent with something left out.
func (t *tokens) measure(ctx context.Context, p *Prepared, outcome *tools.Outcome) {
	answer := &outcome.Answer
	if !t.estimated || t.count == nil || answer.Usage.Prompt == 0 || len(outcome.Requests) > 1 || len(answer.Dropped) > 0 {
		return
	}
	counted := t.ofTools(ctx, p.built.Path.Tools) + t.ofText(ctx, p.Request().Tail)
	for _, turn := range p.built.Path.Turns {
		if slices.ContainsFunc(turn.Parts, isImage) {
			return
		}
		counted += t.count(ctx, turn)
	}
	if ctx.Err() != nil { // what ended it may have cut the counts short
		return
	}
	t.calibration.add(ctx, float64(answer.Usage.Prompt)/float64(counted))
}

func isImage(part path.Part) bool { _, ok := part.(path.Image); return ok }
