package overrides

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
)

// History reads what was said; fetch.History does.
type History interface {
	Mention(place fetch.Place) *fetch.Mention
	Next(channel graph.ChannelID) (graph.MessageID, bool)
}

// Previewer chooses what a question would be answered from; answer.Answers does.
type Previewer interface {
	Preview(ctx context.Context, q conversation.Question) (*graph.Graph, error)
}

// The options that every command has.
const (
	optionWhere = "where"
	optionReset = "reset"

	whereChannel = "channel"
	whereServer  = "server"
)

// Commands returns the commands by which admins override settings.
func (o *Overrides) Commands(history History, previews Previewer) []commands.Command {
	return []commands.Command{
		(&contextCommand{o, history, previews}).command(),
		(&modelCommand{o}).command(),
		(&personaCommand{o}).command(),
	}
}

// placeOptions returns the options that say which place a choice is for, and whether it is
// removed there.
func placeOptions() []commands.Option {
	return []commands.Option{{
		Name: optionWhere, Describe: phrases.OptionWhere, Type: discordgo.ApplicationCommandOptionString,
		Choices: []commands.Choice{{Name: phrases.ChoiceChannel, Value: whereChannel}, {Name: phrases.ChoiceServer, Value: whereServer}},
	}, {
		Name: optionReset, Describe: phrases.OptionReset, Type: discordgo.ApplicationCommandOptionBoolean,
	}}
}

// target returns the channel that an override is for, or 0 for the whole server. refusal
// says why the person may not change it, or is "" if they may.
func target(use *commands.Use, where string) (channel graph.ChannelID, refusal phrases.ID) {
	switch {
	case where != whereServer && use.ManagesChannel():
		return use.Channel, ""
	case where == whereServer && use.Guild != 0 && use.Manages():
		return 0, ""
	}
	return 0, phrases.AdminsOnly
}

func whereOf(where string) string {
	if where == whereServer {
		return where
	}
	return whereChannel
}
