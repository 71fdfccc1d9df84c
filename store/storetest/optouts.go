package storetest

import (
	"maps"
	"slices"

	"heddle/graph"
	"heddle/store"
)

func optOuts(b bench) {
	knows := func(want ...graph.UserID) string {
		b.Helper()
		all, err := b.store.OptOuts.All(b.ctx)
		b.must(err)
		version, err := b.store.OptOuts.Version(b.ctx)
		b.must(err)
		if !slices.Equal(all.People, want) || all.Version != version {
			b.Errorf("who opted out is %v at %q, want %v at %q", all.People, all.Version, want, version)
		}
		return version
	}
	versions := []string{knows()}
	b.must(b.store.OptOuts.Add(b.ctx, 9))
	versions = append(versions, knows(9))
	b.must(b.store.OptOuts.Add(b.ctx, 3))
	versions = append(versions, knows(3, 9))
	b.must(b.store.OptOuts.Remove(b.ctx, 9))
	b.must(b.store.OptOuts.Remove(b.ctx, 77))
	versions = append(versions, knows(3))
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Ann")))
	versions = append(versions, knows(3, person("Ann")))
	b.must(b.store.OptOuts.Remove(b.ctx, person("Ann")))
	b.must(b.store.Deletions.Finish(b.ctx)) // a complete erasure is not begun again
	versions = append(versions, knows(3))
	slices.Sort(versions)
	if len(slices.Compact(versions)) != 6 {
		b.Errorf("the versions are %q, want six that all differ", versions)
	}
}

func extents(b bench) {
	first := response(home, 1, said("Ann", "secret"))
	first.Artifacts = []store.Artifact{{Attachment: 5, Message: first.Replies[0].ID, Name: "a.txt"}}
	second := response(home, 50, said("Bob", "what did it say?"))
	second.Sources = append(second.Sources, store.SourceRef{Message: first.Replies[0].ID, Channel: general, Author: 7})
	elsewhere := response("g2", 60, said("Ann", "hi"))
	elsewhere.Channel, elsewhere.Sources[0].Channel = 8, 8
	apart := response(home, 70, said("Bob", "weather?"))
	b.save(first, second, elsewhere, apart)
	for _, rating := range []store.Rating{
		{Message: apart.Replies[0].ID, Person: person("Ann"), Good: true},
		{Message: apart.Replies[0].ID, Person: person("Bob")},
		{Message: second.Replies[0].ID, Person: person("Bob"), Good: true},
	} {
		b.must(b.store.Ratings.Rate(b.ctx, home, rating))
	}
	b.must(b.store.Vectors().Put(b.ctx, home, general, []store.Vector{meant(1, "Ann", 1, 2), meant(3, "Ann", 1, 2), meant(70, "Bob", 1, 2)}))
	is := func(got store.Extent, err error, want store.Extent) {
		b.Helper()
		b.must(err)
		if got.Answers != want.Answers || got.Files != want.Files || got.Ratings != want.Ratings || got.Summaries != want.Summaries || got.Vectors != want.Vectors || !maps.Equal(got.Channels, want.Channels) {
			b.Errorf("what would be erased is %+v, want %+v", got, want)
		}
	}
	ann, err := b.store.Extents.OfAuthor(b.ctx, person("Ann"))
	is(ann, err, store.Extent{Answers: 3, Files: 1, Ratings: 2, Vectors: 2, Channels: map[graph.ChannelID]int{general: 2, 8: 1}})
	guild, err := b.store.Extents.OfGuild(b.ctx, 1)
	is(guild, err, store.Extent{Answers: 3, Files: 1, Ratings: 3, Vectors: 3, Channels: map[graph.ChannelID]int{general: 3}})
	b.whole(first, second, elsewhere, apart)
	b.must(b.store.Deletions.ForgetAuthor(b.ctx, person("Ann")))
	if erased := b.store.Stats().Erased; erased != 3 {
		b.Errorf("%d were erased, want the 3 that were announced", erased)
	}
	ann, err = b.store.Extents.OfAuthor(b.ctx, person("Ann"))
	is(ann, err, store.Extent{})
	guild, err = b.store.Extents.OfGuild(b.ctx, 1)
	is(guild, err, store.Extent{Answers: 1, Ratings: 1, Vectors: 1, Channels: map[graph.ChannelID]int{general: 1}})
}
