package dispatch

import (
	"errors"
	"slices"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// progress is what this process knows of a task between two attempts at it. It decides
// what the next attempt does. A task begins with what is known of it: nothing, or that
// another process has tried it. After that, only the methods below change its progress, each
// for one event. They lead from stage to stage:
//
//	fresh ──again──▶ tried ◀──ends──▶ stuck
//	  └───────────────┴──doubts──▶ doubted
type progress struct {
	stage stage
	claim claim
	parts parts
	// contested is set if another process may have written to the answer, too. It is
	// cleared when the answer is looked at once more.
	contested bool
	// unmarked is set if this process has done the task and could not mark it as done. It is
	// cleared when answering begins anew.
	unmarked bool
	// overdue is set once the lifetime of the task has ended. The task is then answered only
	// if parts stand.
	overdue bool
	// told is set once whoever asked was told that heddle may not answer.
	told bool
	// rival holds the texts of the parts that stood at the last look, if a process that the
	// store does not know of answers, too. It is nil if there is no such process. The
	// process counts as dead once the texts no longer change.
	rival    []string
	refusals int // attempts that failed because Discord did not accept the answer
	shutOut  int // how many of them in a row, the last one included, failed with isStuck
}

// stage is what the next attempt at a task has to do.
type stage uint8

const (
	// fresh tasks were never tried. Their questions are answered without a look at what
	// stands.
	fresh stage = iota
	// tried tasks continue where the attempt before ended, so they first read which parts
	// of the answer stand.
	tried
	// stuck tasks are tried ones of which parts stand where heddle could neither read nor
	// write. They wait until it may read there.
	stuck
	// doubted tasks are done, or have nothing to do but to delete an answer. Another process
	// may have written to the answer, so it is looked at once more.
	doubted
)

// claim is what this process knows of the claim of a task. It never goes back to a smaller
// value.
type claim uint8

const (
	unclaimed claim = iota // this process has not tried to claim it
	claimed                // this process has tried, and has seen no other process
	elsewhere              // another process has it, or may have had it since
)

// parts is what this process knows of the parts of a task's answer on Discord.
type parts uint8

const (
	noParts    parts = iota // answering has not begun since none stood
	maybeParts              // answering has begun since none stood
	someParts               // some stood when they were last read
)

// reason is why a task is tried again.
type reason uint8

const (
	isUnsent    reason = iota // Discord did not accept the answer
	isStuck                   // parts stand where heddle could neither read nor write
	isUnchecked               // the answer could not be looked at once more
	isRivalled                // a process that the store does not know of answers
	isUnmarked                // it is done, but could not be marked as done
	isFenced                  // the claim was lost in its midst
	isHeld                    // another process has the claim, or the store cannot tell
)

// claims notes that this process tries to claim the task.
func (p *progress) claims() { p.claim = max(p.claim, claimed) }

// begins notes that an attempt begins. Looking once more at an answer settles what was in
// doubt, so that only what happens meanwhile can be a reason to look again.
func (p *progress) begins() {
	if p.stage == doubted {
		p.contested = false
	}
}

// reads notes which parts of an unfinished answer stand. It reports false if there are
// none and the task is overdue, so that it must not be answered any more.
func (p *progress) reads(standing []graph.MessageID) bool {
	if len(standing) > 0 {
		p.parts = someParts
		return true
	}
	p.parts = noParts
	return !p.overdue
}

// answers notes that answering begins.
func (p *progress) answers() {
	p.parts = max(p.parts, maybeParts)
	p.unmarked = false
}

// overwrites notes that the question is answered again over what stands of an answer that
// is not whole.
func (p *progress) overwrites() {
	p.parts = someParts
	p.unmarked = false
}

// isShutOut notes that heddle may not read whether parts stand. An overdue task does not
// wait until it may.
func (p *progress) isShutOut() {
	switch {
	case p.parts == someParts:
	case p.overdue:
		p.parts = noParts
	default:
		p.parts = maybeParts
	}
}

// contests notes that another process may have written to the answer.
func (p *progress) contests() { p.contested = true }

// leaves notes the texts of an unfinished answer. It reports whether the question is left
// to the process that the store does not know of, as the texts have changed since the last
// look.
func (p *progress) leaves(texts []string) bool {
	if p.rival == nil || slices.Equal(texts, p.rival) {
		return false
	}
	p.rival = texts
	return true
}

// ends notes how an attempt ended. It reports whether whoever asked is to be told that
// heddle may not answer, which they are once.
func (p *progress) ends(outcome answer.Outcome, err error) (tells bool) {
	p.contested = p.contested || outcome == answer.Torn
	gotStuck := errors.Is(err, outbox.ErrStuck)
	switch {
	case p.stage == doubted:
	case gotStuck:
		p.stage = stuck
	case p.stage == stuck:
		p.stage = tried
	}
	tells = (gotStuck || outcome == answer.Denied) && !p.told
	p.told = p.told || tells
	return tells
}

// doubts notes that the task is done, and that its answer must be looked at once more.
func (p *progress) doubts() { p.stage = doubted }

// expires notes that the lifetime of the task has ended.
func (p *progress) expires() { p.overdue = true }

// outlives notes that an attempt ended with err after the lifetime of the task had ended,
// and reports whether there is another one all the same. If parts of the answer stand or may
// stand, there is one, which answers only if they do.
func (p *progress) outlives(err error) bool {
	if p.parts == noParts || p.parts == maybeParts && errors.Is(err, store.ErrHeld) {
		return false
	}
	p.expires()
	return true
}

// again notes that there will be another attempt after one that ended with err, and returns
// why.
func (p *progress) again(err error) (why reason) {
	switch why = p.reasonOf(err); why {
	case isStuck:
		p.refusals++
		p.shutOut++
	case isUnsent:
		p.refusals++
		p.shutOut = 0
	case isUnchecked, isRivalled, isUnmarked, isFenced, isHeld:
		p.claim = max(p.claim, elsewhere)
	}
	p.unmarked = p.unmarked || isUnmarkedError(err)
	if why == isRivalled && p.rival == nil {
		p.rival = []string{}
	}
	p.stage = max(p.stage, tried)
	return why
}

// reasonOf returns why a task is tried again after an attempt that ended with err.
func (p *progress) reasonOf(err error) reason {
	switch {
	case errors.Is(err, outbox.ErrStuck):
		return isStuck
	case errors.Is(err, work.ErrUnsent):
		return isUnsent
	case p.stage == doubted:
		return isUnchecked
	case errors.Is(err, work.ErrTaken):
		return isRivalled
	case p.unmarked || isUnmarkedError(err):
		return isUnmarked
	case errors.Is(err, work.ErrLost):
		return isFenced
	default:
		return isHeld
	}
}

// waits reports whether a task that ended with err is to be tried again: another
// process has it or may have it, or Discord did not accept the answer.
func waits(err error) bool {
	return isElsewhere(err) || errors.Is(err, work.ErrLost) || errors.Is(err, work.ErrUnsent) || errors.Is(err, work.ErrTaken)
}

// isElsewhere reports whether another process may be doing a task that ended with err.
func isElsewhere(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, store.ErrUnavailable)
}
