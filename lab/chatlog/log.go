package chatlog

import (
	"math"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/evaluation"
)

// Log is a chat log: its messages, oldest first, which strategies see, and people's
// marks, which they do not.
type Log struct {
	evaluation.Log

	Gold []Gold // one for each message
}

// Community returns the name of the folder that contains the log.
func (l *Log) Community() string {
	folder := filepath.Dir(l.Path)
	return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(folder)), filepath.Base(folder)))
}

// Gold is what people marked about one message.
type Gold struct {
	Annotated    bool  // somebody marked what this message answers
	Conversation int   // number of its conversation, from 1; 0 if unknown
	Parents      []int // indices of the messages that it answers, ascending
	Characters   int   // length of the text as logged
}

// builder makes a Log from records in order.
type builder struct {
	log     *Log
	index   map[string]int
	authors map[string]graph.UserID
	names   *speakers
	convs   map[string]int
	replies []pending // values of reply_to, resolved once all messages are known
	links   []pending
}

// pending is a reference from a message to one that may come later.
type pending struct {
	from int
	to   string
}

func newBuilder(name, path string) *builder {
	return &builder{
		log:     &Log{Log: evaluation.Log{Name: name, Path: path}},
		index:   map[string]int{},
		authors: map[string]graph.UserID{},
		names:   newSpeakers(),
		convs:   map[string]int{},
	}
}

// user returns the id of an author. Ids are given in the order of first appearance.
func (b *builder) user(author string) graph.UserID {
	id, ok := b.authors[author]
	if !ok {
		id = graph.UserID(len(b.authors)+1) << 22
		b.authors[author] = id
	}
	return id
}

// add adds a message and its marks to the log. Its references wait for finish.
func (b *builder) add(r *record) {
	i := len(b.log.Messages)
	b.index[r.ID] = i
	seconds, fraction := math.Modf(*r.Seconds)
	name := r.Name
	if name == "" {
		name = r.Author
	}
	m := graph.Message{
		ID:          evaluation.MessageID(i),
		Channel:     evaluation.LogChannel,
		Time:        time.Unix(int64(seconds), int64(fraction*1e9)),
		Author:      b.user(r.Author),
		Name:        name,
		System:      r.Kind == "system",
		Text:        strings.ToValidUTF8(r.Text, "\uFFFD"),
		Attachments: make([]graph.Attachment, max(0, min(r.Files, maxAttachments))),
	}
	if r.Bot {
		m.Origin = graph.OriginBot
	}
	b.address(r, &m)
	if r.ReplyTo != nil && *r.ReplyTo != "" {
		b.replies = append(b.replies, pending{i, *r.ReplyTo})
	}
	g := Gold{Annotated: r.annotated(), Characters: utf8.RuneCountInString(r.Text)}
	if r.Conv != nil {
		if b.convs[*r.Conv] == 0 {
			b.convs[*r.Conv] = len(b.convs) + 1
		}
		g.Conversation = b.convs[*r.Conv]
	}
	if r.Links != nil {
		for _, to := range *r.Links {
			b.links = append(b.links, pending{i, to})
		}
	}
	b.log.Messages = append(b.log.Messages, m)
	b.log.Gold = append(b.log.Gold, g)
	b.log.IDs = append(b.log.IDs, r.ID)
}

// maxAttachments is the greatest number of files that Discord accepts on one message.
const maxAttachments = 10

// address adds the people whom a message addresses. It uses the platform's list of
// mentions. If there is none, as on IRC, it looks for the nicks of recent speakers in
// the text.
func (b *builder) address(r *record, m *graph.Message) {
	name := m.Name
	if r.Mentions != nil {
		for _, author := range *r.Mentions {
			m.References = append(m.References, graph.Reference{Kind: graph.ReferenceAddress, Channel: evaluation.LogChannel, User: b.user(author)})
		}
		return
	}
	if m.System {
		return
	}
	text, users := b.names.address(m.Text, m.Author)
	m.Text = text
	for _, user := range users {
		m.References = append(m.References, graph.Reference{Kind: graph.ReferenceAddress, Channel: evaluation.LogChannel, User: user})
	}
	b.names.heard(r.Author, name, m.Author)
}

// finish resolves references to other messages and returns the log.
func (b *builder) finish() *Log {
	for _, p := range b.replies {
		reply := graph.Reference{Kind: graph.ReferenceReply, Channel: evaluation.LogChannel, State: graph.ReferenceDeleted}
		if to, ok := b.index[p.to]; ok && to < p.from {
			reply.Message, reply.State = evaluation.MessageID(to), graph.ReferenceResolved
		}
		if reply.Message != 0 {
			b.log.Replies++
			m := &b.log.Messages[p.from]
			m.References = append([]graph.Reference{reply}, m.References...)
		}
	}
	for _, p := range b.links {
		if to, ok := b.index[p.to]; ok && to < p.from {
			g := &b.log.Gold[p.from]
			g.Parents = append(g.Parents, to)
		}
	}
	if len(b.convs) == 0 {
		b.log.connect()
	}
	b.log.Authors = b.authors
	return b.log
}

// connect numbers the conversations of a log that has links but no conversations.
// Messages connected by links are one conversation.
func (l *Log) connect() {
	for i := range l.Gold {
		g := &l.Gold[i]
		if !g.Annotated {
			continue
		}
		g.Conversation = i + 1
		for _, p := range g.Parents {
			from, to := l.Gold[p].Conversation, g.Conversation
			if from == 0 {
				l.Gold[p].Conversation = to
				continue
			}
			for k := range i + 1 {
				if l.Gold[k].Conversation == to {
					l.Gold[k].Conversation = from
				}
			}
		}
	}
}
