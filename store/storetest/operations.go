package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

// operation is an operation of a store that takes one or several steps.
type operation struct {
	before, do func(bench) error

	leases  bool // if interrupted, it leaves a lease, which must expire before it is repeated
	forgets bool // if interrupted, it is resumed by Finish
}

const lease = time.Minute

// The responses that operations are about, some of which were made from others, in
// several scopes and channels.
const (
	lone  store.Scope     = "g1.c5"
	other store.Scope     = "g2"
	alone graph.ChannelID = 5
)

// madeFrom returns a response that was made from a reply of Bob's to an answer.
func madeFrom(from store.Response, trigger graph.MessageID) store.Response {
	r := response(from.Scope, trigger, said("Bob", "and "+from.Trigger.String()+"?"))
	r.Sources = append(r.Sources, store.SourceRef{Message: from.Replies[0].ID, Channel: general, Author: 7})
	return r
}

// cast returns the responses that operations are about, by name.
func cast() map[string]store.Response {
	first := response(home, 1, said("Ann", "secret"))
	anew := first
	anew.Text, anew.Created, anew.Generation = "another answer", first.Created.Add(time.Hour), 2
	anew.ResponseHash = path.ResponseHash(anew.Text, anew.FinishReason)
	second := madeFrom(first, 50)
	third := madeFrom(second, 60)
	elsewhere := response(lone, 10, said("Ann", "secret"), said("Bob", "what?"))
	elsewhere.Sources[0].Message, elsewhere.Sources[1].Channel, elsewhere.Channel = 1, alone, alone
	farther := madeFrom(elsewhere, 80)
	farther.Sources[0].Channel, farther.Channel = alone, alone
	apart := response(other, 70, said("Cyd", "weather?"))
	rich := response(home, 90, said("Cyd", "secret"), answered("which?"), said("Cyd", "that one"))
	rich.Tools = []path.Tool{{Name: "clock", Schema: `{"type":"object"}`}}
	rich.Replies = append(rich.Replies, store.Reply{ID: 99_001})
	rich.PathHash = hash(rich)
	summary := response(home, 30, said("Ann", "a long story"))
	summary.Summarises = 1
	summary.Replies = nil
	told := fromSummary(summary, 35, "what of it?")
	all := map[string]store.Response{
		"first": first, "anew": anew, "second": second, "third": third, "elsewhere": elsewhere, "farther": farther,
		"apart": apart, "rich": rich, "summary": summary, "told": told,
	}
	for name, r := range all {
		copy(r.ID[:], name)
		all[name] = r
	}
	return all
}

// saves saves some of the responses of cast.
func (b bench) saves(names ...string) error {
	all := cast()
	for _, name := range names {
		if err := b.store.Responses.Save(b.ctx, all[name]); err != nil {
			return err
		}
	}
	return nil
}

func saving(names ...string) func(bench) error {
	return func(b bench) error { return b.saves(names...) }
}

