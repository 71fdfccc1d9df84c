// Package storetest is the contract of a store: tests that every engine must pass.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/seal"
)

// Subject is an engine under test.
type Subject struct {
	Engine store.Engine
	// Now is the engine's clock, and Advance moves it.
	Now     func() time.Time
	Advance func(time.Duration)
	Key     *seal.Key // nil: nothing is encrypted
	// Dump returns all bytes in the engine.
	Dump func() []byte
}

// Run runs the contract. open creates an empty engine for each test.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range clauses() {
		t.Run(name, func(t *testing.T) {
			test(newBench(t, open(t)))
		})
	}
}

// clauses returns the tests of the contract, except those of erasures.
func clauses() map[string]func(bench) {
	all := map[string]func(bench){
		"a response is found by all that leads to it":                  foundByAll,
		"nothing is found from another scope":                          scopesApart,
		"a response ends with its path when its time is over":          pathEnds,
		"an answer is stored in few entries":                           fewEntries,
		"an answer is kept before it is sent":                          keptThenSent,
		"an answer that two processes sent stands where the last says": sentTwice,
		"a message shows the alternative that was chosen":              shownAlternative,
		"an answer stands in its parts, with what it offers":           standing,
		"what fits is found and nothing else":                          findFits,
		"a claim ends when it is released, over or done":               claimEnds,
		"a trigger that many claim is answered once":                   answeredOnce,
		"what is done can be claimed once more":                        claimDone,
		"a lost claim harms nobody":                                    claimLost,
		"work that is stopped ends, and no other":                      claimStopped,
		"waiting triggers are kept in order":                           taken,
		"direct messages are remembered, those of late first":          directs,
		"what admins choose is kept until its guild is left":           overrides,
		"what answers took is counted by days and months":              spending,
	}
	maps.Copy(all, erasures())
	maps.Copy(all, takeDowns())
	return all
}

// erasures returns the tests of deletions.
func erasures() map[string]func(bench) {
	return map[string]func(bench){
		"a deletion reaches what was made from an alternative": takenDownOnward,
		"a deleted answer is not given again":                  takenDownCopies,
		"what an answer has left erases nothing":               leftOnward,
		"an answer that a deletion overtakes is refused":       takenDownEarly,
		"an answer that is kept is erased before it is sent":   keptThenErased,
		"an answer that its asker deletes stays away":          withdrawn,
		"what messages show is known":                          shownNow,
		"who opted out is known until they opt in":             optOuts,
		"what a deletion erases is told before":                extents,
		"a channel is forgotten in every scope it was used in": forgetChannel,
		"a guild is forgotten with its lone channels":          forgetGuild,
		"an edit reaches what was made from older versions":    supersede,
		"an edit is followed when its time has come":           supersedeLater,
		"an edit of what is no source costs no write":          editedUnused,
		"an edit overtakes the answers that are on their way":  editedMeanwhile,
		"a save that a deletion overtakes is refused":          forgetInflight,
		"an erased text is nowhere in the bytes":               forgetBytes,
		"a damaged entry is passed over and counted":           damaged,
		"a walk meets every response of a scope":               walked,
		"sources are those of the newest responses":            sourcesOf,
		"what is stored verifies, and damage is named":         verified,
		"a text that does not fit its hash is named":           verifiedTexts,
		"of each person the last rating that stands counts":    ratedOnce,
		"ratings go with the response and with the person":     ratingsGone,
		"a summary goes with what it was made from":            summaries,
		"what is measured of a model are its last answers":     ranked,
		"a window ends when it is due":                         windowsEnd,
		"a budget gives what it has, once":                     budgetsHold,
		"a store knows since when it remembers":                since,
		"an ended context ends the call":                       cancelled,
		"changes are made until one is refused":                untilRefused,
	}
}

// bench is a store under test, with helpers.
type bench struct {
	*testing.T

	store   *store.Store
	subject Subject
	ctx     context.Context //nolint:containedctx // a test's
}

