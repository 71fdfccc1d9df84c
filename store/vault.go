package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"heddle/store/seal"
)

// vault is an engine in which everything is sealed, with what is known of its state.
type vault struct {
	engine Engine
	sealer *seal.Sealer
	packer *packer
	log    *slog.Logger
	now    func() time.Time
	clock  func() time.Time // see Options

	fits   atomic.Int64 // until when the store is known to be this heddle's, in Unix milliseconds
	health health
	failed atomic.Int64 // number of calls that failed because the engine was unavailable
}

// read reads in one scope.
func (s *vault) read(ctx context.Context, scope Scope, do func(*tx)) error {
	if err := s.fit(ctx); err != nil {
		return err
	}
	return s.call(ctx, func() (bool, error) {
		return false, s.engine.Read(ctx, scope, func(read Reader) error {
			t := tx{vault: s, scope: scope, read: read}
			do(&t)
			return t.err
		})
	})
}

// values reads values of a scope. An absent value is nil, and a damaged one is empty.
func (s *vault) values(ctx context.Context, scope Scope, names ...string) (values [][]byte, err error) {
	err = s.read(ctx, scope, func(t *tx) { values = t.get(names...) })
	return values, err
}

// members reads sets of one scope. Damaged members are left out.
func (s *vault) members(ctx context.Context, scope Scope, sets ...string) (members [][]string, err error) {
	err = s.read(ctx, scope, func(t *tx) { members = t.members(sets...) })
	return members, err
}

// set reads one set.
func (s *vault) set(ctx context.Context, scope Scope, name string) (members []string, err error) {
	err = s.read(ctx, scope, func(t *tx) { members = t.members(name)[0] })
	return members, err
}

// hidden returns the hidden forms of names.
func (s *vault) hidden(scope Scope, names []string) []string {
	return each(names, func(name string) string { return s.sealer.Name(string(scope), name) })
}

// tx reads in one scope, and in a transaction writes there when it ends. It reads what was
// stored before. Once a read has failed, all others return nothing, and nothing is written.
type tx struct {
	vault *vault
	scope Scope
	read  Reader

	writes []Write
	err    error
	torn   bool // something that was read is damaged
}

// get reads values. An absent value is nil, and a damaged one is empty.
func (t *tx) get(names ...string) [][]byte {
	opened := make([][]byte, len(names))
	if t.err != nil {
		return opened
	}
	hidden := t.vault.hidden(t.scope, names)
	values, err := t.read.Get(hidden...)
	if t.err = err; err != nil {
		return opened
	}
	for i, sealed := range values {
		if sealed == nil {
			continue
		}
		opened[i] = []byte{}
		if _, value, err := t.vault.open(t.scope, hidden[i], sealed); err == nil && value != nil {
			opened[i] = value
		}
	}
	return opened
}

// value is get for one value.
func (t *tx) value(name string) []byte { return t.get(name)[0] }

// members reads sets. Damaged members are left out.
func (t *tx) members(sets ...string) [][]string {
	opened := make([][]string, len(sets))
	if t.err != nil {
		return opened
	}
	hidden := t.vault.hidden(t.scope, sets)
	members, err := t.read.Members(hidden...)
	if t.err = err; err != nil {
		return opened
	}
	for i := range members {
		for _, sealed := range members[i] {
			if _, member, err := t.vault.sealer.OpenMember(string(t.scope), hidden[i], sealed); err == nil {
				opened[i] = append(opened[i], member)
			} else {
				t.torn = true
			}
		}
	}
	return opened
}

// put sets a value. It prolongs the life of an earlier one and never shortens it.
func (t *tx) put(name, value string, ttl time.Duration) { t.set(WritePut, name, value, ttl) }

// keep sets a value that expires when the one before it does, or after ttl if there is
// none.
func (t *tx) keep(name, value string, ttl time.Duration) { t.set(WriteKeep, name, value, ttl) }

func (t *tx) set(kind WriteKind, name, value string, ttl time.Duration) {
	t.write(Write{Kind: kind, Name: name, Value: t.vault.seal(t.scope, name, value), TTL: ttl})
}

// remove removes a value, or a set with all its members.
func (t *tx) remove(name string) { t.write(Write{Kind: WriteDelete, Name: name}) }

// add adds a member to a set. It prolongs the life of an equal one and never shortens
// it.
func (t *tx) add(set, member string, ttl time.Duration) {
	t.write(Write{Kind: WriteAdd, Name: set, Member: t.vault.sealer.Member(string(t.scope), set, member), TTL: ttl})
}

// take takes a member out of a set.
func (t *tx) take(set, member string) {
	t.write(Write{Kind: WriteRemove, Name: set, Member: t.vault.sealer.Member(string(t.scope), set, member)})
}

func (t *tx) write(w Write) {
	w.Name = t.vault.sealer.Name(string(t.scope), w.Name)
	t.writes = append(t.writes, w)
}

// transaction is what is done in one scope.
type transaction struct {
	scope Scope
	do    func(*tx) error
}

// update runs a transaction. If do returns an error, nothing is written, and update
// returns that error. do may be called several times; see Change.
func (s *vault) update(ctx context.Context, what string, scope Scope, do func(*tx) error) error {
	return s.updateAll(ctx, what, transaction{scope, do})
}

// write runs a transaction that has no conditions.
func (s *vault) write(ctx context.Context, what string, scope Scope, do func(*tx)) error {
	return s.update(ctx, what, scope, func(t *tx) error {
		do(t)
		return nil
	})
}

// updateAll runs transactions in order. The first one that fails ends it; those before
// it are carried out.
func (s *vault) updateAll(ctx context.Context, what string, all ...transaction) error {
	if len(all) == 0 {
		return nil
	}
	if err := s.begun(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	ran := make([]tx, len(all))
	changes := make([]Change, len(all))
	for i, one := range all {
		changes[i] = Change{one.scope, func(read Reader) ([]Write, error) {
			t := &ran[i]
			*t = tx{vault: s, scope: one.scope, read: read}
			err := one.do(t)
			if t.err != nil {
				err = t.err
			}
			return t.writes, err
		}}
	}
	err := s.call(ctx, func() (bool, error) {
		err := s.engine.Update(ctx, changes...)
		return stored(ran, err), err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// stored reports whether the result of transactions is a sign that the engine can be written
// to, or cannot. That of deletions is none, because a full engine still deletes, unless
// it failed: a read-only replica still reads.
func stored(ran []tx, err error) bool {
	for _, t := range ran {
		for _, w := range t.writes {
			if w.Kind == WritePut || w.Kind == WriteKeep || w.Kind == WriteAdd || errors.Is(err, ErrUnavailable) {
				return true
			}
		}
	}
	return false
}
