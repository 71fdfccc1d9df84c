package store

import (
	"context"
	"encoding/binary"
	"fmt"

	"heddle/graph"
)

// The erasure of a person or a guild is recorded from before its beginning until its
// end. If its process ends before it has marked every scope, Finish finds the record
// and begins the erasure again.

// erasing identifies an erasure by its kind and an id.
type erasing string

const (
	erasingPerson = 'w'
	erasingGuild  = 'g'
)

func erasingOf[K any](kind byte, id graph.ID[K]) erasing {
	return erasing(append([]byte{kind}, idBytes(id)...))
}

// begun returns the step that records the beginning of an erasure.
func (e erasing) begun() Op {
	return Op{Kind: OpAdd, Name: erasingName, Value: string(e), TTL: forever}
}

// ended removes the record of an erasure, which is complete.
func (s *base) ended(ctx context.Context, e erasing) error {
	return s.apply(ctx, "note that everything is erased", Change{scopePeople, []Op{
		{Kind: OpRemove, Name: erasingName, Value: string(e)},
	}})
}

// isErasing reports whether the record of an erasure exists: it was interrupted, or a
// process is still carrying it out.
func (s *base) isErasing(ctx context.Context) bool {
	begun, err := s.begun(ctx)
	return err == nil && len(begun) > 0
}

func (s *base) begun(ctx context.Context) ([]Member, error) {
	members, err := s.members(ctx, scopePeople, Query{Set: erasingName, Names: true})
	if err != nil {
		return nil, fmt.Errorf("look for erasures that have not ended: %w", err)
	}
	return members[0], nil
}

// again begins all recorded erasures again.
func (s *Deletions) again(ctx context.Context) error {
	begun, err := s.base.begun(ctx)
	if err != nil {
		return err
	}
	for _, member := range begun {
		if len(member.Name) != 1+idSize {
			s.base.reject(ctx, fmt.Errorf("%w: an erasure of %d bytes", ErrCorrupt, len(member.Name)))
			continue
		}
		id := binary.BigEndian.Uint64([]byte(member.Name[1:]))
		if member.Name[0] == erasingGuild {
			err = s.eraseGuild(ctx, graph.GuildID(id))
		} else {
			err = s.eraseAuthor(ctx, graph.UserID(id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
