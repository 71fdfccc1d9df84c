package chaos_test

import (
	"math/rand/v2"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/wait"
)

// change is what the author of a mention does with it.
type change struct {
	after time.Duration // the change before
	how   how
}

// how is how a mention changes.
type how uint8

const (
	edits     how = iota // its text says something else
	continues            // its author sends a file right after it, which belongs to it
	deletes
)

// changesOf returns what happens to a mention: nothing to most. Some are edited, up to three
// times, and some are deleted, at once or after their edits. The first change comes while the
// answer grows, or while heddle is away, as often as after the answer. Of those that live,
// some go on in a second message, within the ten seconds in which that is a part of the question.
func (p *plan) changesOf(random *rand.Rand) (all []change) {
	soon := func() time.Duration { return time.Duration(random.IntN(4000)) * time.Millisecond }
	if p.lives && random.IntN(20) == 0 {
		all = append(all, change{soon() / 2, continues})
	}
	if random.IntN(10) == 0 {
		for range 1 + random.IntN(3) {
			all = append(all, change{soon(), edits})
		}
	}
	if random.IntN(10) == 0 {
		all = append(all, change{soon(), deletes})
	}
	return all
}

// changes carries out what happens to a mention.
func (r *run) changes(m *mention, all []change) {
	for _, c := range all {
		if wait.For(r.ctx, c.after) != nil {
			return
		}
		switch c.how {
		case edits:
			r.mu.Lock()
			m.edits++
			text := r.says(m.number, m.edits)
			r.mu.Unlock()
			r.must(r.discord.Chat.Edit(m.channel, m.id, text))
		case continues:
			r.continues(m)
		case deletes:
			r.mu.Lock()
			m.deleted = true
			r.mu.Unlock()
			r.discord.Chat.Delete(m.channel, m.id)
		}
	}
}

// continues sends a file right after a mention, unless somebody has said something since: it would
// then be a part of that, if the same person said it. It is a part of the question unless heddle has
// said something in between. The file says what the question says from now on.
func (r *run) continues(m *mention) {
	r.mu.Lock()
	defer r.mu.Unlock() // the question is not judged before it is known whether this is a part of it, and none is asked
	if said := r.said(m.channel, m.id); len(said) > 0 && said[len(said)-1].ID > m.id {
		return
	}
	file := discordtest.Attachment{Name: "more.txt", Type: "text/plain", Data: []byte(r.words(m.number, m.edits+1))}
	id, err := r.discord.Chat.Post(m.channel, m.by, discordtest.Draft{Attachments: []discordtest.Attachment{file}})
	if err != nil {
		r.t.Error(err)
		return
	}
	between, _, _ := r.discord.Chat.Near(m.channel, m.id, 0, 3)
	for _, other := range between {
		if other.ID > m.id && other.ID < id {
			return
		}
	}
	m.edits++
	m.part, m.second = m.edits, id
}
