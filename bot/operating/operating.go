// Package operating answers the commands about how heddle is run: what it may use and has
// used, how it is doing, and where it pauses.
package operating

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// Spending returns what answers took; limits.Ledger does.
type Spending interface {
	Of(ctx context.Context, at time.Time, who store.Spender) (day, month store.Spent, err error)
}

// Limits returns what people may use and have used; limits.Limits does.
type Limits interface {
	Standings(ctx context.Context, who limits.Who) ([]limits.Standing, error)
}

// Deps is what Commands works with. All fields must be set.
type Deps struct {
	Pauses   *Pauses
	Spending Spending
	Limits   Limits
	Stats    func() answer.Stats
	Guilds   func() int // how many guilds heddle is in, as far as this process knows
	// Ping fails if the store cannot be reached.
	Ping func(context.Context) error
}

// Settings are what commands tell people about how heddle is run.
type Settings struct {
	Version string
	Model   string
	Priced  bool // prices are set
}

// Commands returns the commands about how heddle is run.
func Commands(deps Deps, settings Settings) []commands.Command {
	text := discordgo.ApplicationCommandOptionString
	usage, status := &usage{deps.Spending, settings.Priced}, &status{deps, settings, time.Now()}
	return []commands.Command{
		{
			Name: "heddle usage", Describe: phrases.CommandUsage, Answer: usage.command,
			Options: []commands.Option{{Name: optionWhose, Describe: phrases.OptionWhose, Type: text, Choices: []commands.Choice{
				{Name: phrases.ChoiceMine, Value: whoseMine}, {Name: phrases.ChoiceServers, Value: whoseServers}, {Name: phrases.ChoiceEverybodys, Value: whoseAll},
			}}},
		},
		{Name: "heddle limits", Describe: phrases.CommandLimits, Answer: standing{deps.Limits}.command},
		{Name: "heddle status", Describe: phrases.CommandStatus, For: commands.ForOperators, Answer: status.command},
		{
			Name: "heddle pause", Describe: phrases.CommandPause, For: commands.ForOperators, Answer: deps.Pauses.command,
			Options: []commands.Option{
				{Name: optionWhat, Describe: phrases.OptionWhat, Type: text, Required: true, Choices: []commands.Choice{
					{Name: phrases.ChoicePause, Value: "pause"}, {Name: phrases.ChoiceResume, Value: whatResume},
				}},
				{Name: optionWhere, Describe: phrases.OptionPauseWhere, Type: text, Choices: []commands.Choice{
					{Name: phrases.ChoiceThisServer, Value: "here"}, {Name: phrases.ChoiceEverywhere, Value: whereAll},
				}},
			},
		},
	}
}

// standing answers /heddle limits: how much may be used, and how much was.
type standing struct{ limits Limits }

// command lists every limit that applies to the person here, with what of it is used.
func (s standing) command(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	who := limits.Who{Person: use.User.ID, Channel: use.Channel, Guild: use.Guild}
	who.Roles = func(context.Context) ([]graph.RoleID, error) {
		if use.Member == nil {
			return nil, nil
		}
		return use.Member.Roles, nil
	}
	all, err := s.limits.Standings(ctx, who)
	if err != nil {
		return commands.Reply{}, err
	}
	if len(all) == 0 {
		return use.Say(phrases.LimitsNone, nil), nil
	}
	lines := []string{use.Language.Text(phrases.LimitsHead, nil)}
	for i := range all {
		lines = append(lines, limitLine(use, &all[i]))
	}
	return commands.Reply{Text: phrases.Lines(lines...)}, nil
}

// limitLine returns the line of one limit.
func limitLine(use *commands.Use, s *limits.Standing) string {
	whose := map[limits.Whose]phrases.ID{
		limits.OfPerson: phrases.LimitYou, limits.OfChannel: phrases.LimitChannel, limits.OfGuild: phrases.LimitServer, limits.OfAll: phrases.LimitAll,
	}[s.Whose]
	line := phrases.LimitDay
	if s.Per == limits.Hourly {
		line = phrases.LimitHour
	}
	unit := phrases.UnitAnswers
	if s.Of == limits.Tokens {
		unit = phrases.UnitTokens
	}
	return use.Language.Text(line, phrases.Values{
		"Whose": use.Language.Text(whose, nil), "Unit": use.Language.Text(unit, nil), "Used": s.Used, "Most": s.Most, "When": phrases.At(s.Until),
	})
}
