package bot

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"heddle/bot/deferred"
)

func TestVerdictReadsThumbsInEverySkinTone(t *testing.T) {
	t.Parallel()
	for emoji, want := range map[string]struct {
		good bool
		tone byte
		ok   bool
	}{
		"👍": {true, 0, true}, "👎": {false, 0, true}, "👍🏻": {true, 1, true}, "👎🏿": {false, 5, true}, "👍\uFE0F": {true, 0, true},
		"": {}, "❤️": {}, "👍👍": {}, "👍🏻🏻": {}, "👎!": {}, "thumbsup": {},
	} {
		if good, tone, ok := verdict(emoji); good != want.good || tone != want.tone || ok != want.ok {
			t.Errorf("%q reads as %v, %d, %v", emoji, good, tone, ok)
		}
	}
}

func TestReactionsTakeOnePlaceBehindAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Bot{writes: deferred.New(slog.New(slog.DiscardHandler)), behind: newBehind()}
		q := newQueues(t.Context(), 1, 2, nil)
		gate := make(chan struct{})
		push(t, q, 1, func(context.Context) { <-gate })
		synctest.Wait() // the answer is under way
		var written []int
		for i := range 100 {
			b.afterAnswers(q, 1, func(context.Context) error { written = append(written, i); return nil })
		}
		push(t, q, 1, func(context.Context) { // the next question finds room
			b.afterAnswers(q, 1, func(context.Context) error { written = append(written, 100); return nil })
		})
		go b.writes.Run(t.Context())
		synctest.Wait()
		if len(written) != 0 {
			t.Errorf("%d are written before the answer is over", len(written))
		}
		close(gate)
		synctest.Wait()
		b.writes.Close()
		synctest.Wait()
		if len(written) != 101 || !slices.IsSorted(written) {
			t.Errorf("written are %v", written)
		}
	})
}
