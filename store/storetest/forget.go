package storetest

import (
	"bytes"
	"context"
	"encoding/hex"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

// supersede edits a message from which answers to other questions and a summary were
// made.
func supersede(b bench) {
	edited := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	older := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	elsewhere := response("g1.c5", 1, said("Ann", "secret"), said("Cyd", "where?"))
	onward := madeFrom(older, 50)
	newer := response(home, 200, said("Ann", "nothing"), said("Dan", "what?"))
	newer.Sources[0].Message, newer.Sources[0].Edited = 1, edited
	apart := response(home, 70, said("Cyd", "weather?"))
	b.save(older, elsewhere, onward, newer, apart)
	id := b.only(older).ID
	erased := b.erasable(b.raw(home, "tr"+string(id[:])).Name)
	superseded(b, 1, edited.Add(-time.Microsecond))
	b.gone(older, elsewhere, onward)
	b.whole(newer, apart)
	superseded(b, 1, edited)
	superseded(b, 1, edited.Add(-time.Hour))
	b.whole(newer, apart)
	erased()

	// The messages that showed the answer to the edited question show the answer to its
	// new version.
	question := response(home, 90, said("Ann", "first?"))
	after := madeFrom(question, 95)
	b.save(question, after)
	superseded(b, question.Trigger, edited)
	b.gone(question)
	b.whole(after)
}

// superseded erases what was made from versions of a message from before an edit.
func superseded(b bench, message graph.MessageID, edited time.Time) {
	b.Helper()
	errtest.None(b, b.store.Deletions.Edited(b.ctx, store.Edit{Channel: general, Message: message, At: edited}))
	b.subject.Advance(time.Hour)
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
}

// supersedeLater edits messages a minute apart. An answer from an older version of the
// first is saved after that one was erased, by a process that did not hear of the edit.
func supersedeLater(b bench) {
	const edits = 6
	var older []store.Response
	edit := func(i int) {
		errtest.None(b, b.store.Deletions.Edited(b.ctx, store.Edit{Channel: general, Message: older[i].Trigger, At: b.subject.Now()}))
	}
	for i := range edits {
		older = append(older, Example(home, graph.MessageID(10*i+1)))
		b.save(older[i])
		edit(i)
		b.subject.Advance(time.Minute)
	}
	b.subject.Advance((10-edits)*time.Minute - time.Second)
	for i := range older {
		errtest.None(b, b.store.Deletions.Finish(b.ctx))
		b.gone(older[:i]...)
		b.whole(older[i:]...)
		b.subject.Advance(time.Minute)
	}
	late := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	newBench(b.T, b.subject).save(late) // its answer was begun before the edit
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	b.gone(late)
	b.subject.Advance(time.Hour)
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	b.save(late)
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	b.whole(late)
}

// counting counts the reads and the updates of an engine.
type counting struct {
	store.Engine

	reads, updates atomic.Int64
	before         func() // is called before the next update, unless it is nil
}

func (c *counting) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	c.reads.Add(1)
	return c.Engine.Read(ctx, scope, read) //nolint:wrapcheck // the engine's own
}

func (c *counting) Update(ctx context.Context, changes ...store.Change) error {
	c.updates.Add(1)
	if before := c.before; before != nil {
		c.before = nil
		before()
	}
	return c.Engine.Update(ctx, changes...) //nolint:wrapcheck // the engine's own
}

// editedUnused edits messages of a channel that was used, and of one that was not.
func editedUnused(b bench) {
	engine := &counting{Engine: b.subject.Engine}
	b.subject.Engine = engine
	b = newBench(b.T, b.subject)
	r := response(home, 1, said("Ann", "secret"))
	edited := b.subject.Now().UTC().Truncate(time.Microsecond)
	r.Sources[0].Edited = edited
	b.save(r)
	before, stored := engine.updates.Load(), len(b.entries())
	writes := func(want int64, edits ...store.Edit) {
		b.Helper()
		if errtest.None(b, b.store.Deletions.Edited(b.ctx, edits...)); engine.updates.Load() != before+want {
			b.Errorf("%d updates are made for %d edits, want %d", engine.updates.Load()-before, len(edits), want)
		}
	}
	var edits []store.Edit
	for message := range graph.MessageID(500) {
		edits = append(edits, store.Edit{Channel: general, Message: message + 2, At: edited}, store.Edit{Channel: general + 1, Message: message + 600, At: edited})
	}
	writes(0, edits...)
	writes(1, append(edits, store.Edit{Channel: general, Message: 1, At: edited})...)
	b.subject.Advance(time.Hour)
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	before = engine.updates.Load()
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	writes(0)
	if left := len(b.entries()); left != stored {
		b.Errorf("%d entries are stored when all is over, want %d as before", left, stored)
	}
}

