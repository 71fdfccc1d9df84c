package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Join registers a process for at least ttl from now, and returns the number of other
// registered processes. It is always 0 for a store that only one process can use.
func (c *Claims) Join(ctx context.Context, process string, ttl time.Duration) (others int, err error) {
	if !c.base.shared {
		return 0, nil
	}
	name := RecordPrefix + process
	if err := c.base.apply(ctx, "join the processes", Change{scopePeers, []Op{
		{Kind: OpPut, Name: name, Value: process, TTL: ttl},
		{Kind: OpAdd, Name: setName, Value: name, TTL: time.Hour},
	}}); err != nil {
		return 0, err
	}
	members, err := c.base.members(ctx, scopePeers, Query{Set: setName})
	if err != nil {
		return 0, fmt.Errorf("list the processes that share the store: %w", err)
	}
	var gone []Op
	for _, member := range members[0] {
		switch {
		case member.Value == nil:
			gone = append(gone, Op{Kind: OpRemove, Name: setName, Value: member.Name})
		case member.Name != name:
			others++
		}
	}
	if len(gone) == 0 {
		return others, nil
	}
	return others, c.base.apply(ctx, "drop processes that are gone", Change{scopePeers, gone})
}

// Leave removes the registration of a process.
func (c *Claims) Leave(ctx context.Context, process string) error {
	if !c.base.shared {
		return nil
	}
	name := RecordPrefix + process
	return c.base.apply(ctx, "leave the processes", Change{scopePeers, []Op{
		{Kind: OpDelete, Name: name}, {Kind: OpRemove, Name: setName, Value: name},
	}})
}

// Peers returns the names of the processes that share an engine: those that have
// joined, have not left, and whose registration has not expired. The names are not
// encrypted.
func Peers(ctx context.Context, engine Engine) ([]string, error) {
	members, err := engine.Follow(ctx, scopePeers, Query{Set: setName})
	if err != nil {
		return nil, fmt.Errorf("list the processes that share the store: %w", err)
	}
	var living []string
	for _, member := range members[0] {
		if member.Value != nil {
			living = append(living, strings.TrimPrefix(member.Name, RecordPrefix))
		}
	}
	return living, nil
}
