package why

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

// Options are the options of Explain.
type Options struct {
	Files   []string // exports of one conversation; at least one
	At      string   // the message: an id, a link, "last" for the newest, or "" for the last that mentions heddle
	Self    string   // the id of heddle's account in the export; "" for the bot that the message mentions
	JSON    bool     // instead of text
	Compare []string // names of strategies to compare with
	Bot     Bot      // whose thresholds are tried

	Zone    *time.Location // the time zone of what is shown; nil for UTC
	Columns int            // the width of the text; 0 for 96
}

// Explain writes from which messages heddle would answer a message, and why. An error
// in the input is an *terminal.InputError.
func Explain(ctx context.Context, o Options, out io.Writer) error {
	var self graph.UserID
	if err := self.UnmarshalText([]byte(o.Self)); err != nil {
		return terminal.Errorf("--self %q is not the id of an author; copy it from the bot's menu on Discord", o.Self)
	}
	a, err := parseAim(o.At)
	if err != nil {
		return err
	}
	channels, err := o.load(ctx, a)
	if err != nil {
		return err
	}
	home, trigger, err := channels.find(a, self, o.Files)
	if err != nil {
		return err
	}
	p := Place{
		Guild: home.Guild.ID, Channel: home.ID, Named: guilds.Named{Guild: home.Guild.Name, Channel: home.Name, Topic: home.Topic},
		Self: channels.account(self, &trigger), Near: channels.near,
	}
	if home.Thread {
		p.Parent, p.Named.Channel = home.Parent, home.Above
	}
	chosen, err := p.Preview(ctx, trigger, o.Bot, o.Compare)
	if err != nil {
		return err
	}
	if o.JSON {
		return chosen.encode(out, Of(ctx, chosen.Graph, &chosen.Built, chosen.Request().Tail, o.Bot.Settings))
	}
	r := report{home: home.Name, self: p.Self.ID != 0, above: channels[p.Parent] != nil, people: channels.people()}
	if _, err := io.WriteString(out, r.text(&o, &chosen)); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	return nil
}

// encode writes what a question would be answered from as JSON, with what other strategies
// take if there are any.
func (c *Choice) encode(out io.Writer, made Answer) error {
	var value any = struct {
		Graph

		Path Path `json:"path"`
	}{made.Graph, made.Path}
	if c.Beside != nil {
		value = map[string]any{"graph": made.Graph, "path": made.Path, "compare": c.Beside}
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	return nil
}

// exports are exported channels by their ids.
type exports map[graph.ChannelID]*export.Channel

// load reads the files.
func (o *Options) load(ctx context.Context, a aim) (exports, error) {
	all, err := export.LoadFiles(ctx, o.Files, a.message)
	channels := exports{}
	for i := range all {
		channels[all[i].ID] = &all[i]
	}
	return channels, err
}

// find returns the message that is aimed at and its channel. The channels have to be
// one, or threads and the channel that they are in.
func (channels exports) find(a aim, self graph.UserID, files []string) (home *export.Channel, found discord.Message, err error) {
	switch {
	case a.message != 0:
		home, found = channels.newest(func(m *discord.Message) bool { return m.ID == a.message })
	case a.mention:
		home, found = channels.newest(func(m *discord.Message) bool {
			mentions := slices.ContainsFunc(m.Mentions, func(u discord.User) bool { return u.ID == self || self == 0 && u.Bot })
			return mentions && !m.Author.Bot && m.Type.Conversational()
		})
	}
	if home == nil && a.message == 0 {
		home, found = channels.newest(func(m *discord.Message) bool {
			return m.Type.Conversational() && (!m.Author.Bot || m.Webhook != 0) // by a person, not an application
		})
	}
	read := 0
	for _, c := range channels {
		read += c.Read
	}
	named := strings.Join(files, " and ")
	switch {
	case read == 0:
		return nil, found, terminal.Errorf("%s holds no message; export the channel again, without a range of dates or with another", named)
	case home == nil && a.message == 0:
		return nil, found, terminal.Errorf("none of the messages of %s was written by a person; name the one to explain: --at ID", named)
	case home == nil:
		return nil, found, terminal.Errorf("message %s is not among the %d messages of %s; check the id, or export the channel it is in", a.message, read, named)
	case a.channel != 0 && a.channel != home.ID:
		return nil, found, terminal.Errorf("--at links to a message of channel %s, but %s is of #%s (%s); export the channel that the link leads to", a.channel, named, home.Name, home.ID)
	}
	for _, other := range channels {
		if other != home && (!home.Thread || other.ID != home.Parent) && (!other.Thread || other.Parent != home.ID) {
			return nil, found, terminal.Errorf("#%s and #%s are two conversations; give the files of one channel, or of a thread and its channel", home.Name, other.Name)
		}
	}
	return home, found, nil
}

// newest returns the newest message that fits and its channel, or no channel if none does.
func (channels exports) newest(fits func(*discord.Message) bool) (home *export.Channel, found discord.Message) {
	for _, c := range channels {
		for i := range slices.Backward(c.Messages) {
			if m := &c.Messages[i]; fits(m) {
				if m.ID > found.ID {
					home, found = c, *m
				}
				break
			}
		}
	}
	return home, found
}

// people returns the names of those who wrote, by their ids.
func (channels exports) people() map[string]string {
	names := map[string]string{}
	for _, c := range channels {
		for i := range c.Messages {
			names[c.Messages[i].Author.ID.String()] = c.Messages[i].Author.DisplayName()
		}
	}
	return names
}

// account returns heddle's account: the one with an id or, without, a bot that a message
// mentions.
func (channels exports) account(id graph.UserID, trigger *discord.Message) discord.User {
	for _, u := range trigger.Mentions {
		if u.ID == id || id == 0 && u.Bot {
			return u
		}
	}
	for _, c := range channels {
		for i := range c.Messages {
			if c.Messages[i].Author.ID == id {
				return c.Messages[i].Author
			}
		}
	}
	return discord.User{ID: id}
}

// near returns messages as fetch.Recorded does.
func (channels exports) near(channel graph.ChannelID, message graph.MessageID, older, newer int) []discord.Message {
	c := channels[channel]
	if c == nil {
		return nil
	}
	at, held := slices.BinarySearchFunc(c.Messages, message, func(m discord.Message, id graph.MessageID) int { return cmp.Compare(m.ID, id) })
	if !held {
		return nil
	}
	return c.Messages[max(at-older, 0):min(at+newer+1, len(c.Messages))]
}

// lastMessage is the argument that stands for the newest message by a person.
const lastMessage = "last"

// aim is the message to explain.
type aim struct {
	message graph.MessageID // zero for the newest
	channel graph.ChannelID // zero if only the message was named
	mention bool            // the newest that mentions heddle, if any does
}

// parseAim parses the id of a message, a link to one, "last" or "".
func parseAim(text string) (a aim, err error) {
	if text == "" || text == lastMessage {
		return aim{mention: text == ""}, nil
	}
	id := text
	if _, path, isLink := strings.Cut(text, "/channels/"); isLink {
		parts := strings.Split(strings.TrimRight(path, "/"), "/")
		if len(parts) != 3 || a.channel.UnmarshalText([]byte(parts[1])) != nil {
			return aim{}, terminal.Errorf("--at %q leads to no message; copy the link from the message's own menu on Discord", text)
		}
		id = parts[2]
	}
	if err := a.message.UnmarshalText([]byte(id)); err != nil || a.message == 0 {
		return aim{}, terminal.Errorf("--at %q is neither a message's id nor a link to one; copy either from the message's own menu on Discord, or use --at %s", text, lastMessage)
	}
	return a, nil
}
