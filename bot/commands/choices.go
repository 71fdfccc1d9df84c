package commands

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// The options of the commands by which admins override settings.
const (
	optionModel = "model"
	optionText  = "text"
	optionWhere = "where"
	optionReset = "reset"

	whereChannel = "channel"
	whereServer  = "server"
)

// admins answers the commands by which admins override settings.
type admins struct{ deps Deps }

// mostChoices is how many choices of an option Discord takes.
const mostChoices = 25

// choosing returns the options of a command that overrides settings: what is chosen, for
// which place, and whether the choice is removed there.
func choosing(what ...Option) []Option {
	return append(what, Option{
		Name: optionWhere, Type: discordgo.ApplicationCommandOptionString,
		Choices: []Choice{{Value: whereChannel}, {Value: whereServer}},
	}, Option{
		Name: optionReset, Type: discordgo.ApplicationCommandOptionBoolean,
	})
}

// longestChoice is how many characters Discord takes of a choice.
const longestChoice = 100

// modelOptions returns the options of /heddle model. More models than Discord takes
// choices are typed.
func modelOptions(may *conversation.OverrideSettings) []Option {
	option := Option{Name: optionModel, Type: discordgo.ApplicationCommandOptionString, Longest: longestChoice}
	if len(may.Models) <= mostChoices {
		option.Longest = 0 // Discord takes it for typed texts alone
		for _, name := range may.Models {
			described := func(l phrases.Language) string { return describedModel(l, may, name) }
			option.Choices = append(option.Choices, Choice{Name: described(phrases.In()), Names: phrases.LocalizedBy(described), Value: name})
		}
	}
	return choosing(option)
}

// describedModel returns a model's name with what it costs, if that is known, and whether it is
// the default, as far as Discord takes it.
func describedModel(l phrases.Language, s *conversation.OverrideSettings, model string) string {
	const million = 1_000_000
	said := model
	if s.Price != nil {
		in, known := s.Price(model, llm.Usage{Prompt: million})
		out, _ := s.Price(model, llm.Usage{Completion: million})
		if known {
			said = l.Text("model_priced", phrases.Values{
				"Model": model, "In": phrases.Cost{Amount: in, Currency: s.Currency}, "Out": phrases.Cost{Amount: out, Currency: s.Currency},
			})
		}
	}
	if model == s.Model {
		said = l.Text("model_default", phrases.Values{"What": said})
	}
	if utf8.RuneCountInString(said) > longestChoice {
		return model
	}
	return said
}

func personaOptions() []Option {
	return choosing(Option{Name: optionText, Type: discordgo.ApplicationCommandOptionString, Longest: longPersona})
}

// chosen returns the override that applies where a command is used.
func (a *admins) chosen(ctx context.Context, use *Use) store.Override {
	return a.deps.Overrides.In(ctx, use.Guild, use.Channel, use.Place.Parent)
}

// target returns the channel that an override is for, or 0 for the whole server. It fails
// with a phrases.RefusedError if the person may not change it.
func target(use *Use, where string) (graph.ChannelID, error) {
	switch {
	case where != whereServer && use.ManagesChannel():
		return use.Channel, nil
	case where == whereServer && use.Guild != 0 && use.manages():
		return 0, nil
	}
	return 0, phrases.Refused("admins_only", nil)
}

// choose changes the override of a place, if the person may.
func (a *admins) choose(ctx context.Context, use *Use, where string, change func(*store.Override)) error {
	channel, err := target(use, where)
	if err != nil {
		return err
	}
	if err := a.deps.Overrides.Change(ctx, use.Guild, channel, change); err != nil {
		return err
	}
	a.deps.Log.InfoContext(ctx, "an admin changed a setting", "command", use.Command.Name, "guild", use.Guild, "channel", channel, "by", use.User.ID)
	return nil
}

// model answers /heddle model. It shows the model, changes it or, with the option to
// reset, returns to the operator's. A reset is possible even if the operator allows no
// choice.
func (a *admins) model(ctx context.Context, use *Use) (Reply, error) {
	wanted, given := use.Option(optionModel)
	models := a.deps.Overrides.Settings().Models
	switch {
	case use.Is(optionReset, "true"):
		wanted = ""
	case !given:
		return a.shownModel(ctx, use, "model_now"), nil
	case len(models) < 2:
		return use.Say("overrides_off", nil), nil
	case !slices.Contains(models, wanted):
		return use.Say("model_unknown", phrases.Values{"Models": strings.Join(models, ", ")}), nil
	}
	where, _ := use.Option(optionWhere)
	if err := a.choose(ctx, use, where, func(o *store.Override) { o.Model = wanted }); err != nil {
		return Reply{}, err
	}
	return a.shownModel(ctx, use, "model_chosen"), nil
}

// shownModel names the model that answers in a channel.
func (a *admins) shownModel(ctx context.Context, use *Use, id phrases.ID) Reply {
	model := a.chosen(ctx, use).Model
	if model == "" {
		model = a.deps.Overrides.Settings().Model
	}
	return use.Say(id, phrases.Values{"Model": model})
}

// persona answers /heddle persona. It shows what the model is told about itself besides
// what the operator tells it, changes it or removes it. It can be removed even if the
// operator no longer allows personas.
func (a *admins) persona(ctx context.Context, use *Use) (Reply, error) {
	wanted, given := use.Option(optionText)
	wanted = strings.TrimSpace(wanted)
	switch {
	case use.Is(optionReset, "true"):
		wanted = ""
	case !given:
		return a.shownPersona(ctx, use), nil
	case !a.deps.Overrides.Settings().Persona:
		return use.Say("overrides_off", nil), nil
	case utf8.RuneCountInString(wanted) > longPersona:
		return use.Say("persona_long", phrases.Values{"Most": longPersona}), nil
	}
	if use.Guild == 0 {
		return use.Say("persona_direct", nil), nil
	}
	where, _ := use.Option(optionWhere)
	if err := a.choose(ctx, use, where, func(o *store.Override) { o.Persona = wanted }); err != nil {
		return Reply{}, err
	}
	return a.shownPersona(ctx, use), nil
}

// shownPersona returns the persona that holds in a channel.
func (a *admins) shownPersona(ctx context.Context, use *Use) Reply {
	persona := a.chosen(ctx, use).Persona
	if persona == "" {
		return use.Say("persona_none", nil)
	}
	return use.Say("persona_now", phrases.Values{"Persona": persona})
}
