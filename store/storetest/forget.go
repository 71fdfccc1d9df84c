package storetest

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

func forgetMessage(b bench) {
	derived := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	apart := response(home, 50, said("Cyd", "weather?"))
	b.save(derived, apart)
	forget(b, []graph.MessageID{1, 77})
	b.gone(derived)
	b.whole(apart)
	forget(b, []graph.MessageID{1, 77})
	forget(b, nil)
	b.whole(apart)
	if erased := b.store.Stats().Erased; erased != 1 {
		b.Errorf("%d erased responses are counted, want 1", erased)
	}
}

func forgetOnward(b bench) {
	first := response(home, 1, said("Ann", "secret"))
	second := response(home, 50, said("Bob", "what did it say?"))
	second.Sources = append(second.Sources, store.SourceRef{Message: first.Replies[0].ID, Channel: general, Author: 7})
	third := response(home, 60, said("Bob", "and now?"))
	third.Sources = append(third.Sources, store.SourceRef{Message: second.Replies[0].ID, Channel: general, Author: 7})
	apart := response(home, 70, said("Bob", "weather?"))
	b.save(first, second, third, apart)
	forget(b, []graph.MessageID{1})
	b.gone(first, second, third)
	b.whole(apart)
}

// supersede edits a message from which answers to other questions and a summary were
// made.
func supersede(b bench) {
	edited := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	older := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	elsewhere := response("g1.c5", 1, said("Ann", "secret"), said("Cyd", "where?"))
	onward := response(home, 50, said("Bob", "what did it say?"))
	onward.Sources = append(onward.Sources, store.SourceRef{Message: older.Replies[0].ID, Channel: general, Author: 7})
	newer := response(home, 200, said("Ann", "nothing"), said("Dan", "what?"))
	newer.Sources[0].Message, newer.Sources[0].Edited = 1, edited
	apart := response(home, 70, said("Cyd", "weather?"))
	b.save(older, elsewhere, onward, newer, apart)
	b.must(b.store.Deletions.Supersede(b.ctx, general, 1, edited.Add(-time.Microsecond)))
	b.gone(older, elsewhere, onward)
	b.whole(newer, apart)
	b.must(b.store.Deletions.Supersede(b.ctx, general, 1, edited))
	b.must(b.store.Deletions.Supersede(b.ctx, general, 1, edited.Add(-time.Hour)))
	b.whole(newer, apart)
	_, err := b.subject.Engine.Sweep(b.ctx)
	b.must(err)
	if dump := b.subject.Dump(); bytes.Contains(dump, []byte("secret")) {
		b.Error("the older version is still stored")
	}

	// The messages that showed the answer to the edited question show the answer to its
	// new version.
	question := response(home, 90, said("Ann", "first?"))
	after := response(home, 95, said("Bob", "and?"))
	after.Sources = append(after.Sources, store.SourceRef{Message: question.Replies[0].ID, Channel: general, Author: 7})
	b.save(question, after)
	b.must(b.store.Deletions.Supersede(b.ctx, general, question.Trigger, edited))
	b.gone(question)
	b.whole(after)
}

func supersedeLater(b bench) {
	older := response(home, 1, said("Ann", "secret"))
	b.save(older)
	edited := b.subject.Now()
	b.must(b.store.Deletions.Edited(b.ctx, general, 1, edited))
	b.must(b.store.Deletions.EraseEdited(b.ctx))
	b.whole(older)
	b.subject.Advance(11 * time.Minute)
	b.must(b.store.Deletions.EraseEdited(b.ctx))
	b.gone(older)
	late := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	b.save(late) // its answer was begun before the edit
	b.must(b.store.Deletions.EraseEdited(b.ctx))
	b.gone(late)
	b.subject.Advance(time.Hour)
	b.must(b.store.Deletions.EraseEdited(b.ctx))
	b.save(late)
	b.must(b.store.Deletions.EraseEdited(b.ctx))
	b.whole(late)
}

func checked(b bench) {
	at, err := b.store.Backlog.Checked(b.ctx)
	if err != nil || !at.IsZero() {
		b.Errorf("a new store was checked at %v, %v, want never", at, err)
	}
	now := b.subject.Now().Truncate(time.Millisecond)
	b.must(b.store.Backlog.SetChecked(b.ctx, now))
	if at, err = b.store.Backlog.Checked(b.ctx); err != nil || !at.Equal(now) {
		b.Errorf("the store was checked at %v, %v, want %v", at, err, now)
	}
}

func forgetShared(b bench) {
	shared := []path.Turn{said("Ann", "hello"), answered("hi")}
	short := response(home, 1, shared...)
	kept := response(home, 1, append(shared[:2:2], said("Bob", "and?"))...)
	other := response(home, 20, said("Zed", "first"), said("Ann", "hello"))
	forked := response(home, 1, append(shared[:2:2], said("Cyd", "secret"))...)
	forked.Sources[2].Message, forked.Trigger = 90, 90
	alternative := forked
	alternative.Text, alternative.Trigger = "another", 91
	b.save(short, kept, other, forked, alternative)
	forget(b, []graph.MessageID{90})
	found, err := b.byPath(forked)
	b.same(found, err)
	b.whole(short, kept, other)
	forget(b, []graph.MessageID{1})
	b.gone(short, kept)
	b.whole(other)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Zed")))
	b.gone(other)
	b.save(response(home, 200, shared...))
}

