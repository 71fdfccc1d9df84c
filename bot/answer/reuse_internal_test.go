package answer

import (
	"log/slog"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

func TestOnlyWholeAnswersAreReusable(t *testing.T) {
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
		if got := reusable(&r); got != test.want {
			t.Errorf("%s: given to others: %t, want %t", name, got, test.want)
		}
	}
}

// TestThoseWhoWaitAreGivenOnlyWhatMayBeUsed has the call of others come to nothing, to an answer
// by somebody who opted out, or to one from a channel that is not in the asker's scope.
func TestThoseWhoWaitAreGivenOnlyWhatMayBeUsed(t *testing.T) {
	const asker, bob = 7, 8
	kept := store.New(errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t), store.Options{})
	t.Cleanup(func() { _ = kept.Close() })
	people := guilds.NewPeople(kept, fetch.NewHistory(nil, nil), slog.New(slog.DiscardHandler))
	errtest.None(t, people.OptOut(t.Context(), bob))
	by := func(channel graph.ChannelID, author graph.UserID) *store.Response {
		return &store.Response{Input: store.Input{Sources: []store.SourceRef{{Message: 1, Channel: channel, Author: author}}}}
	}
	for name, test := range map[string]struct {
		made *store.Response
		want Stats
	}{
		"of the asker's":              {by(5, asker), Stats{Requests: 1, Coalesced: 1}},
		"of somebody who opted out":   {by(5, bob), Stats{Requests: 1, Misses: 1}},
		"of a channel of its own":     {by(6, asker), Stats{Requests: 1, Misses: 1}},
		"somebody else's, everywhere": {by(5, 9), Stats{Requests: 1, Coalesced: 1}},
		"nothing":                     {nil, Stats{Requests: 1, Misses: 1}},
	} {
		q := conversation.Question{Channel: 5, Asker: asker}
		q.Place.Scope = store.ChannelScope(0, 5)
		p := conversation.Unread(q)
		rule := &conversation.Rights{People: people, Guilds: guilds.New(nil)}
		l := &lookup{rule: rule, model: "m", reuseFor: time.Hour, calls: make(map[store.Want]*call)}
		leads, _ := l.begin(p, q.Place.Scope)
		mine, others := l.begin(p, q.Place.Scope)
		if test.made != nil {
			leads.share(test.made)
		}
		leads.end()
		found := l.find(t.Context(), slog.New(slog.DiscardHandler), q.AskedBy(asker), mine, others)
		if (found != nil) != (test.want.Coalesced > 0) || l.Stats() != test.want {
			t.Errorf("%s: found is %+v, and the counts are %+v, want %+v", name, found, l.Stats(), test.want)
		}
	}
}
