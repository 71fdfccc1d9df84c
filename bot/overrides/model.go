package overrides

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/store"
)

const optionModel = "model"

// modelCommand shows and changes which model answers.
type modelCommand struct{ *Overrides }

func (m *modelCommand) command() commands.Command {
	return commands.Command{
		Name: "heddle model", Describe: phrases.CommandModel, Answer: m.answer,
		Options: append([]commands.Option{
			{Name: optionModel, Describe: phrases.OptionModel, Type: discordgo.ApplicationCommandOptionString, Max: 100, Complete: m.complete},
		}, placeOptions()...),
	}
}

// complete offers the models that may be chosen.
func (m *modelCommand) complete(_ context.Context, _ *commands.Use, typed string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	return slices.DeleteFunc(slices.Clone(m.settings.Models), func(name string) bool { return !strings.Contains(strings.ToLower(name), typed) })
}

// answer shows the model, changes it or, with the option to reset, returns to the
// operator's model. A reset is possible even if the operator allows no choice.
func (m *modelCommand) answer(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	wanted, given := use.Option(optionModel)
	reset, _ := use.Option(optionReset)
	switch {
	case reset == "true":
		wanted = ""
	case !given:
		return m.shown(ctx, use, phrases.ModelNow), nil
	case len(m.settings.Models) < 2:
		return use.Say(phrases.OverridesOff, nil), nil
	case !slices.Contains(m.settings.Models, wanted):
		return use.Say(phrases.ModelUnknown, phrases.Values{"Models": strings.Join(m.settings.Models, ", ")}), nil
	}
	where, _ := use.Option(optionWhere)
	channel, refusal := target(use, where)
	if refusal != "" {
		return use.Say(refusal, nil), nil
	}
	if err := m.change(ctx, use.Guild, channel, func(o *store.Override) { o.Model = wanted }); err != nil {
		return commands.Reply{}, err
	}
	m.log.InfoContext(ctx, "an admin chose a model", "guild", use.Guild, "channel", channel, "model", wanted, "by", use.User.ID)
	return m.shown(ctx, use, phrases.ModelChosen), nil
}

// shown names the model that answers in a channel.
func (m *modelCommand) shown(ctx context.Context, use *commands.Use, id phrases.ID) commands.Reply {
	model := m.In(ctx, use.Guild, use.Channel, use.Place.Parent).Model
	if model == "" {
		model = m.settings.Model
	}
	return use.Say(id, phrases.Values{"Model": model})
}
