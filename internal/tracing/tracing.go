// Package tracing sends the spans of mentions to an OpenTelemetry collector.
//
// The spans of one mention form one trace, across all processes that work on it. The id
// of the trace is derived from the id of the request, which is also in log lines. A
// span contains the name of a stage or the cause of a wait, times, and that id. It
// contains neither what people wrote nor secrets.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Root is the name of the root span of a request.
const Root = "whole"

// sendTimeout bounds each attempt to send spans, and sending the remaining ones when
// heddle stops.
const sendTimeout = 5 * time.Second

// Config is where spans are sent.
type Config struct {
	Endpoint string // of the collector; /v1/traces is added to its path
	Headers  string // name=value, with commas between; values may be percent-encoded
	Version  string // of heddle
	Log      *slog.Logger
}

// Tracer sends spans. Its methods may be called from any goroutine, and do not wait.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// New returns a Tracer, which the caller must close. It does not connect yet.
func New(ctx context.Context, cfg Config) (*Tracer, error) {
	headers, err := headersOf(cfg.Headers)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(strings.TrimRight(cfg.Endpoint, "/")+"/v1/traces"),
		otlptracehttp.WithHeaders(headers), otlptracehttp.WithTimeout(sendTimeout),
	))
	if err != nil {
		return nil, fmt.Errorf("make an exporter of traces: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(&logged{SpanExporter: exporter, log: cfg.Log}, sdk.WithExportTimeout(sendTimeout), sdk.WithBatchTimeout(time.Second)),
		sdk.WithSampler(sdk.AlwaysSample()), sdk.WithIDGenerator(ids{}),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "heddle"), attribute.String("service.version", cfg.Version))),
	)
	return &Tracer{provider, provider.Tracer("heddle")}, nil
}

// headersOf reads headers as OpenTelemetry writes them.
func headersOf(text string) (map[string]string, error) {
	headers := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil {
			return nil, errors.New("the headers are not a list like name=value,name=value") // without the text, which may be secret
		}
		headers[strings.TrimSpace(name)] = value
	}
	return headers, nil
}

// Span records a span of a request. The span named Root contains the others.
func (t *Tracer) Span(request, name string, began time.Time, took time.Duration) {
	of, root := idsOf(request)
	ctx := context.WithValue(context.Background(), rootKey{}, rootIDs{of, root})
	if name != Root {
		ctx = trace.ContextWithRemoteSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: of, SpanID: root, TraceFlags: trace.FlagsSampled, Remote: true,
		}))
	}
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(began), trace.WithAttributes(attribute.String("heddle.request", request)))
	span.End(trace.WithTimestamp(began.Add(took)))
}

// Close sends the remaining spans, for a few seconds at most.
func (t *Tracer) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // a failure to send was logged
}

// logged is an exporter that logs when spans cannot be sent, and when they can be sent
// again. The library itself would write to a log of its own.
type logged struct {
	sdk.SpanExporter

	log  *slog.Logger
	away atomic.Bool
}

// ExportSpans implements sdk.SpanExporter. It never fails: spans that could not be sent
// are lost.
func (l *logged) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	l.note(ctx, l.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

func (l *logged) note(ctx context.Context, err error) {
	switch before := l.away.Swap(err != nil); {
	case err != nil && !before:
		l.log.WarnContext(ctx, "traces cannot be sent and are dropped until the collector is back", "error", err)
	case err == nil && before:
		l.log.InfoContext(ctx, "traces are sent again")
	}
}
