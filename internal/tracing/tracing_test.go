package tracing_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"

	"heddle/internal/leaktest"
	"heddle/internal/otlptest"
	"heddle/internal/tracing"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestProcessesShareATrace lets two processes work on one request and a third on
// another. Closing them sends all spans.
func TestProcessesShareATrace(t *testing.T) {
	t.Parallel()
	collector := otlptest.Start()
	t.Cleanup(collector.Close)
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n, request := range []string{"trigger 1", "trigger 1", "trigger 2"} {
		tracer, err := tracing.New(t.Context(), tracing.Config{Endpoint: collector.URL(), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		tracer.Span(request, "prepare", began, time.Second)
		if n > 0 {
			tracer.Span(request, tracing.Root, began, time.Minute)
		}
		tracer.Close()
	}
	spans, err := collector.Await(t.Context(), func(spans []*traces.Span) bool { return len(spans) == 5 })
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string][]string) // by the trace, what its spans are part of
	roots := make(map[string]string)
	for _, s := range spans {
		of := string(s.GetTraceId())
		if s.GetName() == tracing.Root {
			roots[of] = string(s.GetSpanId())
		} else {
			ids[of] = append(ids[of], string(s.GetParentSpanId()))
		}
		if s.GetStartTimeUnixNano() != uint64(began.UnixNano()) {
			t.Errorf("%s begins at %d, want %d", s.GetName(), s.GetStartTimeUnixNano(), uint64(began.UnixNano()))
		}
	}
	if len(ids) != 2 || len(roots) != 2 {
		t.Fatalf("there are %d traces with %d roots, want 2 and 2", len(ids), len(roots))
	}
	for of, parents := range ids {
		if slices.ContainsFunc(parents, func(parent string) bool { return parent != roots[of] }) {
			t.Errorf("the spans of a trace are part of %x, want %x", parents, roots[of])
		}
	}
}

func TestHeadersAreAList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		fits bool
	}{{"", true}, {"a=b", true}, {" a=b%20c , d=e=f,", true}, {"a", false}, {"a=%zz", false}} {
		tracer, err := tracing.New(t.Context(), tracing.Config{Endpoint: "http://127.0.0.1:1", Headers: test.text, Log: slog.New(slog.DiscardHandler)})
		if (err == nil) != test.fits {
			t.Errorf("the headers %q gave the error %v, want them accepted: %t", test.text, err, test.fits)
		}
		if err == nil {
			tracer.Close()
		}
	}
}
