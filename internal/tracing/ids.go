package tracing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

// rootKey is the key of a context's rootIDs.
type rootKey struct{}

// rootIDs is the ids of the root span of a request.
type rootIDs struct {
	of   trace.TraceID
	root trace.SpanID
}

// idsOf returns the ids of a request's trace and of its root span, which are the same
// in every process.
func idsOf(request string) (of trace.TraceID, root trace.SpanID) {
	sum := sha256.Sum256([]byte("heddle trace " + request))
	copy(of[:], sum[:])
	copy(root[:], sum[len(of):])
	return of, root
}

// ids makes the ids of spans.
type ids struct{}

// NewIDs implements sdk.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if known, ok := ctx.Value(rootKey{}).(rootIDs); ok {
		return known.of, known.root
	}
	var of trace.TraceID
	binary.BigEndian.PutUint64(of[:], 1+rand.Uint64()/2) //nolint:gosec // ids need no secrecy
	return of, ids{}.NewSpanID(ctx, of)
}

// NewSpanID implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], 1+rand.Uint64()/2) //nolint:gosec // ids need no secrecy
	return id
}
