package overrides

import (
	"context"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/store"
)

// The options of the command.
const (
	optionNewest = "newest"
	optionMost   = "most"
	optionPause  = "pause"
)

// applyPrefix begins the names of the buttons that apply previewed thresholds. The place
// to apply them to and the thresholds follow.
const applyPrefix = "heddle:context:"

// contextCommand shows and changes which messages are chosen.
type contextCommand struct {
	*Overrides

	history  History
	previews Previewer
}

func (c *contextCommand) command() commands.Command {
	return commands.Command{
		Name: "heddle context", Describe: phrases.CommandContext, Answer: c.answer, Buttons: applyPrefix, Press: c.apply,
		Options: append([]commands.Option{
			{Name: optionNewest, Describe: phrases.OptionNewest, Type: discordgo.ApplicationCommandOptionInteger, Max: mostLinear},
			{Name: optionMost, Describe: phrases.OptionMost, Type: discordgo.ApplicationCommandOptionInteger, Min: 1, Max: float64(c.settings.MostTotal)},
			{Name: optionPause, Describe: phrases.OptionPause, Type: discordgo.ApplicationCommandOptionString, Max: 20},
		}, placeOptions()...),
	}
}

// answer shows the thresholds that apply in a channel. If other ones are given, it shows
// what the last question would be answered from with them, and offers to apply them.
func (c *contextCommand) answer(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	where, _ := use.Option(optionWhere)
	chosen := c.In(ctx, use.Guild, use.Channel, use.Place.Parent)
	now := c.settings.effective(chosen)
	wanted := now
	given := false
	for option, take := range map[string]func(string){
		optionNewest: func(v string) { wanted.newest = whole(v) },
		optionMost:   func(v string) { wanted.most = whole(v) },
		optionPause:  func(v string) { wanted.pause = strings.ToLower(strings.TrimSpace(v)) },
	} {
		if value, set := use.Option(option); set {
			take(value)
			given = true
		}
	}
	if reset, _ := use.Option(optionReset); reset == "true" {
		return c.reset(ctx, use, where)
	}
	if !given {
		return commands.Reply{Text: c.shown(use, now)}, nil
	}
	if refused := c.refusal(use, where, wanted); refused.Text != "" {
		return refused, nil
	}
	preview, err := c.preview(ctx, use, wanted)
	if err != nil {
		return commands.Reply{}, err
	}
	button := applyPrefix + strings.Join([]string{whereOf(where), strconv.Itoa(wanted.newest), strconv.Itoa(wanted.most), wanted.pause}, ":")
	return commands.Reply{
		Text:    phrases.Lines(use.Language.Text(phrases.ContextWould, nil), described(use, wanted), preview),
		Buttons: outbox.Rows{{outbox.Button(button, use.Language.Text(phrases.LabelApply, nil))}},
	}, nil
}

// whole returns a whole number, or one that is out of all bounds.
func whole(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// shown returns the thresholds that apply, and how to change them.
func (c *contextCommand) shown(use *commands.Use, now thresholds) string {
	how := phrases.ContextHow
	if !c.settings.Context || !use.ManagesChannel() {
		how = phrases.ContextFixed
	}
	return phrases.Lines(use.Language.Text(phrases.ContextNow, nil), described(use, now), use.Language.Text(how, nil))
}

// described returns thresholds in words.
func described(use *commands.Use, t thresholds) string {
	pause := t.pause
	if pause == "auto" {
		pause = use.Language.Text(phrases.ContextAuto, nil)
	}
	return use.Language.Text(phrases.ContextThresholds, phrases.Values{"Newest": t.newest, "Most": t.most, "Pause": pause})
}

// refusal returns why thresholds may not be set, or an empty reply if they may.
func (c *contextCommand) refusal(use *commands.Use, where string, wanted thresholds) commands.Reply {
	if !c.settings.Context {
		return use.Say(phrases.OverridesOff, nil)
	}
	if _, refusal := target(use, where); refusal != "" {
		return use.Say(refusal, nil)
	}
	if fault := wanted.fault(&c.settings); fault != "" {
		return use.Say(fault, phrases.Values{"Most": c.settings.MostTotal, "Newest": min(wanted.most, mostLinear)})
	}
	return commands.Reply{}
}

// reset removes the thresholds that were chosen for a place. That is possible even if
// the operator no longer allows thresholds to be chosen.
func (c *contextCommand) reset(ctx context.Context, use *commands.Use, where string) (commands.Reply, error) {
	if refused := c.refusal(use, where, c.settings.effective(store.Override{})); refused.Text != "" && c.settings.Context {
		return refused, nil
	}
	channel, refusal := target(use, where)
	if refusal != "" {
		return use.Say(refusal, nil), nil
	}
	err := c.change(ctx, use.Guild, channel, func(o *store.Override) { o.MinLinear, o.MaxTotal, o.TimeThreshold = nil, nil, "" })
	if err != nil {
		return commands.Reply{}, err
	}
	now := c.settings.effective(c.In(ctx, use.Guild, use.Channel, use.Place.Parent))
	return commands.Reply{Text: phrases.Lines(use.Language.Text(phrases.ContextApplied, nil), described(use, now))}, nil
}

// apply answers a press of the button that applies thresholds. The name of the button may
// be made up, so everything is checked again.
func (c *contextCommand) apply(ctx context.Context, use *commands.Use, rest string) (commands.Reply, error) {
	parts := strings.Split(rest, ":")
	if len(parts) != 4 {
		return use.Say(phrases.CommandUnknown, nil), nil
	}
	wanted := thresholds{whole(parts[1]), whole(parts[2]), parts[3]}
	if refused := c.refusal(use, parts[0], wanted); refused.Text != "" {
		return refused, nil
	}
	channel, _ := target(use, parts[0])
	err := c.change(ctx, use.Guild, channel, func(o *store.Override) {
		o.MinLinear, o.MaxTotal, o.TimeThreshold = &wanted.newest, &wanted.most, wanted.pause
	})
	if err != nil {
		return commands.Reply{}, err
	}
	c.log.InfoContext(ctx, "an admin changed which messages are chosen", "guild", use.Guild, "channel", channel, "by", use.User.ID)
	return commands.Reply{Text: phrases.Lines(use.Language.Text(phrases.ContextApplied, nil), described(use, wanted))}, nil
}
