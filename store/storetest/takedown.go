package storetest

import (
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

// sentAs returns another answer to the question of a response, sent as other messages.
func sentAs(r store.Response, text string, messages ...graph.MessageID) store.Response {
	r.Text, r.Created, r.Replies = text, r.Created.Add(time.Duration(messages[0])), nil //nolint:gosec // a few
	r.ResponseHash = path.ResponseHash(text, r.FinishReason)
	for _, message := range messages {
		r.Replies = append(r.Replies, store.Reply{ID: message})
	}
	copy(r.ID[:], text)
	return r
}

// answersLeft fails the test unless the stored answers to a question are want, in any
// order.
func answersLeft(b bench, trigger graph.MessageID, want ...string) {
	b.Helper()
	found := errtest.Must(b.store.Responses.ByTrigger(b.ctx, home, trigger))(b)
	var got []string
	for _, r := range found {
		got = append(got, r.Text)
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		b.Fatalf("the answers %q are left, want %q", got, want)
	}
}

// takesDown deletes messages, and fails the test unless Forget returns want as stale.
func takesDown(b bench, messages []graph.MessageID, want ...graph.MessageID) {
	b.Helper()
	stale := errtest.Must(b.store.Deletions.Forget(b.ctx, home, general, messages))(b)
	got := make([]graph.MessageID, len(stale))
	for i, at := range stale {
		if got[i] = at.Message; at.Scope != home || at.Channel != general {
			b.Errorf("a stale message is in channel %s of scope %q, want channel %s of %q", at.Channel, at.Scope, general, home)
		}
	}
	if !slices.Equal(got, want) {
		b.Fatalf("deleting %v leaves the buttons of %v stale, want %v", messages, got, want)
	}
}

// showsIn makes messages show a response.
func showsIn(b bench, id store.ResponseID, parts ...graph.MessageID) {
	b.Helper()
	errtest.None(b, b.store.Responses.Show(b.ctx, home, parts, id))
}

// takeDowns returns the tests of deletions of messages that show answers to one
// question. The first answer is shown by messages 10 and 11, and the second by message
// 20. The third is not stored.
func takeDowns() map[string]func(bench) {
	all := make(map[string]func(bench))
	for name, test := range map[string]struct {
		before  func(b bench, first, second, third store.Response)
		deleted []graph.MessageID
		stale   []graph.MessageID
		left    []string
	}{
		"the second answer":   {nil, []graph.MessageID{20}, []graph.MessageID{10}, []string{"first"}},
		"a part of the first": {nil, []graph.MessageID{11}, []graph.MessageID{10, 20}, []string{"second"}},
		"all messages":        {nil, []graph.MessageID{10, 11, 20}, nil, nil},
		"a message that shows what another shows": {func(b bench, first, _, _ store.Response) {
			showsIn(b, first.ID, 20, 21)
		}, []graph.MessageID{21}, nil, []string{"first", "second"}},
		"a message with an answer in place of its own": {func(b bench, _, _, third store.Response) {
			third.Replies = third.Replies[:1]
			errtest.None(b, b.store.Responses.SaveShown(b.ctx, third))
		}, []graph.MessageID{10}, []graph.MessageID{11, 20}, []string{"second"}},
	} {
		all["deleting "+name] = func(b bench) {
			first := response(home, 1, said("Ann", "secret"))
			second, third := sentAs(first, "second", 20), sentAs(first, "third", 10, 11)
			first = sentAs(first, "first", 10, 11)
			b.save(first, second)
			if test.before != nil {
				test.before(b, first, second, third)
			}
			takesDown(b, test.deleted, test.stale...)
			answersLeft(b, 1, test.left...)
			var open [][]string
			errtest.None(b, b.subject.Engine.Read(b.ctx, "_people", func(read store.Reader) (err error) {
				open, err = read.Members(b.raw("_people", "erasing").Name)
				return err
			}))
			if len(open[0]) != 0 {
				b.Errorf("%d erasures have not ended, want 0", len(open[0]))
			}
			takesDown(b, test.deleted)
			answersLeft(b, 1, test.left...)
			b.sound()
		}
	}
	return all
}

// leavesOnly calls Leave for an answer that became shorter.
func leavesOnly(b bench, parts []graph.MessageID, left ...graph.MessageID) {
	b.Helper()
	errtest.None(b, b.store.Responses.Leave(b.ctx, home, parts, left))
}

// takenDownOnward deletes one of two messages that show an answer. The other message
// has a follow-up.
func takenDownOnward(b bench) {
	first := sentAs(response(home, 1, said("Ann", "secret")), "first", 10)
	second := sentAs(first, "second", 20)
	follow, apart := madeFrom(first, 50), response(home, 90, said("Cyd", "weather?"))
	b.save(first, second, follow, apart)
	showsIn(b, second.ID, 10)
	showsIn(b, first.ID, 10)
	takesDown(b, []graph.MessageID{20}, 10)
	answersLeft(b, 1, "first")
	b.gone(follow)
	b.whole(apart)
	recollected, err := b.store.Responses.Recollect(b.ctx, home, []graph.MessageID{10, 20})
	if gone := recollected[20]; err != nil || recollected[10].Text != "first" || !gone.Gone() {
		b.Errorf("Recollect returns %+v, %v, want the first answer for 10, and 20 erased", recollected, err)
	}
}

// leftOnward deletes a message that an answer no longer needs and from which a
// follow-up was made.
func leftOnward(b bench) {
	first := sentAs(response(home, 1, said("Ann", "secret")), "first", 10, 11)
	follow := madeFrom(first, 50)
	follow.Sources = append(follow.Sources, store.SourceRef{Message: 11, Channel: general, Author: 7})
	b.save(first, follow)
	leavesOnly(b, []graph.MessageID{10}, 11)
	takesDown(b, []graph.MessageID{11})
	b.whole(first, follow)
	takesDown(b, []graph.MessageID{10}, 11)
	b.gone(follow)
}

// takenDownCopies deletes one of three messages in several channels that show the same
// answer.
func takenDownCopies(b bench) {
	original := Example(home, 1)
	b.save(original)
	again := b.again(original)
	third := again
	third.Trigger, third.Replies, third.Reused = again.Trigger+1, []store.Reply{{ID: again.Replies[0].ID + 1}}, again.Reused.Add(1)
	third.Sources = []store.SourceRef{{Message: third.Trigger, Channel: general, Author: person("Ann")}}
	b.save(again, third)
	takesDown(b, []graph.MessageID{again.Replies[0].ID})
	answersLeft(b, again.Trigger)
	answersLeft(b, third.Trigger, third.Text)
	answersLeft(b, original.Trigger, original.Text)
	b.finds(wanting(original))
	b.sound()
}

// takenDownEarly deletes the message of an answer before the answer is saved, and
// before another answer is shown there.
func takenDownEarly(b bench) {
	first := sentAs(response(home, 1, said("Ann", "secret")), "first", 10)
	second := sentAs(first, "second", 20)
	b.save(second)
	takesDown(b, []graph.MessageID{10})
	b.ends("saving an answer in a deleted message", b.store.Responses.Save(b.ctx, first), store.ErrForgotten)
	b.ends("showing an answer in a deleted message", b.store.Responses.Show(b.ctx, home, []graph.MessageID{10}, second.ID), store.ErrForgotten)
}

// shownNow lists the messages that show responses.
func shownNow(b bench) {
	first := sentAs(response(home, 1, said("Ann", "secret")), "first", 10, 11)
	second, third := sentAs(first, "second", 20), sentAs(first, "third", 30)
	third.Replies = nil
	b.save(first, second, third)
	shown := func(want string) {
		b.Helper()
		got, err := b.store.Archive.Shown(b.ctx, home, []store.Response{first, second, third})
		if errtest.None(b, err); fmt.Sprint(got) != want {
			b.Fatalf("responses are shown by %v, want %s", got, want)
		}
	}
	shown("[[10 11] [20] []]")
	leavesOnly(b, []graph.MessageID{10}, 11)
	showsIn(b, second.ID, 10)
	shown("[[] [10 20] []]")
	showsIn(b, first.ID, 10, 40)
	shown("[[10 40] [20] []]")
	leavesOnly(b, []graph.MessageID{10}, 40)
	shown("[[10] [20] []]")
}

// kept returns an answer that owes a file to a question in two messages, as it is saved
// before it is sent.
func kept() store.Response {
	r := response(home, 1, said("Ann", "secret"), said("Ann", "and this"))
	r.Trigger, r.Asked = 1, []graph.MessageID{2}
	r.Owes, r.Replies, r.ID = 1, nil, store.ResponseID{7}
	return r
}

// sentIn returns an answer as it is saved once it was sent.
func sentIn(r store.Response, message graph.MessageID) store.Response {
	r.Replies = []store.Reply{{ID: message, Text: r.Text}}
	r.Artifacts = []store.Artifact{{Artifact: path.Artifact{Attachment: 5, Message: message, Name: "a.png"}}}
	return r
}

// unsaved fails the test unless that many answers are only known to this process.
func unsaved(b bench, want int) {
	b.Helper()
	if got := errtest.Must(b.store.Archive.Unsaved(b.ctx))(b); len(got) != want {
		b.Errorf("the answers %+v are not stored, want %d of them", got, want)
	}
}

// keptThenSent saves an answer twice, and again as it was at first.
func keptThenSent(b bench) {
	before, after := kept(), sentIn(kept(), 10)
	b.save(before)
	found, err := b.store.Responses.ByTrigger(b.ctx, home, 1)
	b.same(found, err, before)
	if all := store.Alternatives(found, 1); len(all) != 0 {
		b.Errorf("%d alternatives were not sent, want none", len(all))
	}
	b.same(store.Alternatives(found, 1, after), nil, after)
	unsaved(b, 0)
	b.save(after, before)
	for _, question := range []graph.MessageID{1, 2} {
		found, err = b.store.Responses.ByTrigger(b.ctx, home, question)
		b.same(found, err, after)
	}
	b.same(store.Alternatives(found, 1), nil, after)
	b.same([]store.Response{b.byReply(after)[10]}, nil, after)
	if saved := b.store.Stats().Saved; saved != 1 {
		b.Errorf("%d responses are counted as saved, want 1", saved)
	}
	unsaved(b, 0)
	b.sound()
}

// sentTwice saves an answer that one process kept and two sent.
func sentTwice(b bench) {
	b.save(kept())
	other := newBench(b.T, b.subject)
	other.save(sentIn(kept(), 10))
	b.save(sentIn(kept(), 20))
	b.same([]store.Response{b.byReply(sentIn(kept(), 20))[20]}, nil, sentIn(kept(), 20))
	if shown := b.byReply(sentIn(kept(), 10)); len(shown) != 0 {
		b.Errorf("the message of the other process shows %+v, want nothing", shown)
	}
	if saved := other.store.Stats().Saved; saved != 0 {
		b.Errorf("the process that did not keep the answer counts %d as saved, want 0", saved)
	}
	b.sound()
}

// keptThenErased erases an answer between its two saves, and another one by Bury.
func keptThenErased(b bench) {
	buried := func() {
		b.Helper()
		answersLeft(b, 1)
		shown := errtest.Must(b.store.Responses.Recollect(b.ctx, home, []graph.MessageID{10}))(b)[10]
		if !shown.Gone() {
			b.Errorf("the message of an erased answer shows %+v, want one that is gone", shown)
		}
		unsaved(b, 0)
	}
	b.save(kept())
	errtest.None(b, b.store.Responses.Bury(b.ctx, sentIn(kept(), 10)))
	buried()
	again := kept()
	again.ID = store.ResponseID{8}
	b.save(again)
	forget(b, []graph.MessageID{2})
	b.ends("saving an answer that was erased since it was kept", b.store.Responses.Save(b.ctx, sentIn(again, 10)), store.ErrForgotten)
	buried()
	b.sound()
}
