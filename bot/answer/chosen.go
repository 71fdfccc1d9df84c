package answer

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

// Overrides knows what admins chose for channels; overrides.Overrides does.
type Overrides interface {
	// In returns what holds in a channel: what is chosen for it, else for the channel that
	// its thread belongs to, else for the guild.
	In(ctx context.Context, guild graph.GuildID, channel, parent graph.ChannelID) store.Override
}

// choices are what answers are made by: what the operator chose, and what admins chose in
// place of it.
type choices struct {
	expand    graph.Options
	system    string // the system prompt, without heddle's frame
	overrides Overrides
	paused    func(ctx context.Context, guild graph.GuildID) bool
}

// chosen is what an answer to one question is made by.
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

// isPaused reports whether nothing is answered in a guild for now.
func (c *choices) isPaused(ctx context.Context, guild graph.GuildID) bool {
	return c.paused != nil && c.paused(ctx, guild)
}

// of returns what a question is answered by.
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

// overridden returns options with what is chosen in place of them.
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

// filled returns a system prompt with its macros filled in. What changes from question to
// question is only referred to: the root of all paths has to stay as it is.
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

// inline returns a name as a part of a sentence.
func inline(name string) string {
	const most = 300
	runes := []rune(strings.Join(strings.Fields(name), " "))
	return string(runes[:min(len(runes), most)])
}

// membersOf returns the names of those who take part in a conversation, each once and in
// the order in which they first spoke.
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
