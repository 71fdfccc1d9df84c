package questions

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// mostKnown bounds the messages of which it is remembered to which question they belong. What
	// was forgotten is read from Discord.
	mostKnown = 8192
	// mostPlaces bounds the channels of which the latest message of a question is remembered.
	mostPlaces = 4096
)

// said is a question as it was heard or read.
type said struct {
	first    *discord.Message
	messages []*discord.Message // of the question, oldest first, as far as they are known
	last     *discord.Message   // the latest, which tells who asks, and where
	kind     Kind
	version  time.Time       // when the newest message was edited or added; zero for the question as it was asked
	copied   graph.MessageID // the copy that a proxy posted in its place; 0 for none
	missed   bool            // it was found after a gap
	speaker  graph.UserID    // the sender of the message in whose place a proxy posted it; 0 for none
}

// add adds a message that is a part of the question.
func (q *said) add(m *discord.Message, v *Verdict) {
	q.messages, q.last = append(q.messages, m), m
	q.kind = max(q.kind, v.Kind)
	if at := v.Version(m); at.After(q.version) {
		q.version = at
	}
}

// asks returns the first message, with what a page does not tell of its sender.
func (q *said) asks() discord.Message {
	m := *q.first
	m.Guild, m.Member = q.last.Guild, q.last.Member
	return m
}

// questionsIn returns the questions in messages of a channel, oldest first.
func (r *runner) questionsIn(messages []discord.Message, guild graph.GuildID, place guilds.Place) []*said {
	var all []*said
	of := make(map[graph.MessageID]*said)
	for i := range messages {
		m := &messages[i]
		m.Guild = guild
		v := r.judge(m, messages[:i], place)
		if v.Kind == Nothing {
			continue
		}
		q := of[v.Question.ID]
		if q == nil {
			q = &said{first: v.Question, version: v.Question.Edited}
			if v.Question != m {
				q.messages = append(q.messages, v.Question)
			}
			all, of[v.Question.ID] = append(all, q), q
		}
		q.add(m, &v)
		if original := of[v.Copies]; original != nil {
			original.copied, q.speaker = m.ID, original.first.Author.ID
		}
	}
	return all
}

// parts remembers the messages in which questions stand. Its methods may be called from any
// goroutine.
//
// mu guards the fields below it.
type parts struct {
	mu   sync.Mutex
	of   *lru.Cache[graph.MessageID, graph.MessageID]   // the question of each of its messages
	all  *lru.Cache[graph.MessageID, []graph.MessageID] // the further messages of each question, oldest first
	last *lru.Cache[graph.ChannelID, discord.Message]   // the latest message of a question in each channel, without its text
}

func newParts() *parts {
	of, _ := lru.New[graph.MessageID, graph.MessageID](mostKnown) // the sizes are positive
	all, _ := lru.New[graph.MessageID, []graph.MessageID](mostKnown)
	last, _ := lru.New[graph.ChannelID, discord.Message](mostPlaces)
	return &parts{of: of, all: all, last: last}
}

// note remembers the messages of a question.
func (p *parts) note(q *said) {
	p.mu.Lock()
	defer p.mu.Unlock()
	further, _ := p.all.Get(q.first.ID)
	for _, m := range q.messages {
		p.of.Add(m.ID, q.first.ID)
		if m.ID != q.first.ID && !slices.Contains(further, m.ID) {
			further = append(slices.Clip(further), m.ID)
		}
	}
	slices.Sort(further)
	p.all.Add(q.first.ID, further)
	if before, _ := p.last.Get(q.last.Channel); before.ID < q.last.ID {
		p.last.Add(q.last.Channel, discord.Message{ID: q.last.ID, Author: discord.User{ID: q.last.Author.ID}})
	}
}

// question returns the question of a message, if that is known.
func (p *parts) question(m graph.MessageID) (question graph.MessageID, known bool) {
	return p.of.Get(m)
}

// WithQuestions returns messages together with the questions that they are parts of.
func (qs *Questions) WithQuestions(messages []graph.MessageID) []graph.MessageID {
	all := slices.Clone(messages)
	for _, m := range messages {
		if question, known := qs.parts.question(m); known {
			all = append(all, question)
		}
	}
	return all
}

// further returns the further messages of a question, and whether they are known.
func (p *parts) further(question graph.MessageID) (messages []graph.MessageID, known bool) {
	return p.all.Get(question)
}

// isSoon reports whether a message may be a part or a copy of the question that was asked last in
// its channel.
func (p *parts) isSoon(m *discord.Message) bool {
	last, known := p.last.Get(m.Channel)
	after := m.ID.Time().Sub(last.ID.Time())
	return known && last.ID < m.ID && (after <= partFor && m.Author.ID == last.Author.ID || after <= copyFor && m.ByWebhook())
}

// readParts reads the further messages of a question of which this process does not know them.
func (r *runner) readParts(ctx context.Context, t *task) {
	page, err := discord.ReadPage(ctx, r.REST, t.q.Channel, "around", t.q.ID)
	if err != nil {
		return // the attempt meets the error
	}
	slices.SortFunc(page.Messages, byID)
	for _, q := range r.questionsIn(page.Messages, t.q.Guild, t.q.Place) {
		if q.first.ID == t.q.ID {
			r.parts.note(q)
			r.tasks.hears(t, news{asked: q.kind == Asks, edited: q.version})
		}
	}
}
