package answer

import (
	"context"
	"log/slog"
	"math"
	"time"

	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/llm"
	"heddle/store"
)

// spending counts what answers took; store.Spending does.
type spending interface {
	Add(ctx context.Context, at time.Time, spent store.Spent, by ...store.Spender) error
}

// ledger counts what answers took for whoever asked, their guild and everybody together.
type ledger struct {
	spending spending
	price    func(model string, usage llm.Usage) (cost float64, known bool)
}

// add counts what an answer took, with what its helpers did.
func (l *ledger) add(ctx context.Context, log *slog.Logger, p *Prepared, outcome *tools.Outcome) {
	usage := outcome.Answer.Usage
	for i := range outcome.Branches {
		more := outcome.Branches[i].Answer.Usage
		usage.Prompt += more.Prompt
		usage.Cached += more.Cached
		usage.Completion += more.Completion
	}
	if usage == (llm.Usage{}) && outcome.Answer.Text == "" {
		return
	}
	spent := store.Spent{Answers: 1, Prompt: int64(usage.Prompt), Cached: int64(usage.Cached), Completion: int64(usage.Completion)}
	if l.price != nil {
		const micros = 1e6
		cost, _ := l.price(outcome.Answer.Asked, usage)
		spent.Micros = int64(math.Round(cost * micros))
	}
	by := []store.Spender{{Person: p.asker()}, {}}
	if p.Guild != 0 {
		by = append(by, store.Spender{Guild: p.Guild})
	}
	if err := l.spending.Add(ctx, time.Now(), spent, by...); err != nil {
		log.Log(ctx, work.LogLevel(err), "what an answer took could not be counted, /heddle usage lacks it", "error", err)
	}
}
