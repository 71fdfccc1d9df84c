package storetest

import (
	"maps"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
)

// rate lets people rate the answer that a message is part of, one second after another.
// A name is followed by "+" for 👍 or "-" for 👎.
func rate(b bench, message graph.MessageID, ratings ...string) {
	b.Helper()
	for _, rating := range ratings {
		r := rated(message, rating)
		r.At = b.subject.Now()
		errtest.None(b, b.store.Ratings.Rate(b.ctx, home, r))
		b.subject.Advance(time.Second)
	}
}

func unrate(b bench, message graph.MessageID, rating string) {
	b.Helper()
	want := rated(message, rating)
	errtest.None(b, b.store.Ratings.Unrate(b.ctx, home, message, func(r store.Rating) bool { return r.Person == want.Person && r.Good == want.Good }))
}

func rated(message graph.MessageID, rating string) store.Rating {
	last := len(rating) - 1
	return store.Rating{Message: message, Person: person(rating[:last]), Good: rating[last] == '+'}
}

// thinks fails the test unless the ratings of a response are want.
func thinks(b bench, r store.Response, want map[graph.UserID]bool) {
	b.Helper()
	all := errtest.Must(b.store.Ratings.Of(b.ctx, home))(b)
	got := make(map[graph.UserID]bool)
	for _, rating := range all[r.ID] {
		if _, twice := got[rating.Person]; twice {
			b.Errorf("person %d counts twice, want once", rating.Person)
		}
		got[rating.Person] = rating.Good
	}
	if !maps.Equal(got, want) {
		b.Errorf("the ratings are %v, want %v", got, want)
	}
}

func ratedOnce(b bench) {
	ann, bob := person("Ann"), person("Bob")
	r := response(home, 1, said("Ann", "hi"))
	r.ID = store.ResponseID{1}
	first, second := r.Replies[0].ID, r.Replies[0].ID+1
	r.Replies = append(r.Replies, store.Reply{ID: second, Text: "part two"})
	b.save(r)
	thinks(b, r, nil)
	rate(b, first, "Ann+", "Bob-", "Ann+")
	rate(b, second, "Ann+")
	thinks(b, r, map[graph.UserID]bool{ann: true, bob: false})
	rate(b, second, "Ann-")
	thinks(b, r, map[graph.UserID]bool{ann: false, bob: false})
	unrate(b, second, "Ann-")
	thinks(b, r, map[graph.UserID]bool{ann: true, bob: false})
	unrate(b, first, "Ann+")
	unrate(b, first, "Ann+")
	thinks(b, r, map[graph.UserID]bool{ann: true, bob: false})
	unrate(b, second, "Ann+")
	unrate(b, second, "Bob-") // Bob's rating is on the other part
	thinks(b, r, map[graph.UserID]bool{bob: false})
	errtest.None(b, b.store.Ratings.Unrate(b.ctx, home, first, func(store.Rating) bool { return true }))
	thinks(b, r, nil)
	b.ends("rating what is no answer", b.store.Ratings.Rate(b.ctx, home, rated(77, "Ann+")), store.ErrForgotten)
	errtest.None(b, b.store.Ratings.Unrate(b.ctx, home, 77, func(store.Rating) bool { return true }))
}

func ratingsGone(b bench) {
	erased, stays := response(home, 1, said("Ann", "hi")), response(home, 50, said("Bob", "weather?"))
	erased.ID, stays.ID = store.ResponseID{1}, store.ResponseID{2}
	b.save(erased, stays)
	const rater graph.UserID = 0x1122334455667788
	for _, r := range []store.Response{erased, stays} {
		errtest.None(b, b.store.Ratings.Rate(b.ctx, home, store.Rating{Message: r.Replies[0].ID, Person: rater, Good: true}))
		rate(b, r.Replies[0].ID, "Cyd-")
	}
	forget(b, []graph.MessageID{1})
	thinks(b, erased, nil)
	thinks(b, stays, map[graph.UserID]bool{rater: true, person("Cyd"): false})
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Person: rater}))
	thinks(b, stays, map[graph.UserID]bool{person("Cyd"): false})
	b.whole(stays)
}