// editedMeanwhile edits messages from whose older versions answers are being made: before
// they are saved and while they are.
func editedMeanwhile(b bench) {
	engine := &counting{Engine: b.subject.Engine}
	b.subject.Engine = engine
	b = newBench(b.T, b.subject)
	edited := b.subject.Now().UTC().Truncate(time.Microsecond)
	edit := func(message graph.MessageID) {
		errtest.None(b, b.store.Deletions.Edited(b.ctx, store.Edit{Channel: general, Message: message, At: edited}))
	}
	before, during, after := Example(home, 1), Example(home, 20), Example("g1.c5", 40)
	after.Sources[0].Edited = edited
	edit(1)
	edit(40)
	b.subject.Advance(time.Minute)
	b.save(before, after)
	engine.before = func() { edit(20) }
	b.save(during)
	for _, entry := range b.entries() {
		if entry.Scope == after.Scope && entry.Name[:1] == "h" {
			b.Error("an edit is noted for an answer from the new version, want none")
		}
	}
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	b.whole(before, during, after)
	b.subject.Advance(10 * time.Minute)
	errtest.None(b, b.store.Deletions.Finish(b.ctx))
	b.gone(before, during)
	b.whole(after)
}

func forgetChannel(b bench) {
	const secret graph.ChannelID = 5
	own := response("g1.c5", 1, said("Ann", "hi"))
	own.Channel, own.Sources[0].Channel = secret, secret
	used := response("g1.c6", 10, said("Ann", "hi"), said("Bob", "what?"))
	used.Sources[0].Channel = secret
	apart := response(home, 50, said("Cyd", "weather?"))
	b.save(own, used, apart)
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Channel: secret, Scope: "g1.c5"}))
	b.gone(own, used)
	b.whole(apart)
}

func forgetGuild(b bench) {
	left := []store.Response{response("g1", 1, said("Ann", "hi")), response("g1.c5", 1, said("Ann", "hi"))}
	stays := []store.Response{response("g11", 1, said("Ann", "hi")), response("g11.c5", 1, said("Ann", "hi")), response("d1", 1, said("Ann", "hi"))}
	b.save(append(left, stays...)...)
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Guild: 1}))
	b.gone(left...)
	b.whole(stays...)
	b.ends("saving for a guild that was left", b.store.Responses.Save(b.ctx, left[0]), store.ErrForgotten)
}

func forgetInflight(b bench) {
	late := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	later := response(home, 50, said("Ann", "hi"))
	forget(b, []graph.MessageID{1})
	b.ends("saving", b.store.Responses.Save(b.ctx, late), store.ErrForgotten)
	b.gone(late)
	b.save(later)
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Person: person("Ann")}))
	b.ends("saving what was asked before", b.store.Responses.Save(b.ctx, later), store.ErrForgotten)
	const future = graph.MessageID(1) << 62
	b.save(response(home, future, said("Ann", "hi")))
}

// forgetBytes erases an answer by a message that a tool read, whose result is in it.
func forgetBytes(b bench) {
	secret := make([]byte, 20_000) // more than is written over at once; nothing makes it shorter
	_, _ = rand.NewChaCha8([32]byte{}).Read(secret)
	derived := withTools("the password is " + hex.EncodeToString(secret))
	apart := response(home, 50, said("Cyd", "weather?"))
	b.save(derived, apart)
	b.only(derived)
	b.sound()
	id := b.only(derived).ID
	erased := b.erasable(b.raw(home, "r"+string(id[:])).Name, b.raw(home, "tr"+string(id[:])).Name)
	forget(b, []graph.MessageID{77})
	b.gone(derived)
	erased()
	b.whole(apart)
}

