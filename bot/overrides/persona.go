package overrides

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/store"
)

const optionText = "text"

// personaCommand shows and changes what the model is told about itself besides what the
// operator tells it.
type personaCommand struct{ *Overrides }

func (p *personaCommand) command() commands.Command {
	return commands.Command{
		Name: "heddle persona", Describe: phrases.CommandPersona, Answer: p.answer,
		Options: append([]commands.Option{
			{Name: optionText, Describe: phrases.OptionPersona, Type: discordgo.ApplicationCommandOptionString, Max: longPersona},
		}, placeOptions()...),
	}
}

// answer shows the persona, changes it or removes it. It can be removed even if the
// operator no longer allows personas.
func (p *personaCommand) answer(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	wanted, given := use.Option(optionText)
	wanted = strings.TrimSpace(wanted)
	reset, _ := use.Option(optionReset)
	switch {
	case reset == "true":
		wanted = ""
	case !given:
		return p.shown(ctx, use), nil
	case !p.settings.Persona:
		return use.Say(phrases.OverridesOff, nil), nil
	case utf8.RuneCountInString(wanted) > longPersona:
		return use.Say(phrases.PersonaLong, phrases.Values{"Most": longPersona}), nil
	}
	where, _ := use.Option(optionWhere)
	channel, refusal := target(use, where)
	switch {
	case use.Guild == 0:
		return use.Say(phrases.PersonaDirect, nil), nil
	case refusal != "":
		return use.Say(refusal, nil), nil
	}
	if err := p.change(ctx, use.Guild, channel, func(o *store.Override) { o.Persona = wanted }); err != nil {
		return commands.Reply{}, err
	}
	p.log.InfoContext(ctx, "an admin changed the persona", "guild", use.Guild, "channel", channel, "by", use.User.ID)
	return p.shown(ctx, use), nil
}

// shown returns the persona that holds in a channel.
func (p *personaCommand) shown(ctx context.Context, use *commands.Use) commands.Reply {
	persona := p.In(ctx, use.Guild, use.Channel, use.Place.Parent).Persona
	if persona == "" {
		return use.Say(phrases.PersonaNone, nil)
	}
	return use.Say(phrases.PersonaNow, phrases.Values{"Persona": persona})
}
