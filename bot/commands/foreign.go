package commands

import (
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

// handed is what Discord passes along about a message where heddle is not a member.
type handed struct {
	guild    graph.GuildID
	question *graph.Message // nil if its author opted out
	// repliesTo is what the message replies to; nil if it replies to nothing, if Discord
	// does not tell, or if its author opted out.
	repliesTo *graph.Message
}

// handed returns what came with a use in the menu of a message.
func (w *why) handed(use *Use) handed {
	read := func(m *discord.Message) *graph.Message {
		if m == nil || w.people.OptedOut(m.Author.ID) {
			return nil
		}
		message := fetch.Render(*m, use.Application)
		message.Channel = use.Channel
		return &message
	}
	target := use.Command.Target
	return handed{use.Guild, read(target), read(target.Referenced)}
}

// told words what was handed.
func (h handed) told(language phrases.Language) string {
	t := &telling{&explanation{guild: h.guild}, language}
	lines := []string{t.heading()}
	if h.repliesTo != nil {
		because := language.Text(phrases.WhyRepliedTo, phrases.Values{"From": language.Text(phrases.WhyQuestion, nil)})
		lines = append(lines, Cite(h.guild, h.repliesTo)+"\n-# "+because)
	}
	if h.question != nil {
		lines = append(lines, Cite(h.guild, h.question)+"\n-# "+language.Text(phrases.WhyQuestion, nil))
	}
	return phrases.Lines(append(lines, language.Text(phrases.WhyForeign, nil))...)
}
