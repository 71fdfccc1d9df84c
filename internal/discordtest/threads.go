package discordtest

import (
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// threadState is what a thread has beyond a channel.
type threadState struct {
	owner    graph.UserID
	members  []graph.UserID
	archived bool
	locked   bool
	created  time.Time
}

func (t *threadState) describe(w *wireChannel, messages int) {
	members := len(t.members)
	w.Owner, w.MessageCount, w.MemberCount = t.owner, &messages, &members
	w.ThreadMetadata = &wireThreadMetadata{
		Archived: t.archived, Locked: t.locked, AutoArchiveDuration: 1440,
		ArchiveTimestamp: wireTime(t.created), CreateTimestamp: wireTime(t.created),
	}
}

// ThreadDraft says what thread to start.
type ThreadDraft struct {
	Name string
	// Starter is the message of the parent channel that the thread starts from;
	// the thread gets its id. Zero for a thread without one.
	Starter graph.MessageID
	Private bool
	Members []graph.UserID
}

// AddThread starts a thread in a channel as its owner. In a Forum the thread is
// empty until its owner's first Post, which gets the thread's id.
func (s *Server) AddThread(parent graph.ChannelID, owner graph.UserID, d ThreadDraft) (graph.ChannelID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.startThreadLocked(s.world.mustChannel(parent), s.world.mustUser(owner), d)
	if err != nil {
		return 0, fmt.Errorf("start thread: %w", err)
	}
	return t.id, nil
}

// SetArchived archives or reopens a thread; a locked one is not reopened by a message.
func (s *Server) SetArchived(id graph.ChannelID, archived, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.mustChannel(id)
	if c.thread == nil {
		panic(fmt.Sprintf("discordtest: channel %s is no thread", id))
	}
	s.archiveLocked(c, archived, locked)
}

func (s *Server) archiveLocked(c *channel, archived, locked bool) {
	c.thread.archived, c.thread.locked = archived, locked
	s.dispatchLocked(event{name: "THREAD_UPDATE", channel: c, render: func(viewer) any { return wireChannelOf(c) }})
}

func (s *Server) startThreadLocked(parent *channel, owner *user, d ThreadDraft) (*channel, error) {
	if parent.guild == nil || parent.thread != nil {
		return nil, errBadRequest(50024, "Cannot execute action on this channel type")
	}
	t := &channel{guild: parent.guild, kind: PublicThread, name: d.Name, parent: parent}
	if d.Private {
		t.kind = PrivateThread
	}
	t.thread = &threadState{owner: owner.id, members: append([]graph.UserID{owner.id}, d.Members...), created: s.clock()}
	starter := parent.messages.find(d.Starter)
	switch {
	case d.Starter == 0:
		t.id = graph.ChannelID(s.nextID())
	case starter == nil:
		return nil, errUnknownMessage()
	case s.world.channels[graph.ChannelID(d.Starter)] != nil:
		return nil, errBadRequest(160004, "A thread has already been created for this message")
	default:
		t.id = graph.ChannelID(d.Starter)
	}
	parent.guild.threads = append(parent.guild.threads, t)
	s.world.channels[t.id] = t
	s.announceThreadLocked(t, owner, starter)
	return t, nil
}

// announceThreadLocked makes the messages and events that go with a new thread.
func (s *Server) announceThreadLocked(t *channel, owner *user, starter *Message) {
	s.dispatchLocked(event{name: "THREAD_CREATE", channel: t, render: func(viewer) any {
		w := wireChannelOf(t)
		w.NewlyCreated = true
		return w
	}})
	if starter != nil {
		marked := *starter
		marked.Flags |= FlagHasThread
		marked.more().Thread = t.id
		s.replaceLocked(t.parent, &marked)
		s.storeLocked(t, &Message{
			ID: graph.MessageID(s.nextID()), Channel: t.id, Author: starter.Author, Type: TypeThreadStarter,
			Reference: &Reference{Guild: t.guild.id, Channel: t.parent.id, Message: starter.ID},
		})
		return
	}
	if t.kind == PublicThread && t.parent.kind != Forum {
		s.storeLocked(t.parent, &Message{
			ID: graph.MessageID(s.nextID()), Channel: t.parent.id, Author: owner.id, Type: TypeThreadCreated,
			Content: t.name, Reference: &Reference{Guild: t.guild.id, Channel: t.id},
		})
	}
}

// joinThreadLocked adds a member, if it is a new one.
func (t *threadState) join(who graph.UserID) {
	if !slices.Contains(t.members, who) {
		t.members = append(t.members, who)
	}
}
