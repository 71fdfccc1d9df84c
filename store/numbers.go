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

// numbers are the last values of something that is measured of a model: no text, no
// ids, and shared by all scopes.
type numbers struct {
	scope Scope
	most  int // that are kept
	ttl   time.Duration
}

func (n *numbers) key(model string) Key {
	sum := sha256.Sum256([]byte(model))
	return Key{n.scope, string(sum[:])}
}

// read gives a model's, oldest first. What is damaged is none.
func (n *numbers) read(ctx context.Context, s *base, model string) ([]float64, error) {
	key := n.key(model)
	values, err := s.get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read a model's numbers: %w", err)
	}
	if values[0] == nil {
		return nil, nil
	}
	payload, err := unseal(key, values[0])
	if err != nil {
		s.reject(ctx, err)
	}
	return decodeNumbers(payload), nil
}

// add remembers one more than those before, and gives all. Two calls at once may
// remember only one of both.
func (n *numbers) add(ctx context.Context, s *base, model string, before []float64, value float64) ([]float64, error) {
	key := n.key(model)
	now := slices.Concat(before[max(len(before)-n.most+1, 0):], []float64{rounded(value)})
	return now, s.apply(ctx, "remember a model's numbers", Change{key.Scope, []Op{
		{Kind: OpPut, Name: key.Name, Value: seal(key, encodeNumbers(now)), TTL: n.ttl},
	}})
}

// rounded is a value as it is remembered: equal ones must stay so.
func rounded(value float64) float64 { return float64(float32(value)) }

const numberSize = 4 // bytes; seven digits are more than enough

func encodeNumbers(values []float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

func decodeNumbers(b []byte) []float64 {
	var values []float64
	for ; len(b) >= numberSize; b = b[numberSize:] {
		values = append(values, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
	}
	return values
}