// erasable returns a function that fails the test unless no piece of values that are stored
// now in the home scope is left in the engine.
func (b bench) erasable(names ...string) func() {
	b.Helper()
	const size = 32 // bytes that are nowhere by chance
	pieces := slices.Collect(slices.Chunk(slices.Concat(b.engineHas(home, names...)...), size))
	pieces = pieces[:len(pieces)-1] // the last may be shorter
	holds := func(want bool) {
		b.Helper()
		dump := b.subject.Dump()
		if slices.ContainsFunc(pieces, func(piece []byte) bool { return bytes.Contains(dump, piece) }) != want {
			b.Errorf("what is stored is in the bytes of the engine: %t, want %t", !want, want)
		}
	}
	holds(true)
	return func() {
		b.Helper()
		errtest.Must(b.subject.Engine.Sweep(b.ctx))(b)
		holds(false)
	}
}

func optOuts(b bench) {
	knows := func(want ...graph.UserID) string {
		b.Helper()
		all := errtest.Must(b.store.OptOuts.All(b.ctx))(b)
		version := errtest.Must(b.store.OptOuts.Version(b.ctx))(b)
		if !slices.Equal(all.People, want) || all.Version != version {
			b.Errorf("who opted out is %v at %q, want %v at %q", all.People, all.Version, want, version)
		}
		return version
	}
	versions := []string{knows()}
	errtest.None(b, b.store.OptOuts.Add(b.ctx, 9))
	versions = append(versions, knows(9))
	errtest.None(b, b.store.OptOuts.Add(b.ctx, 3))
	versions = append(versions, knows(3, 9))
	errtest.None(b, b.store.OptOuts.Remove(b.ctx, 9))
	errtest.None(b, b.store.OptOuts.Remove(b.ctx, 77))
	versions = append(versions, knows(3))
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Person: person("Ann")}))
	versions = append(versions, knows(3, person("Ann")))
	errtest.None(b, b.store.OptOuts.Remove(b.ctx, person("Ann")))
	errtest.None(b, b.store.Deletions.Finish(b.ctx)) // a complete erasure is not begun again
	versions = append(versions, knows(3))
	slices.Sort(versions)
	if len(slices.Compact(versions)) != 6 {
		b.Errorf("the versions are %q, want six that all differ", versions)
	}
}

func extents(b bench) {
	first := response(home, 1, said("Ann", "secret"))
	first.Artifacts = []store.Artifact{{Artifact: path.Artifact{Attachment: 5, Message: first.Replies[0].ID, Name: "a.txt"}}}
	second := madeFrom(first, 50)
	elsewhere := response("g2", 60, said("Ann", "hi"))
	elsewhere.Channel, elsewhere.Sources[0].Channel = 8, 8
	apart := response(home, 70, said("Bob", "weather?"))
	b.save(first, second, elsewhere, apart)
	is := func(got store.Extent, err error, want store.Extent) {
		b.Helper()
		errtest.None(b, err)
		if got.Answers != want.Answers || got.Files != want.Files || got.Summaries != want.Summaries || !maps.Equal(got.Channels, want.Channels) {
			b.Errorf("what would be erased is %+v, want %+v", got, want)
		}
	}
	ann, err := b.store.Deletions.Extent(b.ctx, store.Erasure{Person: person("Ann")})
	is(ann, err, store.Extent{Answers: 3, Files: 1, Channels: map[graph.ChannelID]int{general: 2, 8: 1}})
	guild, err := b.store.Deletions.Extent(b.ctx, store.Erasure{Guild: 1})
	is(guild, err, store.Extent{Answers: 3, Files: 1, Channels: map[graph.ChannelID]int{general: 3}})
	b.whole(first, second, elsewhere, apart)
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Person: person("Ann")}))
	if erased := b.store.Stats().Erased; erased != 3 {
		b.Errorf("%d were erased, want the 3 that were announced", erased)
	}
	b.gone(first, second, elsewhere)
	b.whole(apart)
	ann, err = b.store.Deletions.Extent(b.ctx, store.Erasure{Person: person("Ann")})
	is(ann, err, store.Extent{})
	guild, err = b.store.Deletions.Extent(b.ctx, store.Erasure{Guild: 1})
	is(guild, err, store.Extent{Answers: 1, Channels: map[graph.ChannelID]int{general: 1}})
}
