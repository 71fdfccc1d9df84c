package commands

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// members tells members about heddle, and what they used of it.
type members struct {
	settings *Settings
	limits   *limits.Limits
}

// privacy answers /heddle privacy. It names the providers that read what people write,
// how long answers are kept, and whom people can ask.
func (m *members) privacy(_ context.Context, use *Use) (Reply, error) {
	const day = 24 * time.Hour
	s := m.settings
	named := func(id phrases.ID, model Model) string {
		return use.Language.Text(id, phrases.Values{"Provider": model.Provider, "Model": model.Name})
	}
	lines := []string{use.Language.Text("privacy", phrases.Values{
		"Provider": s.Chat.Provider, "Model": s.Chat.Name, "Days": use.Language.Count("days", max(1, int(s.Keep/day)), nil),
	})}
	if len(s.Fallbacks) > 0 {
		var others []string
		for _, model := range s.Fallbacks {
			others = append(others, named("privacy_model", model))
		}
		lines = append(lines, use.Language.Text("privacy_fallbacks", phrases.Values{"Providers": strings.Join(others, ", ")}))
	}
	if s.Hears != (Model{}) {
		lines = append(lines, named("privacy_hears", s.Hears))
	}
	if s.Reader != (Model{}) {
		lines = append(lines, named("privacy_reader", s.Reader))
	}
	if len(s.Servers) > 0 {
		lines = append(lines, use.Language.Text("privacy_servers", phrases.Values{"Names": strings.Join(s.Servers, ", ")}))
	}
	if s.Contact != "" {
		lines = append(lines, use.Language.Text("privacy_contact", phrases.Values{"Contact": s.Contact}))
	}
	return Reply{Text: phrases.Lines(lines...)}, nil
}

// wish returns the function that answers a command by which people decide whether heddle
// reads what they write.
func wish(fulfil func(context.Context, graph.UserID) error, done phrases.ID) func(context.Context, *Use) (Reply, error) {
	return func(ctx context.Context, use *Use) (Reply, error) {
		if err := fulfil(ctx, use.User.ID); err != nil {
			return Reply{}, err
		}
		return use.Say(done, nil), nil
	}
}

// The option of /heddle usage.
const (
	optionWhose = "whose"

	whoseMine    = "mine"
	whoseServers = "servers"
	whoseAll     = "everybody"
)

func usageOptions() []Option {
	return []Option{{Name: optionWhose, Type: discordgo.ApplicationCommandOptionString, Choices: []Choice{
		{Value: whoseMine}, {Value: whoseServers}, {Value: whoseAll},
	}}}
}

// usage answers /heddle usage: what answers took today and this month. Everybody may ask
// about themselves, admins about their guild, and operators about everything.
func (m *members) usage(ctx context.Context, use *Use) (Reply, error) {
	who, head := store.Spender{Person: use.User.ID}, phrases.ID("usage_mine")
	switch {
	case use.Is(optionWhose, whoseServers) && use.Guild != 0:
		if !use.manages() && !use.operates {
			return use.Say("admins_only", nil), nil
		}
		who, head = store.Spender{Guild: use.Guild}, "usage_server"
	case use.Is(optionWhose, whoseAll):
		if !use.operates {
			return use.Say("operators_only", nil), nil
		}
		who, head = store.Spender{}, "usage_all"
	}
	day, month, err := m.limits.Spent(ctx, time.Now(), who)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: phrases.Lines(
		use.Language.Text(head, nil), m.usageLine(use, "usage_today", day), m.usageLine(use, "usage_month", month),
	)}, nil
}

// usageLine returns what answers took within a time.
func (m *members) usageLine(use *Use, within phrases.ID, spent store.Spent) string {
	line := use.Language.Count(within, int(spent.Answers), nil)
	if spent.Answers > 0 && spent.Prompt+spent.Completion == 0 {
		return line + use.Language.Text("usage_unreported", nil)
	}
	line += use.Language.Text("usage_tokens", phrases.Values{"Read": spent.Prompt, "Cached": spent.Cached, "Written": spent.Completion})
	if !m.settings.Priced {
		return line
	}
	const micros = 1e6
	cost := phrases.Cost{Amount: float64(spent.Micros) / micros, Currency: m.settings.Currency}
	return line + use.Language.Text("usage_cost", phrases.Values{"Cost": cost})
}

// limitsHere answers /heddle limits: every limit that applies to the person here, with what
// of it is used.
func (m *members) limitsHere(ctx context.Context, use *Use) (Reply, error) {
	all, err := m.limits.Standings(ctx, limits.Who{Person: use.User.ID, Channel: use.Channel, Guild: use.Guild})
	if err != nil {
		return Reply{}, err
	}
	if len(all) == 0 {
		return use.Say("limits_none", nil), nil
	}
	lines := []string{use.Language.Text("limits_head", nil)}
	for i := range all {
		lines = append(lines, limitLine(use, &all[i]))
	}
	return Reply{Text: phrases.Lines(lines...)}, nil
}

// limitLine returns the line of one limit.
func limitLine(use *Use, s *limits.Standing) string {
	whose := map[limits.Whose]phrases.ID{
		limits.OfPerson: "limit_you", limits.OfChannel: "limit_channel", limits.OfGuild: "limit_server", limits.OfAll: "limit_all",
	}[s.Whose]
	line, unit := phrases.ID("limit_day"), phrases.ID("unit_answers")
	if s.Per == limits.Hourly {
		line = "limit_hour"
	}
	if s.Of == limits.Tokens {
		unit = "unit_tokens"
	}
	return use.Language.Text(line, phrases.Values{
		"Whose": use.Language.Text(whose, nil), "Unit": use.Language.Text(unit, nil), "Used": s.Used, "Most": s.Most, "When": phrases.At(s.Until),
	})
}
