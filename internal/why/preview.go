package why

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
	"heddle/llm"
	"heddle/store"
)

// Bot is how heddle prepares what questions are answered from.
type Bot struct {
	conversation.Settings

	Tools []path.Tool // that the model may call
}

// Place is a channel in which a message asks.
type Place struct {
	Guild   graph.GuildID // zero for a direct message
	Channel graph.ChannelID
	Parent  graph.ChannelID // the channel of a thread, else zero
	Named   guilds.Named    // after the parent in a thread
	Self    discord.User    // heddle; without an id for nobody
	// Near returns a message of a channel as fetch.Recorded does.
	Near fetch.Recorded
	// Files are the hosts that files are read from; none are if there are none.
	Files []string
}

// Choice is what heddle would answer a message from, and what other strategies would take.
type Choice struct {
	*conversation.Prepared

	Beside []Beside // in the order of names
}

// Preview returns what a bot would answer a message of a place from, and what the named
// strategies would take. The bot has just started, and has answered nothing before. An
// error in the arguments is an *terminal.InputError.
func (p Place) Preview(ctx context.Context, trigger discord.Message, b Bot, names []string) (Choice, error) {
	strategies, err := parseStrategies(names, b.Expand)
	switch {
	case err != nil:
		return Choice{}, err
	case !trigger.Type.Conversational():
		return Choice{}, terminal.Errorf("message %s is a notice of Discord's own, which asks nothing; choose one that somebody wrote", trigger.ID)
	case trigger.Author.ID == p.Self.ID:
		return Choice{}, terminal.Errorf("message %s is by heddle itself; choose the question that it answers", trigger.ID)
	}
	var c Choice
	if c.Prepared, err = p.prepare(ctx, trigger, b); err != nil {
		return Choice{}, err
	}
	for _, s := range strategies {
		taken, err := p.choose(ctx, trigger, b, s)
		if err != nil {
			return Choice{}, err
		}
		c.Beside = append(c.Beside, besideOf(s.Name, taken))
	}
	return c, nil
}

// prepare prepares an answer to a message as the bot does.
func (p Place) prepare(ctx context.Context, trigger discord.Message, b Bot) (*conversation.Prepared, error) {
	known, err := p.guilds()
	if err != nil {
		return nil, err
	}
	history := fetch.NewRecord(func(channel graph.ChannelID, message graph.MessageID, older, newer int) []discord.Message {
		near := slices.Clone(p.Near(channel, message, older, newer))
		return slices.DeleteFunc(near, func(m discord.Message) bool { return m.ID > trigger.ID })
	}, p.Self.ID)
	history.LeaveOut(phrases.WithoutNotices)
	history.Hold(ctx, &trigger)
	var downloads *fetch.Files
	if len(p.Files) > 0 {
		downloads = fetch.NewFiles(history, p.Files...)
	}
	log := slog.New(slog.DiscardHandler)
	stored := store.New(nothing{}, store.Options{})
	people := guilds.NewPeople(stored, history, log)
	preparer := conversation.New(conversation.Deps{
		History: history, Store: stored, Model: new(llm.Client), Files: conversation.NewFiles(downloads, people, log), Guilds: known, People: people, Writes: store.NewErasing(stored, log), Log: log,
	}, b.Settings)
	prepared, err := preparer.Preview(ctx, conversation.Question{Guild: p.Guild, Channel: p.Channel, ID: trigger.ID, Place: known.Place(p.Channel, p.Guild)}, conversation.Offered{Own: b.Tools})
	if err != nil {
		return nil, fmt.Errorf("prepare an answer to %s: %w", trigger.ID, err)
	}
	return prepared, nil
}

// guilds returns what the bot knows of the place: everybody may read there. The parent of a
// thread that holds its own first message is a forum.
func (p Place) guilds() (*guilds.Cache, error) {
	known := guilds.New(nil)
	known.Ready(discord.Ready{User: p.Self})
	if p.Guild == 0 {
		return known, nil
	}
	type object = map[string]any
	home := object{"id": p.Channel, "type": discord.ChannelText, "name": p.Named.Channel, "topic": p.Named.Topic}
	guild := object{"id": p.Guild, "name": p.Named.Guild, "channels": []object{home}, "roles": []object{
		{"id": p.Guild, "permissions": strconv.FormatUint(uint64(discord.PermissionViewChannel|discord.PermissionReadHistory), 10)},
	}}
	if p.Parent != 0 {
		home["id"] = p.Parent
		if len(p.Near(p.Channel, graph.MessageID(p.Channel), 0, 0)) > 0 {
			home["type"] = discord.ChannelForum
		}
		guild["threads"] = []object{{"id": p.Channel, "type": discord.ChannelPublicThread, "parent_id": p.Parent}}
	}
	raw, err := json.Marshal(guild)
	if err == nil {
		_, _, err = known.Apply("GUILD_CREATE", raw)
	}
	if err != nil {
		return nil, fmt.Errorf("describe the channel: %w", err)
	}
	return known, nil
}

// choose returns what a strategy chooses.
func (p Place) choose(ctx context.Context, trigger discord.Message, b Bot, s evaluation.Rival) ([]graph.Message, error) {
	if s.Strategy == nil {
		b.Expand.Affinity = nil
		plain, err := p.prepare(ctx, trigger, b)
		if err != nil {
			return nil, err
		}
		return graph.Messages(plain.Graph.Conversation), nil
	}
	sight := evaluation.Sight{Trigger: fetch.Render(trigger, p.Self.ID)}
	for _, m := range p.Near(p.Channel, trigger.ID, heldBefore, 0) {
		if m.ID != trigger.ID {
			sight.Before = append(sight.Before, fetch.Render(m, p.Self.ID))
		}
	}
	chosen, err := s.Strategy(sight)
	if err != nil {
		return nil, fmt.Errorf("choose as %s does: %w", s.Name, err)
	}
	messages := make([]graph.Message, 0, len(chosen.Conversation))
	for _, at := range chosen.Conversation {
		messages = append(messages, sight.Before[at])
	}
	return messages, nil
}

// nothing is an empty store that is only read.
type nothing struct{ store.Engine }

// Read reads nothing.
func (n nothing) Read(_ context.Context, _ store.Scope, read func(store.Reader) error) error {
	return read(n)
}

// Get finds no value.
func (nothing) Get(names ...string) ([][]byte, error) { return make([][]byte, len(names)), nil }

// Members finds no member.
func (nothing) Members(sets ...string) ([][]string, error) {
	return make([][]string, len(sets)), nil
}
