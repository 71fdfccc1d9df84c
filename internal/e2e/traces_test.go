package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/otlptest"
)

// named returns the first span that has one of these names, or nil.
func named(spans []*traces.Span, names ...string) *traces.Span {
	at := slices.IndexFunc(spans, func(s *traces.Span) bool { return slices.Contains(names, s.GetName()) })
	if at < 0 {
		return nil
	}
	return spans[at]
}

// TestAMentionIsTraced sends the traces of a mention to a collector: one trace of all stages,
// below the span of the whole way, without what was said and without secrets.
func TestAMentionIsTraced(t *testing.T) {
	t.Parallel()
	collector := otlptest.Start()
	t.Cleanup(collector.Close)
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Shuttlecock", " it is."))
	r := s.start("OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL()+"/", "OTEL_EXPORTER_OTLP_HEADERS=api-key=swordfish%2C1, tenant=weavers")
	asked := s.post(s.ann, discordtest.Draft{Content: s.mention("which heddlecraft is it?")})
	s.answer(s.channel, asked, "Shuttlecock it is.")
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	defer cancel()
	spans, err := collector.Await(ctx, func(spans []*traces.Span) bool { return named(spans, "whole") != nil })
	if err != nil {
		t.Fatalf("the spans are %v, want one of the whole mention: %v", spans, err)
	}
	r.end() // it sends what is left
	spans, _ = collector.Await(ctx, func([]*traces.Span) bool { return true })
	whole := named(spans, "whole")
	if len(whole.GetParentSpanId()) != 0 {
		t.Errorf("the whole way is part of %x, want none", whole.GetParentSpanId())
	}
	for _, stage := range [][]string{{"wait slot", "wait turn"}, {"prepare"}, {"look_up"}, {"first_text"}, {"model"}, {"deliver"}, {"record"}} {
		span := named(spans, stage...)
		switch {
		case span == nil:
			t.Errorf("the stage %s is missing, want every stage", stage)
		case string(span.GetTraceId()) != string(whole.GetTraceId()) || string(span.GetParentSpanId()) != string(whole.GetSpanId()):
			t.Errorf("the stage %s has the parent %x in trace %x, want the span and the trace of the mention", stage, span.GetParentSpanId(), span.GetTraceId())
		case span.GetStartTimeUnixNano() > span.GetEndTimeUnixNano() || span.GetEndTimeUnixNano() > uint64(time.Now().UnixNano()):
			t.Errorf("the stage %s lasts from %d to %d, want an end that is past and not before its beginning", stage, span.GetStartTimeUnixNano(), span.GetEndTimeUnixNano())
		}
	}
	all := fmt.Sprint(spans)
	if !strings.Contains(all, asked.String()) {
		t.Errorf("no span names the mention %s", asked)
	}
	for _, secret := range []string{"heddlecraft", "Shuttlecock", s.heddle.Token, "swordfish"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is in a span, want it nowhere", secret)
		}
	}
	if h := collector.Headers()[0]; h.Get("Api-Key") != "swordfish,1" || h.Get("Tenant") != "weavers" {
		t.Errorf("the headers are %v, want the Api-Key and the Tenant that are set", h)
	}
}

// TestACollectorThatIsAwayHoldsNothingUp answers while the collector refuses everything.
// The log says so once, and says once that it is back.
func TestACollectorThatIsAwayHoldsNothingUp(t *testing.T) {
	t.Parallel()
	collector := otlptest.Start()
	t.Cleanup(collector.Close)
	collector.Refuse(http.StatusBadRequest) // a status that is not tried again
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	r := s.start("OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL())
	logged := func(text string) {
		t.Helper()
		if err := r.logs.await(s.ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Yes.")
	}
	logged("traces cannot be sent")
	collector.Refuse(0)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Yes.")
	logged("traces are sent again")
	if n := strings.Count(r.logs.String(), "traces cannot be sent"); n != 1 {
		t.Errorf("it is said %d times that traces cannot be sent, want 1", n)
	}
}
