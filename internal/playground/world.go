package playground

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// world is the state of the playground: a guild on the fake Discord with its people,
// the bot and messages.
type world struct {
	discord *discordtest.Server
	guild   string
	home    graph.GuildID
	bot     discordtest.Bot
	written graph.MessageID // the answer that is there from the start
	opened  graph.ChannelID // the first channel from an export that Run was given; zero for none

	mu       sync.RWMutex
	people   []person // the people of this world, beside those from exports
	channels []channel
	guests   map[graph.UserID]string             // names of people from exports
	imported map[graph.ChannelID]graph.ChannelID // channels by their ids in exports
	asked    map[graph.ChannelID]graph.MessageID // after which message somebody wrote last, see goBack
}

type person struct {
	ID   graph.UserID `json:"id"`
	Name string       `json:"name"`
}

type channel struct {
	ID    graph.ChannelID `json:"id"`
	Name  string          `json:"name"`
	Topic string          `json:"topic"`
	Ideas []idea          `json:"ideas"`
	// Only is the one person who sees a direct channel; zero for everybody.
	Only graph.UserID `json:"only"`
	// Kind is "forum" for a forum, else empty.
	Kind string `json:"kind,omitempty"`
	// Private is set for a channel that not everybody sees, and for its threads.
	Private bool `json:"private,omitempty"`
	// Readers are the people who see a private channel.
	Readers []graph.UserID `json:"readers,omitempty"`
	// Parent is the channel of a thread, else zero.
	Parent graph.ChannelID `json:"parent"`
	// Imported is set for a channel that came from an export.
	Imported bool `json:"imported,omitempty"`
	// More is set if the page does not have the oldest messages yet.
	More bool `json:"more,omitempty"`
}

// idea is a message that the page suggests.
type idea struct {
	As      graph.UserID    `json:"as"`
	ReplyTo graph.MessageID `json:"replyTo"`
	Text    string          `json:"text"` // "@heddle" stands for a mention
}

const botName = "heddle"

// newWorld fills a server with people and their earlier messages.
func newWorld(discord *discordtest.Server, now time.Time) (*world, error) {
	w := &world{
		discord: discord, guild: "Loom & Friends", guests: map[graph.UserID]string{}, imported: map[graph.ChannelID]graph.ChannelID{}, asked: map[graph.ChannelID]graph.MessageID{},
	}
	guild := discord.World.AddGuild(w.guild)
	w.home = guild
	ids := map[string]graph.UserID{}
	for _, name := range []string{"Ada", "Bo", "Cleo", "Dev", "Finn", "Ines"} {
		ids[name] = discord.People.AddUser(name, guild)
		w.people = append(w.people, person{ids[name], name})
	}
	w.bot = discord.People.AddBot(botName, guild)
	ids[botName] = w.bot.User
	all, err := scenes()
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := channel{ID: discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: all[i].Name})}
		said, err := w.play(c, &all[i], ids, now)
		if err != nil {
			return nil, err
		}
		w.written = max(w.written, said["answer"])
		if t := all[i].Thread; t != nil {
			id, err := discord.World.AddThread(c.ID, ids[t.Lines[0].Who], discordtest.ThreadDraft{Name: t.Name, Starter: said[t.From]})
			if err != nil {
				return nil, fmt.Errorf("thread %s: %w", t.Name, err)
			}
			if _, err := w.play(channel{ID: id, Parent: c.ID}, t, ids, now); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range w.people {
		w.channels = append(w.channels, w.direct(p))
	}
	return w, nil
}

// play lists a channel with the messages of a scene, and returns the ids of the lines with a
// label.
func (w *world) play(c channel, s *scene, people map[string]graph.UserID, now time.Time) (map[string]graph.MessageID, error) {
	said := map[string]graph.MessageID{}
	for _, l := range s.Lines {
		ids, err := w.discord.Chat.Backfill(c.ID, []discordtest.Draft{{
			Author: people[l.Who], At: now.Add(time.Duration(-l.Minutes) * time.Minute), ReplyTo: said[l.Answers],
			Content: strings.ReplaceAll(l.Text, "@"+botName, "<@"+people[botName].String()+">"),
		}})
		if err != nil {
			return nil, fmt.Errorf("%s, line %q: %w", s.Name, l.Text, err)
		}
		if l.Label != "" {
			said[l.Label] = ids[0]
		}
	}
	c.Name, c.Topic = s.Name, s.Topic
	for _, h := range s.Hints {
		c.Ideas = append(c.Ideas, idea{As: people[h.Who], ReplyTo: said[h.Answers], Text: h.Text})
	}
	w.channels = append(w.channels, c)
	return said, nil
}

// name returns the name of a person or of the bot; empty if there is no such account.
func (w *world) name(id graph.UserID) string {
	if id == w.bot.User {
		return botName
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, p := range w.people {
		if p.ID == id {
			return p.Name
		}
	}
	return w.guests[id]
}

// guestNames returns the names of everybody who came from exports.
func (w *world) guestNames() map[graph.UserID]string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return maps.Clone(w.guests)
}

// answered returns the message that an answer replies to, given any part of the answer.
// Each part replies to the part before it.
func (w *world) answered(id graph.ChannelID, part graph.MessageID) graph.MessageID {
	for _, known := w.channel(id); known; {
		m, ok := w.discord.Chat.Message(id, part)
		if !ok || m.Author != w.bot.User || m.Reference == nil {
			return part
		}
		part = m.Reference.Message
	}
	return part
}

// hasPerson reports whether one can write as somebody.
func (w *world) hasPerson(id graph.UserID) bool {
	return id != w.bot.User && w.name(id) != ""
}

// listed returns the people of this world, and the channels.
func (w *world) listed() ([]person, []channel) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.Clone(w.people), slices.Clone(w.channels)
}

// channel returns a channel and reports whether it exists.
func (w *world) channel(id graph.ChannelID) (channel, bool) {
	_, channels := w.listed()
	at := slices.IndexFunc(channels, func(c channel) bool { return c.ID == id })
	if at < 0 {
		return channel{}, false
	}
	return channels[at], true
}

// canWrite reports whether person and channel exist and the person may write there.
func (w *world) canWrite(who graph.UserID, id graph.ChannelID) bool {
	c, known := w.channel(id)
	return known && c.Kind != kindForum && w.hasPerson(who) && w.sees(who, id)
}

// sees reports whether a person sees a channel or a thread.
func (w *world) sees(who graph.UserID, id graph.ChannelID) bool {
	return w.discord.World.Permissions(id, who)&discordtest.ViewChannel != 0
}

// arrange changes people or channels, and notifies all open pages.
func (w *world) arrange(change func()) {
	w.mu.Lock()
	change()
	w.mu.Unlock()
	w.discord.Chat.Tell(changedWorld)
}
