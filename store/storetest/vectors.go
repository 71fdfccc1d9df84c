package storetest

import (
	"slices"
	"time"

	"heddle/graph"
	"heddle/store"
)

// meant returns a vector of an exchange, made from its question and the answer to it.
func meant(anchor graph.MessageID, author string, values ...int8) store.Vector {
	return store.Vector{Anchor: anchor, Print: printOf(anchor), Values: values, Made: []store.SourceRef{
		{Message: anchor, Author: person(author)}, {Message: anchor + 1, Author: person("heddle")},
	}}
}

func printOf(anchor graph.MessageID) [16]byte { return [16]byte{byte(anchor)} } //nolint:gosec // small

// means fails the test unless vectors of exactly these exchanges are stored in a
// channel.
func means(b bench, scope store.Scope, channel graph.ChannelID, want ...graph.MessageID) {
	b.Helper()
	vectors, err := b.store.Vectors().Of(b.ctx, scope, channel)
	b.must(err)
	var got []graph.MessageID
	for _, v := range vectors {
		got = append(got, v.Anchor)
		if !slices.Equal(v.Values, []int8{int8(v.Anchor), -128, 127}) || v.Print != printOf(v.Anchor) { //nolint:gosec // small
			b.Errorf("exchange %v is read as %v, %v, want %v and %v", v.Anchor, v.Values, v.Print, []int8{int8(v.Anchor), -128, 127}, printOf(v.Anchor)) //nolint:gosec // small
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		b.Errorf("exchanges %v are there, want %v", got, want)
	}
}

func vectorsOfExchanges(b bench) {
	const elsewhere = general + 1
	put := func(scope store.Scope, channel graph.ChannelID, vectors ...store.Vector) {
		b.Helper()
		b.must(b.store.Vectors().Put(b.ctx, scope, channel, vectors))
	}
	ann := func(anchor graph.MessageID) store.Vector { return meant(anchor, "Ann", int8(anchor), -128, 127) } //nolint:gosec // small
	bob := func(anchor graph.MessageID) store.Vector { return meant(anchor, "Bob", int8(anchor), -128, 127) } //nolint:gosec // small
	put(home, general, ann(1), ann(3), bob(5), bob(7), bob(9))
	put(home, general, ann(1)) // again
	put(home, elsewhere, bob(11))
	put("g1.c5", general, ann(13), bob(15))
	put("g2", elsewhere, bob(17))
	means(b, home, general, 1, 3, 5, 7, 9)
	means(b, home, elsewhere, 11)
	means(b, "g2", general)

	b.must(b.store.Vectors().Drop(b.ctx, home, general, []graph.MessageID{9, 99}))
	means(b, home, general, 1, 3, 5, 7)
	forget(b, []graph.MessageID{1, 6}) // 6 is the answer in exchange 5
	means(b, home, general, 3, 7)
	put(home, general, ann(1))
	means(b, home, general, 3, 7) // its vector was computed before the deletion and stored after it
	b.must(b.store.Deletions.Supersede(b.ctx, general, 7, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	means(b, home, general, 3)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Ann")))
	means(b, home, general)
	means(b, "g1.c5", general, 15)
	b.must(b.store.Deletions.ForgetChannel(b.ctx, home, general))
	means(b, "g1.c5", general)
	means(b, home, elsewhere, 11)
	b.must(b.store.Deletions.ForgetGuild(b.ctx, 1))
	means(b, home, elsewhere)
	means(b, "g2", elsewhere, 17)
}
