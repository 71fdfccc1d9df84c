package answer

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// ended returns a lookup for which an equal question's call has ended with a response,
// and stays as if the next call ended alike.
func ended(p *Prepared, response *store.Response) *lookup {
	l := newLookup(nil, nil, guilds.NewPermissions(nil, guilds.New()), conversation.Everybody{}, "m", time.Hour) // the store must not be asked
	done := make(chan struct{})
	close(done)
	l.calls.calls[l.want(p)] = &call{done: done, response: response}
	return l
}

func TestThoseWhoWaitAreGivenWhatTheCallCameTo(t *testing.T) {
	t.Parallel()
	p := &Prepared{Prepared: conversation.Unread(conversation.Question{})}
	l := ended(p, &store.Response{Output: store.Output{Text: "Four."}})
	found, _, err := l.find(t.Context(), slog.New(slog.DiscardHandler), p)
	if err != nil || found == nil || found.Text != "Four." {
		t.Errorf("found is %+v, %v, want Text %q and no error", found, err, "Four.")
	}
	if got := l.counts.stats(); got != (Stats{Requests: 1, Coalesced: 1}) {
		t.Errorf("the counts are %+v, want %+v", got, (Stats{Requests: 1, Coalesced: 1}))
	}
}

func TestNobodyWaitsForOneFailureAfterAnother(t *testing.T) {
	t.Parallel()
	p := &Prepared{Prepared: conversation.Unread(conversation.Question{})}
	l := ended(p, nil)
	found, lead, err := l.find(t.Context(), slog.New(slog.DiscardHandler), p)
	if err != nil || found != nil || lead.share == nil || lead.end == nil {
		t.Fatalf("found is %+v, %v, want no answer, no error, and to lead", found, err)
	}
	lead.share(&store.Response{})
	lead.end()
	if got := l.counts.stats(); got != (Stats{Requests: 1, Misses: 1}) {
		t.Errorf("the counts are %+v, want %+v", got, (Stats{Requests: 1, Misses: 1}))
	}
	if held := l.calls.calls[l.want(p)]; held == nil || held.response != nil {
		t.Error("who asks alone ended the call of others, want it to go on")
	}
}

func TestTheWaitForAnotherEndsWithItsCause(t *testing.T) {
	t.Parallel()
	p := &Prepared{Prepared: conversation.Unread(conversation.Question{})}
	l := newLookup(nil, nil, guilds.NewPermissions(nil, guilds.New()), conversation.Everybody{}, "m", time.Hour)
	l.calls.join(l.want(p))
	ctx, drop := context.WithCancelCause(t.Context())
	drop(work.ErrQuestionGone)
	if _, _, err := l.find(ctx, slog.New(slog.DiscardHandler), p); !errors.Is(err, work.ErrQuestionGone) {
		t.Errorf("the wait ends with %v, want %v", err, work.ErrQuestionGone)
	}
}

func TestOnlyWholeAnswersAreReusable(t *testing.T) {
	t.Parallel()
	whole := store.Response{Output: store.Output{Text: "Four.", FinishReason: llm.FinishStop}}
	for name, test := range map[string]struct {
		change func(*store.Response)
		want   bool
	}{
		"whole":      {func(*store.Response) {}, true},
		"truncated":  {func(r *store.Response) { r.FinishReason = llm.FinishLength }, false},
		"failed":     {func(r *store.Response) { r.FinishReason = finishFailed }, false},
		"empty":      {func(r *store.Response) { r.Text = "" }, false},
		"time-bound": {func(r *store.Response) { r.TimeBound = true }, false},
	} {
		r := whole
		test.change(&r)
		shared := false
		shareIfReusable(r, func(*store.Response) { shared = true })
		if shared != test.want {
			t.Errorf("%s: shared is %t, want %t", name, shared, test.want)
		}
	}
}

// TestOthersGetACopy changes a response after it was shared, as delivering it does.
func TestOthersGetACopy(t *testing.T) {
	t.Parallel()
	r := store.Response{ID: store.ResponseID{1}, Output: store.Output{Text: "Four.", FinishReason: llm.FinishStop}}
	var shared *store.Response
	shareIfReusable(r, func(given *store.Response) { shared = given })
	r.Artifacts = []store.Artifact{{Name: "a"}}
	if shared.Artifacts != nil || shared.PathHash != (path.Hash{}) {
		t.Errorf("others are given %+v, want Artifacts nil and PathHash %v", shared, (path.Hash{}))
	}
}
