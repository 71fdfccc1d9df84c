package chaos_test

import (
	"math/rand/v2"
	"time"

	"heddle/internal/wait"
)

// change is what the author of a mention does with it.
type change struct {
	after   time.Duration // the change before
	deletes bool          // it is deleted; otherwise edited
}

// changesOf returns what happens to a mention: nothing to most. Some are edited, up to three
// times, and some are deleted, at once or after their edits. The first change comes while the
// answer grows, or while heddle is away, as often as after the answer.
func changesOf(random *rand.Rand) (all []change) {
	soon := func() time.Duration { return time.Duration(random.IntN(4000)) * time.Millisecond }
	if random.IntN(8) == 0 {
		for range 1 + random.IntN(3) {
			all = append(all, change{after: soon()})
		}
	}
	if random.IntN(20) == 0 {
		all = append(all, change{after: soon(), deletes: true})
	}
	return all
}

// changes carries out what happens to a mention.
func (r *run) changes(m *mention, all []change) {
	for _, c := range all {
		if wait.For(r.ctx, c.after) != nil {
			return
		}
		if c.deletes {
			r.mu.Lock()
			m.deleted = true
			r.mu.Unlock()
			r.discord.Chat.Delete(m.channel, m.id)
			continue
		}
		r.mu.Lock()
		m.edits++
		text := r.says(m.number, m.edits)
		r.mu.Unlock()
		r.must(r.discord.Chat.Edit(m.channel, m.id, text))
	}
}
