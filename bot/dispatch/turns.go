package dispatch

import (
	"slices"

	"heddle/graph"
)

// asker is whom a job is done for. The zero asker is heddle itself.
type asker struct {
	guild  graph.GuildID // zero in a direct message
	person graph.UserID
}

// lane is the queue of one key. Askers take turns: the next job is the oldest one of the
// asker whose last turn is the longest ago. A new asker therefore waits for at most one
// job of each other asker.
type lane struct {
	waiting []job    // the oldest first
	busy    bool     // a job runs
	refused bool     // it was full when a job came, since it last had room
	after   []func() // what is done once the job that runs has ended

	turn  int           // counts the jobs that were taken
	turns map[asker]int // the last turn of each asker who waits
}

// perAsker is the part of a lane, as 1/perAsker, that one asker's jobs may fill.
const perAsker = 4

// isFull reports whether no job of an asker's can be added, as the lane is full or full of that
// asker's jobs.
func (l *lane) isFull(by asker, most int) bool {
	own, theirs := 0, max(1, most/perAsker)
	for i := range l.waiting {
		if l.waiting[i].by == by {
			own++
		}
	}
	if by == (asker{}) {
		theirs = most
	}
	return len(l.waiting) >= most || own >= theirs
}

// add adds a job. It reports false if that cannot be done.
func (l *lane) add(j job, most int) bool {
	if l.isFull(j.by, most) {
		return false
	}
	if _, known := l.turns[j.by]; !known {
		l.turns[j.by] = l.turn - 1 // before the asker who had the last turn, after all others
	}
	l.waiting = append(l.waiting, j)
	return true
}

// at returns the index of the next job.
func (l *lane) at() int {
	next := 0
	for i := range l.waiting {
		if l.turns[l.waiting[i].by] < l.turns[l.waiting[next].by] {
			next = i
		}
	}
	return next
}

// next returns the job that take would return. The lane must not be empty.
func (l *lane) next() *job { return &l.waiting[l.at()] }

// take removes and returns the next job.
func (l *lane) take() job {
	at := l.at()
	j := l.waiting[at]
	l.waiting = slices.Delete(l.waiting, at, at+1)
	l.turn++
	if slices.ContainsFunc(l.waiting, func(w job) bool { return w.by == j.by }) {
		l.turns[j.by] = l.turn
	} else {
		delete(l.turns, j.by)
	}
	return j
}

// shares divides the running jobs fairly between guilds, and between people. The next
// job is that of the guild with the fewest running jobs; among those, of the person
// with the fewest; and among those, the one that has waited longest.
//
// Some slots always stay free for others. A person may start another job only while
// fewer of their jobs run than slots are free, and a guild only while fewer than
// guildShare times as many do. A person alone therefore takes half of all slots, and a
// guild alone three quarters, so that jobs that hang cannot keep others waiting.
//
// Its owner guards it.
type shares struct {
	free   int
	guilds map[asker]int // running jobs by their guild, or by the person in direct messages
	people map[asker]int // running jobs by who asked, whatever the guild
}

// guildShare is how many jobs of a guild may run for each free slot.
const guildShare = 3

func newShares(slots int) *shares {
	return &shares{free: slots, guilds: make(map[asker]int), people: make(map[asker]int)}
}

// group returns the key of an asker's guild.
func group(a asker) asker {
	if a.guild == 0 {
		return a
	}
	return asker{guild: a.guild}
}

// choose returns the index of the asker, among n, whose job starts next, or -1 if none
// may start.
func (s *shares) choose(n int, at func(int) asker) int {
	best, bestGuild, bestPerson := -1, 0, 0
	for i := range n {
		a := at(i)
		guild, person := s.guilds[group(a)], s.people[asker{person: a.person}]
		if a.person == 0 {
			person = 0 // heddle's own jobs count towards their guild only
		}
		if person >= s.free || guild >= guildShare*s.free {
			continue
		}
		if best < 0 || guild < bestGuild || guild == bestGuild && person < bestPerson {
			best, bestGuild, bestPerson = i, guild, person
		}
	}
	return best
}

// begin counts a job that starts.
func (s *shares) begin(a asker) {
	s.free--
	s.guilds[group(a)]++
	s.people[asker{person: a.person}]++
}

// end counts a job that has ended.
func (s *shares) end(a asker) {
	s.free++
	for _, of := range []struct {
		counts map[asker]int
		key    asker
	}{{s.guilds, group(a)}, {s.people, asker{person: a.person}}} {
		if of.counts[of.key]--; of.counts[of.key] == 0 {
			delete(of.counts, of.key)
		}
	}
}
