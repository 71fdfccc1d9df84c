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

// numbers is the latest values of something that is measured for each model.
type numbers struct {
	scope Scope
	most  int // number of values to keep
	ttl   time.Duration
}

func (n *numbers) key(model string) Key {
	sum := sha256.Sum256([]byte(model))
	return Key{n.scope, string(sum[:])}
}

// read returns a model's values, oldest first. A damaged entry counts as none.
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

// add appends a value to before, stores all and returns them. Of two values added at
// the same time one may be lost.
func (n *numbers) add(ctx context.Context, s *base, model string, before []float64, value float64) ([]float64, error) {
	key := n.key(model)
	now := slices.Concat(before[max(len(before)-n.most+1, 0):], []float64{rounded(value)})
	return now, s.apply(ctx, "remember a model's numbers", Change{key.Scope, []Op{
		{Kind: OpPut, Name: key.Name, Value: seal(key, encodeNumbers(now)), TTL: n.ttl},
	}})
}

// rounded returns a value with the precision with which it is stored, so that equal
// values stay equal.
func rounded(value float64) float64 { return float64(float32(value)) }

const numberSize = 4 // bytes; seven digits are enough

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
