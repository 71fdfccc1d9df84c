package conversation

import (
	"cmp"
	"context"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// Overrides returns what admins chose for channels; overrides.Overrides does.
type Overrides interface {
	// In returns the choices in effect in a channel: its own, or else those of the
	// channel that its thread belongs to, or else those of the guild.
	In(ctx context.Context, guild graph.GuildID, channel, parent graph.ChannelID) store.Override
}

// choices are the operator's settings for answers, and the choices of admins that
// replace them.
type choices struct {
	expand    graph.Options
	system    string // the system prompt, without heddle's frame
	overrides Overrides
	paused    func(ctx context.Context, guild graph.GuildID) bool
}

// chosen holds the settings for the answer to one question.
type chosen struct {
	expand  graph.Options
	system  string // the system prompt in its frame
	model   string // "" for the first
	members bool   // the model is told who takes part
}

// newChoices returns the choices of settings.
func newChoices(settings Settings) *choices {
	return &choices{settings.Expand, settings.System, settings.Overrides, settings.Paused}
}

// isPaused reports whether an operator has paused heddle in a guild.
func (c *choices) isPaused(ctx context.Context, guild graph.GuildID) bool {
	return c.paused != nil && c.paused(ctx, guild)
}

// of returns the settings for the answer to a question.
func (c *choices) of(ctx context.Context, q Question) chosen {
	over := store.Override{}
	switch {
	case q.Chosen != nil:
		over = *q.Chosen
	case c.overrides != nil:
		over = c.overrides.In(ctx, q.Guild, q.Channel, q.Place.Parent)
	}
	system := c.system
	if over.Persona != "" {
		system += "\n\n" + over.Persona
	}
	return chosen{
		expand: overridden(c.expand, over), system: llm.System(filled(system, q.Place)), model: over.Model,
		members: strings.Contains(system, "{members}"),
	}
}

// overridden returns options with the choices of admins applied.
func overridden(options graph.Options, over store.Override) graph.Options {
	if over.MinLinear != nil {
		options.MinLinear = *over.MinLinear
	}
	if over.MaxTotal != nil {
		options.MaxTotal = *over.MaxTotal
	}
	if over.TimeThreshold == "auto" {
		options.TimeThreshold = graph.AutoThreshold
	} else if gap, err := time.ParseDuration(over.TimeThreshold); err == nil && gap > 0 {
		options.TimeThreshold = gap
	}
	return options
}

// filled returns a system prompt with its macros filled in. A macro whose value changes
// from question to question is replaced by a reference, as the root of all paths must
// stay the same.
func filled(system string, place guilds.Place) string {
	if !strings.Contains(system, "{") {
		return system
	}
	return strings.NewReplacer(
		"{guild}", inline(cmp.Or(place.Named.Guild, phrases.ModelDirect)),
		"{channel}", inline(cmp.Or(place.Named.Channel, phrases.ModelDirect)),
		"{topic}", inline(cmp.Or(place.Named.Topic, phrases.ModelNoTopic)),
		"{date}", phrases.ModelDateBelow,
		"{members}", phrases.ModelMembersBelow,
	).Replace(system)
}

// inline returns a name in a form that fits into a sentence.
func inline(name string) string {
	const most = 300
	runes := []rune(strings.Join(strings.Fields(name), " "))
	return string(runes[:min(len(runes), most)])
}

// membersOf returns the names of the people in a conversation, each once, in the order
// in which they first spoke.
func membersOf(messages []graph.Message, name func(*graph.Message) string) []string {
	var all []string
	seen := make(map[graph.UserID]bool)
	for i := range messages {
		m := &messages[i]
		if m.Origin == graph.OriginSelf || seen[m.Author] {
			continue
		}
		seen[m.Author] = true
		all = append(all, name(m))
	}
	return all
}
