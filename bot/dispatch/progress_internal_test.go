package dispatch

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// event is something that changes the progress of a task.
type event struct {
	name string
	do   func(*progress)
}

// The errors of attempts that no package variable stands for.
var (
	errStuck      = fmt.Errorf("%w: %w", work.ErrUnsent, outbox.ErrStuck)
	errUnmarkable = &unmarkedError{store.ErrUnavailable, nil}
)

// waitingErrors are the errors after which a task is tried again.
func waitingErrors() []error {
	return []error{store.ErrHeld, store.ErrUnavailable, work.ErrLost, work.ErrTaken, work.ErrUnsent, errStuck, errUnmarkable}
}

// events returns everything that can happen to a task.
func events() []event {
	all := []event{
		{"claims", (*progress).claims},
		{"begins", (*progress).begins},
		{"answers", (*progress).answers},
		{"overwrites", (*progress).overwrites},
		{"isShutOut", (*progress).isShutOut},
		{"contests", (*progress).contests},
		{"doubts", (*progress).doubts},
		{"expires", (*progress).expires},
		{"reads nothing", func(p *progress) { p.reads(nil) }},
		{"reads a part", func(p *progress) { p.reads([]graph.MessageID{1}) }},
		{"leaves a", func(p *progress) { p.leaves([]string{"a"}) }},
		{"leaves b", func(p *progress) { p.leaves([]string{"b"}) }},
		{"ends torn", func(p *progress) { p.ends(answer.Torn, nil) }},
		{"ends denied", func(p *progress) { p.ends(answer.Denied, nil) }},
	}
	for _, err := range append(waitingErrors(), nil) {
		all = append(all, event{fmt.Sprint("ends with ", err), func(p *progress) { p.ends("", err) }})
	}
	for _, err := range waitingErrors() {
		all = append(all,
			event{fmt.Sprint("again after ", err), func(p *progress) { p.again(err) }},
			event{fmt.Sprint("again after its lifetime and ", err), func(p *progress) {
				if p.outlives(err) {
					p.again(err)
				}
			}})
	}
	return all
}

// TestWhatATaskKnowsOnlyGrows does every event in every progress that any events lead to.
func TestWhatATaskKnowsOnlyGrows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for open := []progress{{}}; len(open) > 0; {
		before := open[0]
		open = open[1:]
		for _, e := range events() {
			after := before
			e.do(&after)
			for rule, holds := range map[string]bool{
				"a task that was tried is never fresh again":              before.stage == fresh || after.stage != fresh,
				"a doubted task stays doubted":                            before.stage != doubted || after.stage == doubted,
				"what is known of a claim only grows":                     before.claim <= after.claim,
				"whoever saw another process has tried the task":          after.claim < elsewhere || after.stage != fresh,
				"a task is overdue for good":                              !before.overdue || after.overdue,
				"a process that the store does not know of is remembered": before.rival == nil || after.rival != nil,
				"only a look once more settles what is contested":         !before.contested || after.contested || before.stage == doubted,
				"refusals are counted":                                    before.refusals <= after.refusals,
				"people are told once":                                    !before.told || after.told,
				"whoever could not mark a task saw that others may":       !after.unmarked || after.claim == elsewhere,
				"only answering anew undoes what was done":                !before.unmarked || after.unmarked == (e.name != "answers" && e.name != "overwrites"),
				"parts that stood are forgotten only by another read":     before.parts != someParts || after.parts == someParts || e.name == "reads nothing",
			} {
				if !holds {
					t.Errorf("%s: %+v became %+v, want that %s", e.name, before, after, rule)
				}
			}
			after.refusals, after.shutOut = 0, 0 // or there would be no end
			if key := fmt.Sprintf("%#v", after); !seen[key] {
				seen[key], open = true, append(open, after)
			}
		}
	}
	t.Logf("%d different ones", len(seen))
}

// TestATaskIsGivenUpOnlyWhenNothingCanStand ends the lifetime of a task in every stage.
func TestATaskIsGivenUpOnlyWhenNothingCanStand(t *testing.T) {
	t.Parallel()
	for _, stage := range []stage{fresh, tried, stuck, doubted} {
		for _, err := range waitingErrors() {
			held := errors.Is(err, store.ErrHeld)
			for _, row := range []struct {
				parts             parts
				outlives, overdue bool
			}{{noParts, false, false}, {maybeParts, !held, !held}, {someParts, true, true}} {
				p := progress{stage: stage, parts: row.parts}
				if got := p.outlives(err); got != row.outlives || p.overdue != row.overdue {
					t.Errorf("stage %d, parts %d, after %v: another attempt: %t, overdue: %t; want %t, %t", stage, row.parts, err, got, p.overdue, row.outlives, row.overdue)
				}
			}
		}
	}
}

