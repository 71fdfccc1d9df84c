package operating

import (
	"context"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/store"
)

// The option of /heddle usage.
const (
	optionWhose = "whose"

	whoseMine    = "mine"
	whoseServers = "server"
	whoseAll     = "everybody"
)

// usage answers /heddle usage: what answers took.
type usage struct {
	spending Spending
	priced   bool
}

// command shows what answers took today and this month. Everybody may ask about
// themselves, admins about their guild, and operators about everything.
func (u *usage) command(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	who, head := store.Spender{Person: use.User.ID}, phrases.UsageMine
	switch whose, _ := use.Option(optionWhose); {
	case whose == whoseServers && use.Guild != 0:
		if !use.Manages() && !use.Operates() {
			return use.Say(phrases.AdminsOnly, nil), nil
		}
		who, head = store.Spender{Guild: use.Guild}, phrases.UsageServer
	case whose == whoseAll:
		if !use.Operates() {
			return use.Say(phrases.OperatorsOnly, nil), nil
		}
		who, head = store.Spender{}, phrases.UsageAll
	}
	day, month, err := u.spending.Of(ctx, time.Now(), who)
	if err != nil {
		return commands.Reply{}, err
	}
	return commands.Reply{Text: phrases.Lines(
		use.Language.Text(head, nil), u.line(use, phrases.UsageToday, day), u.line(use, phrases.UsageMonth, month),
	)}, nil
}

// line returns what answers took within a time.
func (u *usage) line(use *commands.Use, within phrases.ID, spent store.Spent) string {
	line := use.Language.Count(within, int(spent.Answers), phrases.Values{"Read": spent.Prompt, "Cached": spent.Cached, "Written": spent.Completion})
	if !u.priced {
		return line
	}
	const micros = 1e6
	return line + use.Language.Text(phrases.UsageCost, phrases.Values{"Cost": phrases.Cost(float64(spent.Micros) / micros)})
}
