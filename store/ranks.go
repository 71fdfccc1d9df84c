package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// scopeConfidence holds how certain each model's last answers were: numbers alone.
	scopeConfidence Scope = "_confidence"

	mostRanked  = 200 // answers of a model that a new one is compared with
	leastRanked = 20  // fewer tell nothing
	rankedTTL   = 90 * 24 * time.Hour
)

// Rank compares a confidence with those of the model's last 200 answers and
// remembers it: it gives the share of them that were less certain, of those equally
// certain half. It is nil where there were fewer than 20, and for what is no
// confidence. Two calls at once may remember only one of both.
func (s *Store) Rank(ctx context.Context, model string, confidence float64) (*float64, error) {
	if !(confidence >= 0 && confidence <= 1) {
		return nil, nil //nolint:nilnil // unknown is no error
	}
	sum := sha256.Sum256([]byte(model))
	key := Key{scopeConfidence, string(sum[:])}
	values, err := s.get(ctx, []Key{key})
	if err != nil {
		return nil, fmt.Errorf("read how certain a model's answers were: %w", err)
	}
	var before []float64
	if values[0] != nil {
		payload, err := unseal(key, values[0])
		if err != nil {
			s.reject(ctx, err)
		}
		before = decodeConfidences(payload)
	}
	confidence = float64(float32(confidence)) // as it is remembered: equal ones must stay so
	rank := rankAmong(before, confidence)
	now := slices.Concat(before[max(len(before)-mostRanked+1, 0):], []float64{confidence})
	return rank, s.apply(ctx, "remember how certain an answer was", Change{scopeConfidence, []Op{
		{Kind: OpPut, Name: key.Name, Value: seal(key, encodeConfidences(now)), TTL: rankedTTL},
	}})
}

func rankAmong(before []float64, confidence float64) *float64 {
	if len(before) < leastRanked {
		return nil
	}
	less := 0.0
	for _, other := range before {
		switch {
		case other < confidence:
			less++
		case other == confidence:
			less += 0.5
		}
	}
	share := less / float64(len(before))
	return &share
}

const confidenceSize = 4 // bytes; seven digits are more than enough

func encodeConfidences(values []float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

func decodeConfidences(b []byte) []float64 {
	var values []float64
	for ; len(b) >= confidenceSize; b = b[confidenceSize:] {
		values = append(values, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
	}
	return values
}
