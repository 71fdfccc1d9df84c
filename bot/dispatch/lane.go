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

func newLane() *lane { return &lane{turns: make(map[asker]int)} }

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
