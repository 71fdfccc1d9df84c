package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"heddle/graph"
)

// Forgotten is a person whose words, and everything made from them, were erased.
// Processes that hold words of theirs in memory learn of it from here.
type Forgotten struct {
	Author graph.UserID
	At     time.Time
}

// forgottenSize is an id and a time of eight bytes each.
const forgottenSize = 16

// Forgotten returns who was forgotten within Lifetimes.Forgotten, in no particular
// order.
func (s *Deletions) Forgotten(ctx context.Context) ([]Forgotten, error) {
	members, err := s.base.members(ctx, scopeForgotten, Query{Set: setName, Names: true})
	if err != nil {
		return nil, fmt.Errorf("list who was forgotten: %w", err)
	}
	var all []Forgotten
	for _, member := range members[0] {
		if len(member.Name) != forgottenSize {
			s.base.reject(ctx, fmt.Errorf("%w: a person who was forgotten in %d bytes", ErrCorrupt, len(member.Name)))
			continue
		}
		b := []byte(member.Name)
		at := time.Unix(0, int64(binary.BigEndian.Uint64(b[idSize:]))).UTC() //nolint:gosec // as it was written
		all = append(all, Forgotten{graph.UserID(binary.BigEndian.Uint64(b)), at})
	}
	return all, nil
}

// announce tells other processes that a person is being forgotten.
func (s *Deletions) announce(ctx context.Context, author graph.UserID) error {
	member := binary.BigEndian.AppendUint64([]byte(idBytes(author)), uint64(s.base.now().UnixNano()))
	return s.base.apply(ctx, "announce that a person is forgotten", Change{scopeForgotten, []Op{
		{Kind: OpAdd, Name: setName, Value: string(member), TTL: s.base.lives.Forgotten},
	}})
}
