package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Edit is an edit of a message.
type Edit struct {
	Channel graph.ChannelID
	Message graph.MessageID
	At      time.Time // by Discord's clock
}

// Edited records edits of messages. Once Lifetimes.Edited has passed, Finish erases
// everything derived from their older versions. Until then a question that is edited back
// gets its old answer again. An edit of a message that is no source of a response costs no
// write (finding 4.3). Should the message become one from its older version, because an
// answer was on its way, Save records the edit.
func (s *Deletions) Edited(ctx context.Context, edits ...Edit) error {
	heard := s.base.clock().UTC()
	at := make(map[graph.ChannelID][]Erasure)
	var channels []graph.ChannelID
	for _, edit := range edits {
		e := Erasure{Messages: []graph.MessageID{edit.Message}, Channel: edit.Channel, Edited: edit.At.UTC(), Heard: heard}
		s.base.edited.Add(edit.Message, e) // before the store is read, as an answer may be saved meanwhile
		if at[edit.Channel] == nil {
			channels = append(channels, edit.Channel)
		}
		at[edit.Channel] = append(at[edit.Channel], e)
	}
	used, err := s.base.members(ctx, scopeScopes, each(channels, channelName)...)
	if err != nil {
		return fmt.Errorf("list scopes: %w", err)
	}
	in := make(map[Scope][]Erasure)
	for i, channel := range channels {
		for _, scope := range used[i] {
			in[Scope(scope)] = append(in[Scope(scope)], at[channel]...)
		}
	}
	var all []transaction
	for scope, some := range in {
		sources, err := s.base.leading(ctx, scope, each(some, func(e Erasure) string { return sourceName(e.Messages[0]) })...)
		if err != nil {
			return fmt.Errorf("find what was made from edited messages: %w", err)
		}
		var noted []Erasure
		for i := range some {
			if len(sources[i]) > 0 {
				noted = append(noted, some[i])
			}
		}
		all = append(all, s.base.note(scope, noted)...)
	}
	return s.base.updateAll(ctx, "note an edit", all...)
}

const (
	// stragglers is how long after the lifetime of an older version Finish looks for it
	// again. It is longer than an answer takes that was begun before the edit.
	stragglers = 15 * time.Minute
	// notedFor is the length of the stretch of time whose edits are in one set.
	notedFor = 5 * time.Minute
	// mostEdited bounds the edits that are remembered for answers on their way. The oldest
	// are dropped.
	mostEdited = 1 << 15
)

// noted names the edits of a scope that were heard of in one stretch of time.
type noted struct {
	scope Scope
	begin int64 // in Unix seconds
}

// name returns the name of the set of the edits.
func (n noted) name() string {
	return "h" + string(binary.BigEndian.AppendUint64(nil, uint64(n.begin))) //nolint:gosec // it is not negative
}

// note returns the transactions that store edits of sources in a scope, and list it.
func (s *base) note(scope Scope, edits []Erasure) (all []transaction) {
	for _, e := range edits {
		n := noted{scope, e.Heard.Truncate(notedFor).Unix()}
		all = append(all, transaction{scopeScopes, func(t *tx) error {
			t.add(editsName, n.name()+string(scope), s.lives.Response)
			return nil
		}}, transaction{scope, func(t *tx) error {
			t.add(n.name(), e.record(), s.lives.Response)
			return nil
		}})
	}
	return all
}

// overtaken returns the edits that were heard of since versions of messages were read that a
// response was made from.
func (s *base) overtaken(r *Response) (edits []Erasure) {
	for _, source := range r.Sources {
		e, ok := s.edited.Peek(source.Message)
		if ok && !source.Forwarded && source.Edited.Before(e.Edited) && s.clock().Sub(e.Heard) < stragglers &&
			!slices.ContainsFunc(edits, func(other Erasure) bool { return other.Messages[0] == source.Message }) {
			edits = append(edits, e)
		}
	}
	return edits
}

// finishEdits carries out the edits that are old enough, scope by scope.
func (s *Deletions) finishEdits(ctx context.Context) error {
	listed, err := s.base.set(ctx, scopeScopes, editsName)
	if err != nil {
		return fmt.Errorf("look for edits: %w", err)
	}
	slices.Sort(listed) // the oldest come first
	for _, member := range listed {
		if len(member) <= 1+idSize {
			continue
		}
		n := noted{Scope(member[1+idSize:]), int64(idOf(member[1 : 1+idSize]))} //nolint:gosec // it was one
		age := s.base.clock().Sub(time.Unix(n.begin, 0))
		if age < s.base.lives.Edited {
			return nil // what follows is younger
		}
		if err := s.supersede(ctx, n); err != nil {
			return err
		}
		if age < notedFor+s.base.lives.Edited+stragglers {
			continue
		}
		err := s.base.updateAll(ctx, "note that everything is erased",
			transaction{n.scope, func(t *tx) error { t.remove(n.name()); return nil }},
			transaction{scopeScopes, func(t *tx) error { t.take(editsName, member); return nil }})
		if err != nil {
			return err
		}
	}
	return nil
}

// supersede erases what was made in a scope from versions of messages that are older than
// edits, once the edits are old enough.
func (s *Deletions) supersede(ctx context.Context, n noted) error {
	records, err := s.base.set(ctx, n.scope, n.name())
	if err != nil {
		return fmt.Errorf("look for edits: %w", err)
	}
	for _, record := range records {
		var e Erasure
		if damage := json.Unmarshal([]byte(record), &e); damage != nil || len(e.Messages) == 0 {
			s.base.reject(ctx, fmt.Errorf("%w: an edit: %w", ErrCorrupt, damage))
			continue
		}
		if s.base.clock().Sub(e.Heard) < s.base.lives.Edited {
			continue
		}
		gone, err := s.carryOut(ctx, &e, reach{scopes: []Scope{n.scope}, sets: []string{sourceName(e.Messages[0])}})
		if len(gone) > 0 {
			s.base.log.DebugContext(ctx, "what was derived from older versions of an edited message was erased", "message", e.Messages[0], "answers", len(gone))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
