package telemetry_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"heddle/internal/errtest"
	"heddle/internal/telemetry"
)

// published returns the figures of a registry, by name and labels. Of a histogram it is how
// many durations there were, and how many up to each bound.
func published(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families := errtest.Must(registry.Gather())(t)
	all := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			named := []string{strings.TrimPrefix(family.GetName(), "heddle_")}
			for _, label := range m.GetLabel() {
				named = append(named, label.GetValue())
			}
			name := strings.Join(named, " ")
			all[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			for _, bucket := range m.GetHistogram().GetBucket() {
				all[fmt.Sprintf("%s %v", name, bucket.GetUpperBound())] = float64(bucket.GetCumulativeCount())
			}
		}
	}
	return all
}

func TestWhatIsNotedUnderAContextIsPublished(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := telemetry.New(registry)
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
			m.Request("POST", "/channels/{id}/messages", 429, "user")
		})
	}
	for _, d := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, time.Second, time.Hour} {
		telemetry.Took(ctx, telemetry.Record, d)
	}
	noting.Wait()
	still := telemetry.Wait(ctx, telemetry.ForTurn)
	defer still.Over()
	all := published(t, registry)
	for name, want := range map[string]float64{
		"mentions_total fenced": 100, "mentions_total unsendable": 0, "ratings_total good": 0, "ratings_total bad": 100,
		"waiting turn": 1, "waiting slot": 0, "wait_seconds turn": 100, "wait_seconds turn 300": 100, "wait_seconds slot": 0,
		"stage_seconds prepare": 100, "stage_seconds record": 5, "stage_seconds record 0.001": 2, "stage_seconds record 0.005": 3, "stage_seconds record 1": 4, "stage_seconds record 300": 4,
		"rest_requests_total GET /channels/{id}/messages  2xx": 100, "rest_requests_total POST /channels/{id}/messages user 429": 100,
		"rest_limited_total user": 100, "rest_limited_total global": 0,
	} {
		if got, there := all[name]; !there || got != want {
			t.Errorf("%s is %v, published: %t, want %v", name, got, there, want)
		}
	}
}

func TestAContextWithoutAMeterCountsNothing(t *testing.T) {
	ctx := t.Context()
	done := telemetry.Stage(ctx, telemetry.Model)
	telemetry.Count(ctx, telemetry.Retried)
	telemetry.Rated(ctx, telemetry.Good)
	telemetry.Took(ctx, telemetry.Whole, time.Second)
	telemetry.Wait(ctx, telemetry.ForOwner).Over()
	done()
}

func TestEveryLineOfARequestNamesIt(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(telemetry.Handler{Handler: slog.NewTextHandler(&out, nil)})
	ctx := telemetry.Requested(t.Context(), "m5")
	log.With("channel", 7).InfoContext(ctx, "one", "n", 1)
	log.WithGroup("g").WarnContext(context.WithoutCancel(ctx), "two")
	log.InfoContext(t.Context(), "three")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"msg=one channel=7 n=1 request=m5", "msg=two g.request=m5", "msg=three"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("a line is %q, want %q", lines[i], want)
		}
	}
}