func newBench(t *testing.T, subject Subject) bench {
	t.Helper()
	s := store.New(subject.Engine, store.Options{Now: subject.Now, Key: subject.Key})
	return bench{T: t, store: s, subject: subject, ctx: t.Context()}
}

// raw returns the sealed form of a name.
func (b bench) raw(scope store.Scope, name string) store.Key {
	return store.Key{Scope: scope, Name: seal.New(b.subject.Key).Name(string(scope), name)}
}

// engineHas returns the values that the engine has stored under names.
func (b bench) engineHas(scope store.Scope, names ...string) (values [][]byte) {
	b.Helper()
	errtest.None(b, b.subject.Engine.Read(b.ctx, scope, func(read store.Reader) (err error) {
		values, err = read.Get(names...)
		return err
	}))
	return values
}

// forget deletes messages of the home channel.
func forget(b bench, messages []graph.MessageID) {
	b.Helper()
	_, err := b.store.Deletions.Forget(b.ctx, home, general, messages)
	errtest.None(b, err)
}

// ends ends the test unless something ended with an error that is want.
func (b bench) ends(what string, err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("%s ends with %v, want %v", what, err, want)
	}
}

// sound fails the test if what is stored in the home scope does not verify.
func (b bench) sound() {
	b.Helper()
	if faults, _ := b.verify(home); len(faults) != 0 {
		b.Errorf("the faults are %+v, want none", faults)
	}
}

const (
	home    store.Scope     = "g1"
	general graph.ChannelID = 100
)

// person returns the id of a person.
func person(name string) graph.UserID { return graph.UserID(name[0]) }

// said returns a person's turn. The id of its message is the first rune of the text, so
// that tests can name messages by letters.
func said(name, text string) path.Turn {
	return path.Turn{Role: path.RoleUser, Speaker: name, Parts: []path.Part{path.Text(text)}}
}

// answered returns a turn of heddle's.
func answered(text string) path.Turn {
	return path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(text)}}
}

// response returns a response to turns of people. Each turn is a message of its own,
// with ids from from on. The last is the trigger. The id of the answer's message is a
// thousand times that of the trigger.
func response(scope store.Scope, from graph.MessageID, turns ...path.Turn) store.Response {
	system := path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text("Be kind.")}}
	r := store.Response{
		Standing: store.Standing{
			Scope: scope, Channel: general, Generation: 1, Self: 99, Created: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		},
		Input: store.Input{
			Path: append([]path.Turn{system}, turns...), Model: "m", Tail: "Today is Friday.", Without: []string{"logprobs"},
		},
		Lineage: store.Lineage{Cut: 2, Files: []path.Artifact{{Message: 3, Attachment: 4, Name: "plan.md"}}},
		Output:  store.Output{Reported: "m-2026", Fingerprint: "fp_1", FinishReason: "stop"},
	}
	for i, turn := range turns {
		r.Trigger = from + graph.MessageID(i)
		author := graph.UserID(7)
		if turn.Speaker != "" {
			author = person(turn.Speaker)
		}
		r.Sources = append(r.Sources, store.SourceRef{Message: r.Trigger, Channel: general, Author: author, Position: i + 1})
	}
	r.Text = fmt.Sprintf("answer to %d", r.Trigger)
	r.Replies = []store.Reply{{ID: 1000 * r.Trigger, Text: r.Text}}
	r.ResponseHash = path.ResponseHash(r.Text, r.FinishReason)
	r.PathHash = hash(r)
	return r
}

func hash(r store.Response) path.Hash {
	return path.Path{Turns: r.Path, Tools: r.Tools, Options: r.Options}.Hash()
}

// Example returns a response to one message of a person, which depends only on scope
// and trigger.
func Example(scope store.Scope, trigger graph.MessageID) store.Response {
	return response(scope, trigger, said("Ann", "question "+trigger.String()))
}

// stored returns a response as it is read back, without the fields that Turns and Tools
// read.
func stored(r store.Response) store.Response {
	r.Path, r.Tools = nil, nil
	r.ID, r.Root = store.ResponseID{}, path.Hash{}
	return r
}
