package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"heddle/graph"
)

// edit is an edit of a message, whose older versions have to be erased.
type edit struct {
	heard   time.Time
	channel graph.ChannelID
	message graph.MessageID
	edited  time.Time // Discord's edit time of the new version
}

// editSize is the size of a stored edit in bytes: two times and two ids of eight bytes
// each.
const editSize = 32

func (e edit) encode() string {
	b := make([]byte, 0, editSize)
	for _, n := range []uint64{
		uint64(e.heard.UnixMicro()), uint64(e.channel), uint64(e.message), uint64(e.edited.UnixMicro()),
	} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return string(b)
}

func decodeEdit(member string) (edit, error) {
	if len(member) != editSize {
		return edit{}, fmt.Errorf("%w: an edit of %d bytes", ErrCorrupt, len(member))
	}
	number := func(at int) uint64 { return binary.BigEndian.Uint64([]byte(member[at:])) }
	moment := func(at int) time.Time { return time.UnixMicro(int64(number(at))).UTC() } //nolint:gosec // as it was written
	return edit{moment(0), graph.ChannelID(number(8)), graph.MessageID(number(16)), moment(24)}, nil
}

// stragglers is how long after the lifetime of an older version EraseEdited looks for
// it again. It is longer than an answer takes that was begun before the edit.
const stragglers = 15 * time.Minute

// Edited records that a message was edited. Once Lifetimes.Edited has passed,
// everything derived from its older versions is erased. Until then a question that is
// edited back gets its old answer again.
func (s *Deletions) Edited(ctx context.Context, channel graph.ChannelID, message graph.MessageID, edited time.Time) error {
	e := edit{s.base.clock(), channel, message, edited}
	return s.base.apply(ctx, "note an edit", Change{scopeEdited, []Op{
		{Kind: OpAdd, Name: setName, Value: e.encode(), TTL: s.base.lives.Response},
	}})
}

// EraseEdited erases everything derived from versions of messages that were replaced
// longer than Lifetimes.Edited ago. Store.Run calls it.
func (s *Deletions) EraseEdited(ctx context.Context) error {
	members, err := s.base.members(ctx, scopeEdited, Query{Set: setName, Names: true})
	if err != nil {
		return fmt.Errorf("list what was edited: %w", err)
	}
	now := s.base.clock()
	for _, member := range members[0] {
		e, err := decodeEdit(member.Name)
		if err != nil {
			s.base.reject(ctx, err)
		}
		age := now.Sub(e.heard)
		if err == nil && age < s.base.lives.Edited {
			continue
		}
		if err == nil {
			if err := s.Supersede(ctx, e.channel, e.message, e.edited); err != nil {
				return err
			}
		}
		if err != nil || age >= s.base.lives.Edited+stragglers {
			done := Change{scopeEdited, []Op{{Kind: OpRemove, Name: setName, Value: member.Name}}}
			if err := s.base.apply(ctx, "drop an edit", done); err != nil {
				return err
			}
		}
	}
	return nil
}

// Supersede is like Forget for the versions of a message that are older than an edit.
func (s *Deletions) Supersede(ctx context.Context, channel graph.ChannelID, message graph.MessageID, edited time.Time) error {
	scopes, err := s.scopes.scopesOf(ctx, channel)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.supersedeIn(ctx, scope, message, edited); err != nil {
			return err
		}
	}
	return nil
}

// supersedeIn erases in one scope what was derived from versions of a message that are
// older than an edit.
func (s *Deletions) supersedeIn(ctx context.Context, scope Scope, message graph.MessageID, edited time.Time) error {
	older, changes, err := s.olderThan(ctx, scope, message, edited)
	if err != nil || len(older)+len(changes) == 0 {
		return err
	}
	places, err := s.base.places(ctx, scope, [][]Member{older})
	if err != nil {
		return err
	}
	// The messages that showed the answer to the old question show the answer to the
	// new one by now, so they must not count as places. Whatever was made from the old
	// answer was also made from the old question, and is found through it.
	derivedFrom := func(r *Response, places []graph.MessageID) []string {
		if r.Trigger == message {
			return nil
		}
		return r.derivedFrom(places)
	}
	in := s.in(scope, nil)
	for _, member := range older {
		changed, _ := in.erase(ctx, sourceName(message), member, places[member.Name], derivedFrom)
		changes = append(changes, changed...)
	}
	if err := s.base.apply(ctx, "erase what is derived from an edited message", changes...); err != nil {
		return err
	}
	s.base.log.DebugContext(ctx, "what was derived from older versions of an edited message was erased", "message", message, "answers", len(older))
	return in.finish(ctx)
}

// olderThan returns the records of the responses in a scope that were made from versions
// of a message that are older than an edit, and the changes that erase the vectors that
// were.
func (s *Deletions) olderThan(ctx context.Context, scope Scope, message graph.MessageID, edited time.Time) (older []Member, changes []Change, err error) {
	set := sourceName(message)
	members, err := s.base.members(ctx, scope, Query{Set: set})
	if err != nil {
		return nil, nil, fmt.Errorf("find what is derived from an edited message: %w", err)
	}
	for _, member := range members[0] {
		if isVector(member.Name) {
			changes = append(changes, supersededVector(scope, set, member.Name))
		}
		if member.Value == nil {
			continue
		}
		r, err := decodeRecord(Key{scope, member.Name}, member.Value)
		if err != nil {
			s.base.reject(ctx, err)
			continue
		}
		if r.uses(message, edited) {
			older = append(older, member)
		}
	}
	return older, changes, nil
}

// uses reports whether a response was made from a version of a message from before an
// edit.
func (r *Response) uses(message graph.MessageID, edited time.Time) bool {
	for _, source := range r.Sources {
		if source.Message == message && source.Edited.Before(edited) {
			return true
		}
	}
	return false
}
