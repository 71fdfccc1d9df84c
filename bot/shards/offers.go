package shards

import (
	"context"
	"encoding/json"
	"net/url"
	"sync"
	"time"

	"heddle/bot/gateway"
)

// offers is a gateway.REST that asks Discord only once how to connect, for all shards
// that start at the same time.
type offers struct {
	gateway.REST

	mu  sync.Mutex
	raw json.RawMessage
	at  time.Time
}

// fresh is how long an offer is valid.
const fresh = 30 * time.Second

func newOffers(rest gateway.REST) *offers { return &offers{REST: rest} }

// Get implements gateway.REST.
func (o *offers) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if path != "/gateway/bot" {
		return o.REST.Get(ctx, path, query)
	}
	if raw := o.known(); raw != nil {
		return raw, nil
	}
	raw, err := o.REST.Get(ctx, path, query)
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.raw, o.at = raw, time.Now()
	}
	return raw, err
}

func (o *offers) known() json.RawMessage {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.at) > fresh {
		return nil
	}
	return o.raw
}

// forget drops the offer. Discord is asked again next time.
func (o *offers) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw = nil
}
