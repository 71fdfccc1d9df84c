package why

import (
	"context"
	"fmt"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/evaluation"
)

// Answering is the evaluation.Strategy of the bot as it answers, just started: with what it
// recalls.
func (b Bot) Answering(sight evaluation.Sight) (evaluation.Chosen, error) {
	names := make(map[graph.UserID]string)
	for i := range sight.Before {
		names[sight.Before[i].Author] = sight.Before[i].Name
	}
	trigger := wire(&sight.Trigger, names)
	place := Place{
		Guild: 1, Channel: evaluation.LogChannel, Self: discord.User{ID: 1 << 60}, // who wrote nothing
		Near: func(_ graph.ChannelID, message graph.MessageID, older, newer int) (near []discord.Message) {
			at := evaluation.Index(message)
			if at < 0 || at > len(sight.Before) {
				return nil
			}
			for i := max(at-older, 0); i < min(at+newer+1, len(sight.Before)); i++ {
				near = append(near, wire(&sight.Before[i], names))
			}
			if at == len(sight.Before) {
				near = append(near, trigger)
			}
			return near
		},
	}
	choice, err := place.Preview(context.Background(), trigger, b, nil)
	if err != nil {
		return evaluation.Chosen{}, fmt.Errorf("prepare an answer: %w", err)
	}
	return evaluation.ChosenOf(choice.Graph), nil
}

// wire returns a message of a log as Discord would send it. names holds what people are
// called.
func wire(m *graph.Message, names map[graph.UserID]string) discord.Message {
	sent := discord.Message{
		ID: m.ID, Channel: m.Channel, Author: discord.User{ID: m.Author, Name: m.Name, Bot: m.Origin == graph.OriginBot}, Content: m.Text, Time: m.Time,
		Whole: true,
	}
	for _, a := range m.Attachments {
		sent.Attachments = append(sent.Attachments, discord.Attachment{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size, Spoiler: a.Spoiler})
	}
	if m.System {
		sent.Type = 6 // a pin, which is no part of a conversation
	}
	for _, r := range m.References {
		switch r.Kind {
		case graph.ReferenceReply:
			sent.Type, sent.Reference = discord.TypeReply, &discord.Reference{Message: r.Message, Channel: m.Channel}
		case graph.ReferenceAddress:
			name := names[r.User]
			sent.Mentions = append(sent.Mentions, discord.User{ID: r.User, Name: name})
			if name != "" { // whoever wrote nothing has none
				sent.Content = strings.Replace(sent.Content, "@"+name, "<@"+r.User.String()+">", 1)
			}
		case graph.ReferenceStarter, graph.ReferenceForward, graph.ReferenceInferred, graph.ReferenceLink: // logs hold none of these
		}
	}
	return sent
}
