package store

import (
	"context"
	"encoding/json"
	"fmt"

	"heddle/graph"
)

// Offer records that an answer has a button that answers its question again, because
// the question was edited.
type Offer struct {
	Answer     graph.MessageID `json:"answer"` // the first message that shows the answer
	Generation int             `json:"generation"`
}

// Offer stores an offer for the answer to a question. It expires like a response.
func (d *Displays) Offer(ctx context.Context, scope Scope, question graph.MessageID, offer Offer) error {
	payload, err := json.Marshal(offer)
	if err != nil {
		return fmt.Errorf("encode an offer: %w", err)
	}
	key := Key{scope, offerName(question)}
	return d.base.apply(ctx, "keep an offer", Change{scope, []Op{
		{Kind: OpPut, Name: key.Name, Value: seal(key, payload), TTL: d.base.lives.Response},
	}})
}

// Unoffer removes an offer, if there is one.
func (d *Displays) Unoffer(ctx context.Context, scope Scope, question graph.MessageID) error {
	return d.base.apply(ctx, "take an offer back", Change{scope, []Op{{Kind: OpDelete, Name: offerName(question)}}})
}

// Offers returns the offers on the answers to questions. Questions without one are not
// in the map.
func (d *Displays) Offers(ctx context.Context, scope Scope, questions []graph.MessageID) (map[graph.MessageID]Offer, error) {
	keys := make([]Key, len(questions))
	for i, question := range questions {
		keys[i] = Key{scope, offerName(question)}
	}
	values, err := d.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read offers: %w", err)
	}
	offers := make(map[graph.MessageID]Offer)
	for i, value := range values {
		if value == nil {
			continue
		}
		offer, err := decodeOffer(keys[i], value)
		if err != nil {
			d.base.reject(ctx, err)
			continue
		}
		offers[questions[i]] = offer
	}
	return offers, nil
}

func decodeOffer(key Key, value []byte) (offer Offer, err error) {
	payload, err := unseal(key, value)
	if err != nil {
		return Offer{}, err
	}
	if json.Unmarshal(payload, &offer) != nil {
		return Offer{}, fmt.Errorf("%w: it does not decode", ErrCorrupt)
	}
	return offer, nil
}
