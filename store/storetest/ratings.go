package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"time"

	"heddle/graph"
	"heddle/store"
)

// rate has people rate the answer that a message is part of, a second after the
// other: "+" and "-" behind a name are 👍 and 👎.
func (b bench) rate(message graph.MessageID, ratings ...string) {
	b.Helper()
	for _, rating := range ratings {
		r := rated(message, rating)
		r.At = b.subject.Now()
		b.must(b.Ratings.Rate(b.ctx, home, r))
		b.subject.Advance(time.Second)
	}
}

func (b bench) unrate(message graph.MessageID, rating string) {
	b.Helper()
	want := rated(message, rating)
	b.must(b.Ratings.Unrate(b.ctx, home, message, func(r store.Rating) bool { return r.Person == want.Person && r.Good == want.Good }))
}

func rated(message graph.MessageID, rating string) store.Rating {
	last := len(rating) - 1
	return store.Rating{Message: message, Person: person(rating[:last]), Good: rating[last] == '+'}
}

// thinks fails the test where people think otherwise of a response than this.
func (b bench) thinks(r store.Response, want map[graph.UserID]bool) {
	b.Helper()
	all, err := b.Ratings.Of(b.ctx, home)
	b.must(err)
	got := make(map[graph.UserID]bool)
	for _, rating := range all[r.ID] {
		if _, twice := got[rating.Person]; twice {
			b.Errorf("person %d counts twice", rating.Person)
		}
		got[rating.Person] = rating.Good
	}
	if !maps.Equal(got, want) {
		b.Errorf("people think %v, want %v", got, want)
	}
}

func ratedOnce(b bench) {
	ann, bob := person("Ann"), person("Bob")
	r := response(home, 1, said("Ann", "hi"))
	r.ID = store.ResponseID{1}
	first, second := r.Replies[0].ID, r.Replies[0].ID+1
	r.Replies = append(r.Replies, store.Reply{ID: second, Text: "part two"})
	b.save(r)
	b.thinks(r, nil)
	b.rate(first, "Ann+", "Bob-", "Ann+")
	b.rate(second, "Ann+")
	b.thinks(r, map[graph.UserID]bool{ann: true, bob: false})
	b.rate(second, "Ann-")
	b.thinks(r, map[graph.UserID]bool{ann: false, bob: false})
	b.unrate(second, "Ann-")
	b.thinks(r, map[graph.UserID]bool{ann: true, bob: false})
	b.unrate(first, "Ann+")
	b.unrate(first, "Ann+")
	b.thinks(r, map[graph.UserID]bool{ann: true, bob: false})
	b.unrate(second, "Ann+")
	b.unrate(second, "Bob-") // is on the other part
	b.thinks(r, map[graph.UserID]bool{bob: false})
	b.must(b.Ratings.Unrate(b.ctx, home, first, func(store.Rating) bool { return true }))
	b.thinks(r, nil)
	if err := b.Ratings.Rate(b.ctx, home, rated(77, "Ann+")); !errors.Is(err, store.ErrForgotten) {
		b.Errorf("rating what is no answer ends with %v", err)
	}
	b.must(b.Ratings.Unrate(b.ctx, home, 77, func(store.Rating) bool { return true }))
}

func ratedShown(b bench) {
	first := response(home, 1, said("Ann", "hi"))
	second := first
	first.ID, second.ID = store.ResponseID{1}, store.ResponseID{2}
	second.Text, second.Created = "another", first.Created.Add(time.Second)
	again := first
	again.ID, again.Reuses, again.Reused = store.ResponseID{3}, first.ID, first.Created.Add(time.Hour)
	again.Trigger, again.Replies = 50, []store.Reply{{ID: 5000, Text: first.Text}}
	b.save(first, second, again)
	message := first.Replies[0].ID
	b.must(b.Displays.Show(b.ctx, home, []graph.MessageID{message}, first.ID))
	b.rate(message, "Ann+")
	b.must(b.Displays.Show(b.ctx, home, []graph.MessageID{message}, second.ID))
	b.rate(message, "Bob-")
	b.rate(5000, "Cyd-") // the first, as it was given again
	b.thinks(first, map[graph.UserID]bool{person("Ann"): true, person("Cyd"): false})
	b.thinks(second, map[graph.UserID]bool{person("Bob"): false})
	b.unrate(message, "Ann+")
	b.unrate(5000, "Cyd-")
	b.thinks(first, nil)
}

func ratingsGone(b bench) {
	erased, stays := response(home, 1, said("Ann", "hi")), response(home, 50, said("Bob", "weather?"))
	erased.ID, stays.ID = store.ResponseID{1}, store.ResponseID{2}
	b.save(erased, stays)
	const rater graph.UserID = 0x1122334455667788
	for _, r := range []store.Response{erased, stays} {
		b.must(b.Ratings.Rate(b.ctx, home, store.Rating{Message: r.Replies[0].ID, Person: rater, Good: true}))
		b.rate(r.Replies[0].ID, "Cyd-")
	}
	b.must(b.Deletions.Forget(b.ctx, home, general, []graph.MessageID{1}))
	b.thinks(erased, nil)
	b.thinks(stays, map[graph.UserID]bool{rater: true, person("Cyd"): false})
	b.must(b.Deletions.ForgetAuthor(b.ctx, rater))
	b.thinks(stays, map[graph.UserID]bool{person("Cyd"): false})
	b.whole(stays)
	_, err := b.subject.Engine.Sweep(b.ctx)
	b.must(err)
	given := binary.BigEndian.AppendUint64(nil, uint64(rater))
	given = binary.BigEndian.AppendUint64(given, uint64(stays.Replies[0].ID))
	if bytes.Contains(b.subject.Dump(), given) {
		b.Error("a rating of a person who is forgotten is still there")
	}
}
