package storetest

import (
	"errors"

	"heddle/graph"
	"heddle/store"
)

// summaries go with what they were made from, and with them all that was made from
// them, be it under way.
func summaries(b bench) {
	summary := response(home, 1, said("Ann", "secret"))
	summary.Summarises = 1
	id := store.SummaryID(home, summary.PathHash, summary.Model)
	summary.Replies[0].ID = id
	madeFrom := func(from graph.MessageID, text string) store.Response {
		r := response(home, from, said("Bob", text))
		r.Summary = id
		r.Sources = append(r.Sources, store.SourceRef{Message: id, Channel: general, Author: person("Ann")})
		return r
	}
	answer, later, apart := madeFrom(50, "and?"), madeFrom(60, "well?"), response(home, 70, said("Cyd", "weather?"))
	b.must(b.Save(b.ctx, summary))
	b.save(answer, apart)
	if asked, err := b.ByTrigger(b.ctx, home, summary.Trigger); err != nil || len(asked) != 0 {
		b.Errorf("a summary answers %d triggers, %v", len(asked), err)
	}
	if kept, err := b.Recall(b.ctx, home, []graph.MessageID{id}); err != nil || kept[id].Text != summary.Text {
		b.Errorf("the summary is %+v, %v", kept, err)
	}
	b.must(b.Forget(b.ctx, home, general, []graph.MessageID{1}))
	b.gone(answer)
	b.whole(apart)
	if kept, err := b.Recall(b.ctx, home, []graph.MessageID{id}); err != nil || len(kept) != 0 {
		b.Errorf("the summary is left: %+v, %v", kept, err)
	}
	if err := b.Save(b.ctx, later); !errors.Is(err, store.ErrForgotten) {
		b.Errorf("an answer that was being made from the summary is saved: %v", err)
	}
}
