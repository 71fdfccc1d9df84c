package discordtest

import (
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// threadState is the part of a channel that only threads have.
type threadState struct {
	owner    graph.UserID
	members  []graph.UserID
	tags     []TagID // of a post
	archived bool
	locked   bool
	created  time.Time
	changed  time.Time // when it was last archived or reopened
}

// holdsPosts reports whether all threads of a channel are posts.
func (k ChannelKind) holdsPosts() bool { return k == Forum || k == Media }

// join adds a member.
func (t *threadState) join(who graph.UserID) { t.members = appendNew(t.members, who) }

// ThreadDraft describes a thread to start.
type ThreadDraft struct {
	Name string
	// Starter is the message of the parent channel that the thread starts from.
	// The thread gets its id. Zero is a thread without a starter.
	Starter graph.MessageID
	Private bool
	Members []graph.UserID
	Tags    []TagID // of a post
}

// TagID identifies a tag of a forum.
type TagID = graph.ID[tagKind]

type tagKind struct{}

// Tag is a tag that posts of a forum can have.
type Tag struct {
	ID        TagID // set by AddChannel
	Name      string
	Emoji     string // of Unicode; empty for none
	Moderated bool   // only those who manage threads may set it
}

// AddThread starts a thread in a channel as its owner. In a Forum the thread is
// empty until its owner's first Post, which gets the thread's id.
func (a *World) AddThread(parent graph.ChannelID, owner graph.UserID, d ThreadDraft) (graph.ChannelID, error) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	t, err := must(a.world.channels, parent).startThread(must(a.world.users, owner), d)
	if err != nil {
		return 0, fmt.Errorf("start thread: %w", err)
	}
	return t.id, nil
}

// SetArchived archives or reopens a thread. A message does not reopen a locked one.
func (a *World) SetArchived(id graph.ChannelID, archived, locked bool) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	c := must(a.world.channels, id)
	if c.thread == nil {
		panic(fmt.Sprintf("discordtest: channel %s is not a thread", id))
	}
	c.archive(archived, locked)
}

// SetPost changes the title and the tags of a thread or post. Bots get THREAD_UPDATE.
func (a *World) SetPost(id graph.ChannelID, title string, tags ...TagID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	c := must(a.world.channels, id)
	c.name, c.thread.tags = title, tags
	c.notify("THREAD_UPDATE", 0)
}

// Tags returns the tags that posts of a forum can have.
func (a *World) Tags(id graph.ChannelID) []Tag {
	a.world.mu.RLock()
	defer a.world.mu.RUnlock()
	return must(a.world.channels, id).tags
}

// archive archives a thread or opens it again, and sends the event of that.
func (c *channel) archive(archived, locked bool) {
	changes := c.thread.archived != archived
	c.thread.archived, c.thread.locked = archived, locked
	if changes {
		c.thread.changed = c.world.clock()
	}
	c.notify("THREAD_UPDATE", 0)
}

// startThread starts a thread in c.
func (c *channel) startThread(owner *user, d ThreadDraft) (*channel, error) {
	if c.guild == nil || c.thread != nil {
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	}
	t := &channel{world: c.world, guild: c.guild, kind: PublicThread, name: d.Name, parent: c}
	if d.Private {
		t.kind = PrivateThread
	}
	now := c.world.clock()
	for _, id := range d.Tags {
		if !slices.ContainsFunc(c.tags, func(tag Tag) bool { return tag.ID == id }) {
			return nil, errForm("applied_tags", "INVALID_TAG", "Unknown tag")
		}
	}
	t.behind = c.behind
	t.thread = &threadState{tags: d.Tags, owner: owner.id, members: append([]graph.UserID{owner.id}, d.Members...), created: now, changed: now}
	starter := c.messages.find(d.Starter)
	switch {
	case d.Starter != 0 && starter == nil:
		return nil, errUnknownMessage()
	case starter != nil && c.world.channels[starter.Thread] != nil:
		return nil, errBadRequest(160004, "A thread has already been created for this message")
	case d.Starter == 0:
		t.id = graph.ChannelID(idIn(c))
	default:
		t.id = graph.ChannelID(d.Starter)
	}
	c.guild.threads = append(c.guild.threads, t)
	c.world.channels[t.id] = t
	t.announce(owner, starter)
	return t, nil
}

// announce creates the messages and sends the events that accompany a new thread.
func (c *channel) announce(owner *user, starter *Message) {
	c.world.emit(event{name: "THREAD_CREATE", channel: c, render: func(viewer) any {
		w := wireChannelOf(c)
		w["newly_created"] = true
		return w
	}})
	if starter != nil {
		marked := *starter
		marked.Flags |= FlagHasThread
		marked.Thread = c.id
		c.parent.replace(&marked)
		c.add(&Message{
			ID: graph.MessageID(c.world.nextID()), Channel: c.id, Author: starter.Author, Type: TypeThreadStarter,
			Reference: &Reference{Guild: c.guild.id, Channel: c.parent.id, Message: starter.ID},
		})
		return
	}
	if c.kind == PublicThread && !c.parent.kind.holdsPosts() {
		c.parent.add(&Message{
			ID: graph.MessageID(c.world.nextID()), Channel: c.parent.id, Author: owner.id, Type: TypeThreadCreated,
			Content: c.name, Reference: &Reference{Guild: c.guild.id, Channel: c.id},
		})
	}
}