func forgetAuthor(b bench) {
	var derived, apart []store.Response
	for _, scope := range []store.Scope{home, "g1.c5", "g2", "d9"} {
		derived = append(derived, response(scope, 1, said("Ann", "hi"), said("Bob", "secret")))
		apart = append(apart, response(scope, 50, said("Cyd", "weather?")))
	}
	b.save(append(derived, apart...)...)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Bob")))
	b.gone(derived...)
	b.whole(apart...)
}

func forgetChannel(b bench) {
	const secret graph.ChannelID = 5
	own := response("g1.c5", 1, said("Ann", "hi"))
	own.Channel, own.Sources[0].Channel = secret, secret
	used := response("g1.c6", 10, said("Ann", "hi"), said("Bob", "what?"))
	used.Sources[0].Channel = secret
	apart := response(home, 50, said("Cyd", "weather?"))
	b.save(own, used, apart)
	b.must(b.store.Deletions.ForgetChannel(b.ctx, "g1.c5", secret))
	b.gone(own, used)
	b.whole(apart)
}

func forgetGuild(b bench) {
	left := []store.Response{response("g1", 1, said("Ann", "hi")), response("g1.c5", 1, said("Ann", "hi"))}
	stays := []store.Response{response("g11", 1, said("Ann", "hi")), response("g11.c5", 1, said("Ann", "hi")), response("d1", 1, said("Ann", "hi"))}
	b.save(append(left, stays...)...)
	b.must(b.store.Deletions.ForgetGuild(b.ctx, 1))
	b.gone(left...)
	b.whole(stays...)
	if err := b.store.Responses.Save(b.ctx, left[0]); !errors.Is(err, store.ErrForgotten) {
		b.Errorf("saving for a guild that was left returns %v, want %v", err, store.ErrForgotten)
	}
}

func forgetMany(b bench) {
	var derived []store.Response
	for i := range graph.MessageID(70) {
		r := response(home, 10*i+10, said("Ann", "question "+i.String()))
		r.Sources = append(r.Sources, store.SourceRef{Message: 1, Channel: general, Author: 3})
		derived = append(derived, r)
	}
	b.save(derived...)
	messages := make([]graph.MessageID, 100)
	for i := range messages {
		messages[i] = graph.MessageID(100 - i)
	}
	forget(b, messages)
	b.gone(derived...)
}

func forgetInflight(b bench) {
	late := response(home, 1, said("Ann", "secret"), said("Bob", "what?"))
	later := response(home, 50, said("Ann", "hi"))
	forget(b, []graph.MessageID{1})
	if err := b.store.Responses.Save(b.ctx, late); !errors.Is(err, store.ErrForgotten) {
		b.Fatalf("saving returns %v, want %v", err, store.ErrForgotten)
	}
	b.gone(late)
	b.save(later)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Ann")))
	if err := b.store.Responses.Save(b.ctx, later); !errors.Is(err, store.ErrForgotten) {
		b.Fatalf("saving what was asked before returns %v, want %v", err, store.ErrForgotten)
	}
	const future = graph.MessageID(1) << 62
	b.save(response(home, future, said("Ann", "hi")))
}

func forgetBytes(b bench) {
	const secret = "the password is hunter2"
	derived := response(home, 1, said("Ann", secret), said("Bob", "what?"))
	derived.Text = "You said: " + secret
	apart := response(home, 50, said("Cyd", "weather?"))
	b.save(derived, apart)
	if bytes.Contains(b.subject.Dump(), []byte(secret)) != b.subject.Readable {
		b.Fatalf("before the deletion the text can be read: %t, want %t", !b.subject.Readable, b.subject.Readable)
	}
	forget(b, []graph.MessageID{1})
	_, err := b.subject.Engine.Sweep(b.ctx)
	b.must(err)
	dump := b.subject.Dump()
	if bytes.Contains(dump, []byte(secret)) {
		b.Error("the text is still stored")
	}
	prompt := derived.Path[1].Hash()
	if bytes.Contains(dump, prompt[:]) || bytes.Contains(dump, derived.PathHash[:]) {
		b.Error("a hash from which the text could be guessed is still stored")
	}
	b.whole(apart)
}

func forgottenIsKnown(b bench) {
	other := store.New(b.subject.Engine, store.Options{Now: b.subject.Now})
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Bob")))
	before, err := other.OptOuts.All(b.ctx)
	b.must(err)
	b.subject.Advance(time.Hour)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Bob")))
	again, err := other.OptOuts.All(b.ctx)
	b.must(err)
	b.subject.Advance(365 * 24 * time.Hour)
	later, err := other.OptOuts.All(b.ctx)
	b.must(err)
	for _, known := range []store.OptedOut{before, again, later} {
		if !slices.Equal(known.People, []graph.UserID{person("Bob")}) {
			b.Errorf("who opted out is %+v, want Bob", known)
		}
	}
	if before.Version == again.Version || again.Version != later.Version {
		b.Errorf("the versions are %q, %q and %q, want the first to differ from the others", before.Version, again.Version, later.Version)
	}
}