// inOrder returns a function that calls all in order.
func inOrder(all ...func(bench) error) func(bench) error {
	return func(b bench) error {
		for _, do := range all {
			if err := do(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func nothing(bench) error { return nil }

// shows makes the messages of first show one of the responses of cast.
func shows(name string) func(bench) error {
	return func(b bench) error {
		return b.store.Responses.Show(b.ctx, home, []graph.MessageID{1000, 1001}, cast()[name].ID)
	}
}

func rates(scope store.Scope, message graph.MessageID, who string) func(bench) error {
	return func(b bench) error {
		at := time.Date(2026, 1, 2, 3, 4, int(person(who)), 0, time.UTC) //nolint:gosec // a letter
		return b.store.Ratings.Rate(b.ctx, scope, store.Rating{Message: message, Person: person(who), Good: true, At: at})
	}
}

// forgets deletes messages.
func forgets(messages ...graph.MessageID) func(bench) error {
	return func(b bench) error {
		_, err := b.store.Deletions.Forget(b.ctx, home, general, messages)
		return err
	}
}

// operations returns all operations that change more than one entry.
func operations() map[string]operation {
	much := inOrder(saving("first", "anew", "second", "third", "elsewhere", "farther", "apart"),
		shows("first"), rates(home, 1000, "Ann"), rates(home, 1000, "Bob"), shows("anew"), rates(home, 1000, "Ann"), rates(other, 70_000, "Ann"))
	forgetting := func(do func(bench) error) operation { return operation{before: much, do: do, forgets: true} }
	waits := store.Pending{Guild: 1, Channel: 2, Trigger: 3}
	keeping := func(b bench) error { return b.store.Backlog.Take(b.ctx, waits) }
	return map[string]operation{
		"saving":                     {before: saving("first"), do: saving("rich")},
		"saving in a new scope":      {before: saving("first"), do: saving("elsewhere")},
		"saving in place of another": {before: inOrder(saving("first"), shows("first")), do: func(b bench) error { return b.store.Responses.SaveShown(b.ctx, cast()["anew"]) }},
		"forgetting a message":       forgetting(forgets(1)),
		"forgetting many messages":   {before: saving("first", "second", "summary", "told"), do: forgets(30, 1, 2), forgets: true},
		"deleting an answer":         forgetting(forgets(1000)),
		"forgetting a person":        forgetting(func(b bench) error { return b.store.Deletions.Erase(b.ctx, store.Erasure{Person: person("Ann")}) }),
		"opting out":                 {before: nothing, do: func(b bench) error { return b.store.OptOuts.Add(b.ctx, 9) }},
		"opting in":                  {before: func(b bench) error { return b.store.OptOuts.Add(b.ctx, 9) }, do: func(b bench) error { return b.store.OptOuts.Remove(b.ctx, 9) }},
		"forgetting a channel": forgetting(func(b bench) error {
			return b.store.Deletions.Erase(b.ctx, store.Erasure{Channel: general, Scope: home})
		}),
		"forgetting a guild":           forgetting(func(b bench) error { return b.store.Deletions.Erase(b.ctx, store.Erasure{Guild: 1}) }),
		"rating":                       {before: saving("first"), do: rates(home, 1000, "Ann")},
		"taking ratings back":          {before: much, do: func(b bench) error { return b.store.Ratings.Unrate(b.ctx, home, 1000, anyRating) }},
		"answering a trigger":          {before: nothing, do: claimAndFinish, leases: true},
		"keeping a trigger":            {before: nothing, do: keeping},
		"letting a trigger go":         {before: keeping, do: func(b bench) error { return b.store.Backlog.Settle(b.ctx, waits) }},
		"remembering a direct message": {before: nothing, do: func(b bench) error { return b.store.Backlog.Use(b.ctx, store.UsedChannel{Channel: 9}) }},
	}
}

func anyRating(store.Rating) bool { return true }

// claimAndFinish answers trigger 1 once.
func claimAndFinish(b bench) error {
	taken, err := b.store.Claims.Claim(b.ctx, store.TriggerClaim(1), lease)
	if errors.Is(err, store.ErrDone) {
		return nil
	}
	if err != nil {
		return err
	}
	if taken, err = b.store.Claims.Renew(b.ctx, taken, lease); err != nil {
		return err
	}
	if err := b.saves("first"); err != nil {
		return err
	}
	return b.store.Claims.Done(b.ctx, taken, "answered")
}

// look reads everything that can be read, and returns it as text by name.
func look(b bench) map[string]string {
	b.Helper()
	seen := make(map[string]string)
	for _, scope := range []store.Scope{home, lone, other} {
		lookInto(b, scope, seen)
	}
	for _, message := range []graph.MessageID{1000, 1001} {
		parts := errtest.Must(b.store.Responses.Parts(b.ctx, home, message))(b)
		seen["the parts around "+message.String()] = fmt.Sprint(parts)
	}
	lookAround(b, seen)
	return seen
}

// lookInto reads the responses of a scope and their ratings.
func lookInto(b bench, scope store.Scope, seen map[string]string) {
	b.Helper()
	walked := walk(b, scope)
	ratings := errtest.Must(b.store.Ratings.Of(b.ctx, scope))(b)
	for name, r := range cast() {
		if r.Scope == scope {
			seen["the response "+name] = reads(b, r, walked)
			seen["the ratings of "+name] = fmt.Sprint(ratings[r.ID])
		}
	}
	faults, _ := b.verify(scope)
	seen["the faults of "+string(scope)] = fmt.Sprint(faults)
}

// walk returns the responses of a scope as text.
func walk(b bench, scope store.Scope) map[store.ResponseID]string {
	b.Helper()
	met := make(map[store.ResponseID]string)
	for r, err := range b.store.Archive.All(b.ctx, scope) {
		errtest.None(b, err)
		text := errtest.Must(json.Marshal(r))(b)
		met[r.ID] = string(text)
	}
	return met
}

// reads returns a response as text, with the ways by which it is found.
func reads(b bench, r store.Response, walked map[store.ResponseID]string) string {
	b.Helper()
	is := func(other store.Response) bool { return other.ID == r.ID }
	answers := errtest.Must(b.byPath(r))(b)
	asked := errtest.Must(b.store.Responses.ByTrigger(b.ctx, r.Scope, r.Trigger))(b)
	return fmt.Sprint("by path ", slices.ContainsFunc(answers, is), ", by trigger ", slices.ContainsFunc(asked, is), ": ", walked[r.ID])
}

// lookAround reads everything except responses.
func lookAround(b bench, seen map[string]string) {
	b.Helper()
	waiting := errtest.Must(b.store.Backlog.Taken(b.ctx))(b)
	seen["what waits"] = fmt.Sprint(waiting)
	used := errtest.Must(b.store.Backlog.Used(b.ctx))(b)
	seen["direct messages"] = fmt.Sprint(used)
	out := errtest.Must(b.store.OptOuts.All(b.ctx))(b)
	seen["who opted out"] = fmt.Sprint(out.People)
	outcome, done, err := b.store.Claims.IsDone(b.ctx, store.TriggerClaim(1))
	errtest.None(b, err)
	seen["the trigger"] = fmt.Sprint(outcome, done)
}

// Interrupted ends a process after each transaction of each operation. Afterwards
// everything that can be read must be as before the operation or as after it, and
// consistent. Repeating the operation must have the same result as if it had not been
// interrupted, and so must an operation that never learns the result of a transaction.
func Interrupted(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, op := range operations() {
		t.Run(name, func(t *testing.T) {
			s := newBench(t, open(t))
			errtest.None(s, op.before(s))
			before := look(s)
			errtest.None(s, op.do(s))
			after := look(s)
			if maps.Equal(before, after) {
				t.Fatal("the operation has no visible effect")
			}
			for steps, more := 0, true; more; steps++ {
				op.unanswered(newBench(t, open(t)), steps, after)
				more = op.broken(newBench(t, open(t)), steps, before, after)
				if t.Failed() {
					t.Fatalf("the operation was interrupted after %d steps", steps)
				}
			}
		})
	}
}

// over returns a process over another engine with the same bytes.
func (b bench) over(engine store.Engine) bench {
	b.subject.Engine = engine
	return newBench(b.T, b.subject)
}

// unanswered hides the result of one step from a process.
func (op *operation) unanswered(s bench, steps int, after map[string]string) {
	s.Helper()
	errtest.None(s, op.before(s))
	errtest.None(s, op.do(s.over(&faulty{Engine: s.subject.Engine, left: steps, repeats: true})))
	is(s, look(s), after)
}

// broken interrupts an operation after a number of steps, and reports whether the
// operation has more steps.
func (op *operation) broken(s bench, steps int, before, after map[string]string) (more bool) {
	s.Helper()
	errtest.None(s, op.before(s))
	ended := op.do(s.over(&faulty{Engine: s.subject.Engine, left: steps}))
	s = s.over(s.subject.Engine)
	seen := look(s)
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		if got := seen[what]; got != before[what] && got != after[what] {
			s.Errorf("%s is\n%s\nwant that of before the operation:\n%s\nor of after it:\n%s", what, got, before[what], after[what])
		}
	}
	if op.forgets {
		errtest.None(s, s.store.Deletions.Finish(s.ctx))
		finished(s, before, after)
	}
	if op.leases {
		s.subject.Advance(2 * lease)
	}
	errtest.None(s, op.do(s))
	is(s, look(s), after)
	return ended != nil
}

// is fails the test if seen differs from want.
func is(b bench, seen, want map[string]string) {
	b.Helper()
	for _, what := range slices.Sorted(maps.Keys(want)) {
		if got := seen[what]; got != want[what] {
			b.Errorf("%s is\n%s, want\n%s", what, got, want[what])
		}
	}
}

// finished fails the test if a resumed deletion leaves something that it should erase.
func finished(b bench, before, after map[string]string) {
	b.Helper()
	const who = "who opted out"
	noted := false // whether the erasure of a person was recorded
	if before[who] != after[who] {
		out := errtest.Must(b.store.OptOuts.All(b.ctx))(b)
		noted = fmt.Sprint(out.People) == after[who]
	}
	for _, scope := range []store.Scope{home, lone, other} {
		walked, begun, left := walk(b, scope), noted, 0
		for name, r := range cast() {
			what := "the response " + name
			switch _, there := walked[r.ID]; {
			case r.Scope != scope || before[what] == after[what]:
			case there:
				left++
			default:
				begun = true
			}
		}
		if begun && left > 0 {
			b.Errorf("a resumed deletion leaves %d responses in %s, want none", left, scope)
		}
	}
}

// faulty is the engine of a process that ends after a number of transactions, or one that
// gets no reply to the next, and therefore repeats it.
type faulty struct {
	store.Engine

	left    int
	repeats bool
}

var errEnding = errors.New("the process has ended")

func (f *faulty) Update(ctx context.Context, changes ...store.Change) error {
	for _, change := range changes {
		f.left--
		if f.left < 0 && !f.repeats {
			return errEnding
		}
		if err := f.Engine.Update(ctx, change); err != nil {
			return err
		}
		if f.left == -1 {
			if err := f.Engine.Update(ctx, change); err != nil {
				return err
			}
		}
	}
	return nil
}
