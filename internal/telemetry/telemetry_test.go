package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/internal/telemetry"
)

// figure returns the sum with a label.
func figure(t *testing.T, sums []telemetry.Sum, labels ...string) float64 {
	t.Helper()
	for _, s := range sums {
		if slices.Equal(s.Labels, labels) {
			return s.Value
		}
	}
	t.Fatalf("nothing is counted for %q, want a count", labels)
	return 0
}

func TestWhatIsNotedUnderAContextIsCounted(t *testing.T) {
	m := telemetry.New()
	ctx := telemetry.With(t.Context(), m)
	var noting sync.WaitGroup
	for range 100 {
		noting.Go(func() {
			telemetry.Count(ctx, telemetry.Fenced)
			telemetry.Rated(ctx, telemetry.Bad)
			telemetry.Wait(ctx, telemetry.ForTurn).Over()
			telemetry.Wait(ctx, telemetry.ForSlot).Left()
			telemetry.Stage(ctx, telemetry.Prepare)()
			m.Request("GET", "/channels/{id}/messages", 200, "")
			m.Tokens("a", 10, 4, 3)
		})
	}
	noting.Wait()
	still := telemetry.Wait(ctx, telemetry.ForTurn)
	f := m.Figures()
	still.Over()
	if figure(t, f.Events, "fenced") != 100 || figure(t, f.Events, "unsendable") != 0 {
		t.Errorf("the events are %v, want 100 that were fenced and none that was unsendable", f.Events)
	}
	if figure(t, f.Ratings, "good") != 0 || figure(t, f.Ratings, "bad") != 100 {
		t.Errorf("the ratings are %v, want 100 bad ones and no good one", f.Ratings)
	}
	if figure(t, f.Queued, "turn") != 1 || figure(t, f.Queued, "slot") != 0 {
		t.Errorf("waiting are %v, want one for its turn and none for a slot", f.Queued)
	}
	for _, h := range f.Waits {
		if want := map[string]uint64{"turn": 100}[h.Label]; h.Count != want || h.Within[300] != want {
			t.Errorf("%s waited %d times, %d of these at most 300 s; want %d", h.Label, h.Count, h.Within[300], want)
		}
	}
	if got := figure(t, f.REST, "GET", "/channels/{id}/messages", "2xx", ""); got != 100 {
		t.Errorf("%v requests, want 100", got)
	}
	if figure(t, f.Tokens, "a", "prompt") != 600 || figure(t, f.Tokens, "a", "cached") != 400 || figure(t, f.Tokens, "a", "completion") != 300 {
		t.Errorf("tokens are %v, want 600 prompt, 400 cached and 300 completion tokens", f.Tokens)
	}
}

func TestAContextWithoutAMeterCountsNothing(t *testing.T) {
	ctx := t.Context()
	done := telemetry.Stage(ctx, telemetry.Model)
	telemetry.Count(ctx, telemetry.Retried)
	telemetry.Rated(ctx, telemetry.Good)
	telemetry.Took(ctx, telemetry.Whole, time.Second)
	telemetry.Wait(ctx, telemetry.ForModel).Over()
	done()
}

func TestDurationsAreCountedWithinTheirBounds(t *testing.T) {
	m := telemetry.New()
	ctx := telemetry.With(t.Context(), m)
	for _, d := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, time.Second, time.Hour} {
		telemetry.Took(ctx, telemetry.Record, d)
	}
	for _, h := range m.Figures().Stages {
		if h.Label != "record" {
			continue
		}
		for bound, want := range map[float64]uint64{0.001: 2, 0.005: 3, 0.5: 3, 1: 4, 300: 4} {
			if h.Within[bound] != want {
				t.Errorf("%d took at most %v s, want %d", h.Within[bound], bound, want)
			}
		}
		if h.Count != 5 || h.Seconds < 3601 || h.Seconds > 3602 {
			t.Errorf("%d took %v s together, want 5, at least 3601 and at most 3602", h.Count, h.Seconds)
		}
	}
}

func TestEveryLineOfARequestNamesIt(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(telemetry.Handler{Handler: slog.NewTextHandler(&out, nil)})
	ctx := telemetry.Requested(t.Context(), "m5")
	log.With("channel", 7).InfoContext(ctx, "one", "n", 1)
	log.WithGroup("g").WarnContext(context.WithoutCancel(ctx), "two")
	log.InfoContext(t.Context(), "three")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"msg=one channel=7 request=m5 n=1", "msg=two g.request=m5", "msg=three"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("a line is %q, want %q", lines[i], want)
		}
	}
}
