package storetest

import (
	"errors"

	"heddle/graph"
	"heddle/store"
)

// fromSummary returns a response to a message of Bob's, on a path with a summary of
// Ann's words.
func fromSummary(summary store.Response, trigger graph.MessageID, text string) store.Response {
	r := response(summary.Scope, trigger, said("Bob", text))
	r.Summary = summary.SummaryID()
	r.Sources = append(r.Sources, store.SourceRef{Channel: general, Author: person("Ann")})
	return r
}

// summaries checks that a summary is erased together with the messages that it was made
// from, and that everything made from the summary is erased as well, even if it is in
// progress.
func summaries(b bench) {
	summary := response(home, 1, said("Ann", "secret"))
	summary.Summarises = 1
	summary.Replies = nil
	id := summary.SummaryID()
	answer, later, apart := fromSummary(summary, 50, "and?"), fromSummary(summary, 60, "well?"), response(home, 70, said("Cyd", "weather?"))
	b.must(b.store.Responses.Save(b.ctx, summary))
	b.save(answer, apart)
	if asked, err := b.store.Responses.ByTrigger(b.ctx, home, summary.Trigger); err != nil || len(asked) != 0 {
		b.Errorf("ByTrigger finds %d summaries, %v, want none", len(asked), err)
	}
	if kept, found, err := b.store.Responses.Summary(b.ctx, home, id); err != nil || !found || kept.Text != summary.Text {
		b.Errorf("Summary returns %+v, %v, %v, want the summary", kept, found, err)
	}
	forget(b, []graph.MessageID{1})
	b.gone(answer)
	b.whole(apart)
	if kept, found, err := b.store.Responses.Summary(b.ctx, home, id); err != nil || found {
		b.Errorf("an erased summary is %+v, %v, want none and no error", kept, err)
	}
	if err := b.store.Responses.Save(b.ctx, later); !errors.Is(err, store.ErrForgotten) {
		b.Errorf("an answer that was being made from the summary is saved: %v, want %v", err, store.ErrForgotten)
	}
}
