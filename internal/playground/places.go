package playground

import (
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// kindForum is the kind of a channel whose posts are threads.
const kindForum = "forum"

// The greatest numbers of characters that Discord accepts for names.
const (
	mostInName        = 32
	mostInChannelName = 100
)

// named returns a name without surrounding spaces, or an error if it is empty or too
// long.
func named(name string, most int) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", refusedError("give it a name first")
	case utf8.RuneCountInString(name) > most:
		return "", refusedError("this name is too long for Discord")
	}
	return name, nil
}

type nameRequest struct {
	Name string `json:"name"`
}

// places adds people, channels, threads and posts to the world.
type places struct{ world *world }

// addPerson adds a member of the guild, with direct messages to heddle.
func (p places) addPerson(r nameRequest) (any, error) {
	name, err := named(r.Name, mostInName)
	if err != nil {
		return nil, err
	}
	w := p.world
	if people, _ := w.listed(); slices.ContainsFunc(people, func(p person) bool { return strings.EqualFold(p.Name, name) }) {
		return nil, refusedError("somebody here has that name already")
	}
	id := w.discord.People.AddUser(name, w.home)
	direct := w.direct(person{id, name})
	w.arrange(func() {
		w.people = append(w.people, person{id, name})
		w.channels = append(w.channels, direct)
	})
	return map[string]graph.UserID{"id": id}, nil
}

// direct returns the channel of a person's direct messages with heddle.
func (w *world) direct(p person) channel {
	return channel{
		ID: w.discord.World.OpenDM(p.ID, w.bot.User), Name: botName, Only: p.ID,
		Topic: "direct messages of " + p.Name + ": every message is for heddle",
		Ideas: []idea{{As: p.ID, Text: "what would you do on a rainy friday?"}},
	}
}

type channelRequest struct {
	Name    string         `json:"name"`
	Forum   bool           `json:"forum"`
	Private bool           `json:"private"`
	Heddle  bool           `json:"heddle"` // whether heddle sees the channel, if it is private
	People  []graph.UserID `json:"people"` // who sees it, if it is private
}

// addChannel adds a channel or a forum. A private one is seen by the people that
// the request names, and by heddle if it says so.
func (p places) addChannel(r channelRequest) (any, error) {
	name, err := named(r.Name, mostInChannelName)
	if err != nil {
		return nil, err
	}
	w := p.world
	draft := discordtest.ChannelDraft{Name: name, Private: r.Private}
	c := channel{Name: name, Private: r.Private}
	if r.Forum {
		draft.Kind, c.Kind = discordtest.Forum, kindForum
	}
	if r.Private {
		draft.Readers = r.People
		if r.Heddle {
			draft.Readers = append(slices.Clone(r.People), w.bot.User)
		}
		c.Topic = "private"
		if !r.Heddle {
			c.Topic = "private: heddle does not see it"
		}
	}
	c.ID = w.discord.World.AddChannel(w.home, draft)
	w.arrange(func() { w.insertLocked(c) })
	return map[string]graph.ChannelID{"id": c.ID}, nil
}

type threadRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Message graph.MessageID `json:"message"` // that it starts from; zero in a forum
	Name    string          `json:"name"`
	Content string          `json:"content"` // the first message of a post
}

// addThread starts a thread from a message, or a post in a forum.
func (p places) addThread(r threadRequest) (any, error) {
	name, err := named(r.Name, mostInChannelName)
	if err != nil {
		return nil, err
	}
	w := p.world
	parent, known := w.channel(r.Channel)
	if !known || !w.hasPerson(r.Author) || !w.sees(r.Author, r.Channel) {
		return nil, errNobody
	}
	post := parent.Kind == kindForum
	if post && (strings.TrimSpace(r.Content) == "" || utf8.RuneCountInString(r.Content) > 2000) {
		return nil, refusedError("a post begins with a message of up to 2,000 characters")
	}
	if !post && r.Message == 0 {
		return nil, refusedError("a thread starts from a message here")
	}
	id, err := w.discord.World.AddThread(r.Channel, r.Author, discordtest.ThreadDraft{Name: name, Starter: r.Message})
	if err != nil {
		return nil, refusedError("Discord starts no thread here: the message is gone, or has one")
	}
	if post {
		if _, err := w.discord.Chat.Post(id, r.Author, discordtest.Draft{Content: r.Content}); err != nil {
			return nil, refusedError("Discord refuses this message")
		}
	}
	c := channel{ID: id, Name: name, Parent: r.Channel, Private: parent.Private}
	w.arrange(func() { w.insertLocked(c) })
	return map[string]graph.ChannelID{"id": id}, nil
}

// insertLocked lists a channel, before the direct messages.
func (w *world) insertLocked(c channel) {
	at := slices.IndexFunc(w.channels, func(c channel) bool { return c.Only != 0 })
	w.channels = slices.Insert(slices.Clone(w.channels), at, c)
}

// readers returns the people who see a channel.
func (w *world) readers(c channel, people []person) []graph.UserID {
	all := make([]graph.UserID, 0, len(people))
	for _, p := range people {
		if w.sees(p.ID, c.ID) {
			all = append(all, p.ID)
		}
	}
	return all
}
