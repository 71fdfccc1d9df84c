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
	log    *slog.Logger
	now    func() time.Time
	clock  func() time.Time // see Options

	fits   atomic.Int64 // until when the store is known to be this heddle's, in Unix milliseconds
	health health
	failed atomic.Int64 // number of calls that failed because the engine was unavailable
}

// values reads values of a scope. An absent value is nil, and a damaged one is empty.
func (s *vault) values(ctx context.Context, scope Scope, names ...string) (values [][]byte, err error) {
	if err := s.fit(ctx); err != nil {
		return nil, err
	}
	err = s.call(ctx, func() (bool, error) {
		values, err = s.engine.Get(ctx, scope, s.hidden(scope, names)...)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return s.openAll(scope, names, values), nil
}

// openAll opens sealed values in place. Damaged ones are empty.
func (s *vault) openAll(scope Scope, names []string, values [][]byte) [][]byte {
	for i, sealed := range values {
		if sealed == nil {
			continue
		}
		hidden := s.sealer.Name(string(scope), names[i])
		if _, value, err := s.sealer.OpenValue(string(scope), hidden, sealed); err == nil && value != nil {
			values[i] = value
		} else {
			values[i] = []byte{}
		}
	}
	return values
}

// members reads sets of one scope.
func (s *vault) members(ctx context.Context, scope Scope, sets ...string) (members [][]string, err error) {
	if err := s.fit(ctx); err != nil {
		return nil, err
	}
	hidden := s.hidden(scope, sets)
	err = s.call(ctx, func() (bool, error) {
		members, err = s.engine.Members(ctx, scope, 0, hidden...)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return s.openMembers(scope, hidden, members), nil
}

// set reads one set.
func (s *vault) set(ctx context.Context, scope Scope, name string) ([]string, error) {
	members, err := s.members(ctx, scope, name)
	if err != nil {
		return nil, err
	}
	return members[0], nil
}

// openMembers opens the members of sets in place. It leaves out damaged ones.
func (s *vault) openMembers(scope Scope, hidden []string, sets [][]string) [][]string {
	for i, sealed := range sets {
		members := sealed[:0]
		for _, one := range sealed {
			if _, member, err := s.sealer.OpenMember(string(scope), hidden[i], one); err == nil {
				members = append(members, member)
			}
		}
		sets[i] = members
	}
	return sets
}

// hidden returns the hidden forms of names.
func (s *vault) hidden(scope Scope, names []string) []string {
	hidden := make([]string, len(names))
	for i, name := range names {
		hidden[i] = s.sealer.Name(string(scope), name)
	}
	return hidden
}

// tx is a transaction in one scope. It reads what was stored before the transaction, and
// writes when it ends. Once a read has failed, all others return nothing, and nothing is
// written.
type tx struct {
	vault *vault
	scope Scope
	read  Reader

	writes []Write
	err    error
}

// get reads values. An absent value is nil, and a damaged one is empty.
func (t *tx) get(names ...string) [][]byte {
	values := make([][]byte, len(names))
	if t.err != nil {
		return values
	}
	if values, t.err = t.read.Get(t.vault.hidden(t.scope, names)...); t.err != nil {
		return make([][]byte, len(names))
	}
	return t.vault.openAll(t.scope, names, values)
}

// value is get for one value.
func (t *tx) value(name string) []byte { return t.get(name)[0] }

// members reads sets: at most limit members of each, or all of them if limit is 0.
func (t *tx) members(limit int, sets ...string) [][]string {
	members := make([][]string, len(sets))
	if t.err != nil {
		return members
	}
	hidden := t.vault.hidden(t.scope, sets)
	if members, t.err = t.read.Members(limit, hidden...); t.err != nil {
		return make([][]string, len(sets))
	}
	return t.vault.openMembers(t.scope, hidden, members)
}

// put sets a value. It prolongs the life of an earlier one and never shortens it.
func (t *tx) put(name, value string, ttl time.Duration) { t.set(WritePut, name, value, ttl) }

// keep sets a value that expires when the one before it does, or after ttl if there is
// none.
func (t *tx) keep(name, value string, ttl time.Duration) { t.set(WriteKeep, name, value, ttl) }

func (t *tx) set(kind WriteKind, name, value string, ttl time.Duration) {
	t.write(Write{Kind: kind, Name: name, Value: t.vault.sealer.Value(string(t.scope), name, value), TTL: ttl})
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