// TestWhyATaskIsTriedAgain shows what an attempt that may be repeated leaves behind.
func TestWhyATaskIsTriedAgain(t *testing.T) {
	t.Parallel()
	mine, theirs := progress{claim: claimed}, progress{stage: tried, claim: elsewhere}
	done := progress{stage: tried, claim: elsewhere, unmarked: true}
	doubt := progress{stage: doubted, claim: claimed}
	rivalled := progress{stage: tried, claim: elsewhere, rival: []string{"half"}}
	for _, row := range []struct {
		before progress
		err    error
		why    reason
		after  progress
	}{
		{mine, work.ErrUnsent, isUnsent, progress{stage: tried, claim: claimed, refusals: 1}},
		{mine, errors.Join(work.ErrUnsent, store.ErrUnavailable), isUnsent, progress{stage: tried, claim: claimed, refusals: 1}},
		{mine, work.ErrTaken, isRivalled, progress{stage: tried, claim: elsewhere, rival: []string{}}},
		{mine, work.ErrLost, isFenced, progress{stage: tried, claim: elsewhere}},
		{mine, store.ErrHeld, isHeld, progress{stage: tried, claim: elsewhere}},
		{mine, store.ErrUnavailable, isHeld, progress{stage: tried, claim: elsewhere}},
		{mine, errStuck, isStuck, progress{stage: tried, claim: claimed, refusals: 1, shutOut: 1}},
		{progress{claim: claimed, refusals: 2, shutOut: 2}, work.ErrUnsent, isUnsent, progress{stage: tried, claim: claimed, refusals: 3}},
		{mine, errUnmarkable, isUnmarked, progress{stage: tried, claim: elsewhere, unmarked: true}},
		{theirs, work.ErrUnsent, isUnsent, progress{stage: tried, claim: elsewhere, refusals: 1}},
		{rivalled, work.ErrTaken, isRivalled, rivalled},
		{rivalled, work.ErrLost, isFenced, rivalled},
		{done, work.ErrUnsent, isUnsent, progress{stage: tried, claim: elsewhere, unmarked: true, refusals: 1}},
		{done, work.ErrLost, isUnmarked, done},
		{done, store.ErrHeld, isUnmarked, done},
		{doubt, store.ErrHeld, isUnchecked, progress{stage: doubted, claim: elsewhere}},
		{doubt, work.ErrTaken, isUnchecked, progress{stage: doubted, claim: elsewhere}},
		{doubt, errUnmarkable, isUnchecked, progress{stage: doubted, claim: elsewhere, unmarked: true}},
		{doubt, work.ErrUnsent, isUnsent, progress{stage: doubted, claim: claimed, refusals: 1}},
	} {
		after := row.before
		if why := after.again(row.err); why != row.why || !reflect.DeepEqual(after, row.after) {
			t.Errorf("%+v after %v: reason %d, %+v; want %d, %+v", row.before, row.err, why, after, row.why, row.after)
		}
	}
}

// TestATaskIsStuckUntilItsPartsCanBeReached shows which attempts get a task stuck, which do
// not, and after which of them people are told.
func TestATaskIsStuckUntilItsPartsCanBeReached(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		before  stage
		outcome answer.Outcome
		err     error
		after   stage
		tells   bool
	}{
		{fresh, "", errStuck, stuck, true},
		{tried, "", errStuck, stuck, true},
		{stuck, "", work.ErrLost, tried, false},
		{stuck, answer.Found, nil, tried, false},
		{tried, "", work.ErrUnsent, tried, false},
		{tried, answer.Denied, nil, tried, true},
		{doubted, "", errStuck, doubted, true},
		{doubted, "", work.ErrLost, doubted, false},
		{doubted, answer.Denied, nil, doubted, true},
	} {
		for _, told := range []bool{false, true} {
			p := progress{stage: row.before, told: told}
			if got := p.ends(row.outcome, row.err); got != (row.tells && !told) || p.stage != row.after {
				t.Errorf("stage %d, told before: %t, after %q, %v: stage %d, tells: %t; want %d, %t", row.before, told, row.outcome, row.err, p.stage, got, row.after, row.tells && !told)
			}
		}
	}
}

// TestAnsweringAnewUndoesWhatWasDone shows that a task counts as done but not marked only
// until it is answered again.
func TestAnsweringAnewUndoesWhatWasDone(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*progress){"answers": (*progress).answers, "overwrites": (*progress).overwrites} {
		p := progress{claim: claimed}
		if p.again(errUnmarkable); !p.unmarked {
			t.Error("a task that could not be marked counts as not done, want it done")
		}
		begin(&p)
		if why := p.again(work.ErrLost); p.unmarked || why != isFenced {
			t.Errorf("after %s: done: %t, tried again for reason %d; want false, %d", name, p.unmarked, why, isFenced)
		}
	}
}

// TestAnOverdueTaskIsNotAnsweredUnlessPartsStand reads what stands after the lifetime of a
// task, and is then shut out.
func TestAnOverdueTaskIsNotAnsweredUnlessPartsStand(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		overdue  bool
		standing []graph.MessageID
		goesOn   bool
		read     parts
		shutOut  parts
	}{
		{false, nil, true, noParts, maybeParts},
		{false, []graph.MessageID{1}, true, someParts, someParts},
		{true, nil, false, noParts, noParts},
		{true, []graph.MessageID{1}, true, someParts, someParts},
	} {
		p := progress{stage: tried, parts: maybeParts, overdue: row.overdue}
		if goesOn := p.reads(row.standing); goesOn != row.goesOn || p.parts != row.read {
			t.Errorf("overdue: %t, %d parts: goes on: %t with %d; want %t, %d", row.overdue, len(row.standing), goesOn, p.parts, row.goesOn, row.read)
		}
		if p.isShutOut(); p.parts != row.shutOut {
			t.Errorf("overdue: %t, %d parts: shut out with %d, want %d", row.overdue, len(row.standing), p.parts, row.shutOut)
		}
	}
}

// TestAQuestionIsLeftToARivalThatStillWrites looks at an unfinished answer several times.
func TestAQuestionIsLeftToARivalThatStillWrites(t *testing.T) {
	t.Parallel()
	alone, rivalled := progress{stage: tried}, progress{stage: tried, rival: []string{}}
	for i, look := range []struct {
		text string
		left bool
	}{{"half", true}, {"half", false}, {"half an", true}, {"half an", false}} {
		if alone.leaves([]string{look.text}) {
			t.Errorf("look %d: the question is left to a process that does not exist", i)
		}
		if got := rivalled.leaves([]string{look.text}); got != look.left {
			t.Errorf("look %d at %q: left to the other process: %t, want %t", i, look.text, got, look.left)
		}
	}
}
