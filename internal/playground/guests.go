package playground

import (
	"fmt"
	"maps"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/export"
)

// guests maps the ids in exports to the people and channels that were made for them.
type guests struct {
	accounts map[graph.UserID]graph.UserID
	names    map[graph.UserID]string // names by the ids in the playground
	channels map[graph.ChannelID]graph.ChannelID
}

// adopt returns the account of somebody from an export, and creates it if necessary. A
// webhook keeps its id and needs no account.
func (w *world) adopt(u discord.User) graph.UserID {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id, known := w.guests.accounts[u.ID]; known {
		return id
	}
	if w.guests.accounts == nil {
		w.guests = guests{map[graph.UserID]graph.UserID{}, map[graph.UserID]string{}, map[graph.ChannelID]graph.ChannelID{}}
	}
	name := u.DisplayName()
	var id graph.UserID
	if u.Bot {
		id = w.discord.People.AddBot(name, w.home).User
	} else {
		id = w.discord.People.AddUser(name, w.home)
	}
	w.guests.accounts[u.ID], w.guests.names[id] = id, name
	return id
}

// open creates the channel for an export. A thread becomes a thread if its channel was
// imported before, and otherwise a channel.
func (w *world) open(info export.Info, name string, owner graph.UserID) (channel, error) {
	w.mu.RLock()
	parent := w.guests.channels[info.Parent]
	w.mu.RUnlock()
	c := channel{Name: name, Topic: "imported: everything in it stays on this machine", Imported: true}
	if !info.Thread || parent == 0 {
		c.ID = w.discord.World.AddChannel(w.home, discordtest.ChannelDraft{Name: name})
		return c, nil
	}
	draft := discordtest.ThreadDraft{Name: name}
	if _, started := w.discord.Chat.Message(parent, graph.MessageID(info.Channel)); started {
		if _, taken := w.channel(info.Channel); !taken {
			draft.Starter = graph.MessageID(info.Channel)
		}
	}
	id, err := w.discord.World.AddThread(parent, owner, draft)
	if err != nil {
		return channel{}, fmt.Errorf("start the thread %s: %w", name, err)
	}
	c.ID, c.Parent = id, parent
	return c, nil
}

// show lists an imported channel, before the direct messages.
func (w *world) show(c channel, info export.Info) {
	w.arrange(func() {
		w.guests.channels[info.Channel] = c.ID
		w.insertLocked(c)
	})
}

// guestNames returns the names of everybody who came from exports.
func (w *world) guestNames() map[graph.UserID]string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return maps.Clone(w.guests.names)
}

// imported returns the channel that was made for an exported one, and reports whether
// there is one.
func (w *world) imported(id graph.ChannelID) (channel, bool) {
	w.mu.RLock()
	own := w.guests.channels[id]
	w.mu.RUnlock()
	return w.channel(own)
}
