package encrypted

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/internal/lru"
	"heddle/store"
)

// Inner is an engine that an Engine can encrypt.
type Inner interface {
	store.Engine
	store.Walker
}

// Options are the settings of an Engine.
type Options struct {
	Master *Master
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: nothing is logged
}

// Engine is a store.Engine that stores everything encrypted in another engine.
type Engine struct {
	inner  Inner
	master *Master
	now    func() time.Time
	log    *slog.Logger
	keys   *keyring
}

// maxKeys bounds the keys of scopes that are held in memory.
const maxKeys = 4096

// New returns an Engine over inner, which it owns from then on. The first call of any
// method checks that the master key fits, and encrypts a store that is not encrypted
// yet. If the store was encrypted with another master key, every call fails with
// store.ErrKey.
func New(inner Inner, options Options) *Engine {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{inner: inner, master: options.Master, now: options.Now, log: options.Log}
	e.keys = &keyring{engine: e, scopes: lru.New[store.Scope, *key](maxKeys)}
	return e
}

// Fits returns a store.ErrKey if the master key does not fit the store.
func (e *Engine) Fits(ctx context.Context) error {
	_, err := e.keys.load(ctx, nil)
	return err
}

// own reports whether a scope is the store's own.
func own(scope store.Scope) bool { return scope != "" && scope[0] == '_' }

// Get implements store.Reader.
func (e *Engine) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	ring, err := e.keys.load(ctx, scopesOf(keys))
	if err != nil {
		return nil, err
	}
	names := make([]store.Key, len(keys))
	for i, at := range keys {
		names[i] = store.Key{Scope: at.Scope, Name: ring.name(at.Scope, at.Name)}
	}
	values, err := e.inner.Get(ctx, names...)
	if err != nil {
		return values, err
	}
	for i, at := range keys {
		values[i] = ring.readValue(at, values[i])
	}
	return values, nil
}

func scopesOf(keys []store.Key) []store.Scope {
	var scopes []store.Scope
	for i, key := range keys {
		if i == 0 || key.Scope != keys[i-1].Scope {
			scopes = append(scopes, key.Scope)
		}
	}
	return scopes
}

// Follow implements store.Reader.
func (e *Engine) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	ring, err := e.keys.load(ctx, []store.Scope{scope})
	if err != nil {
		return nil, err
	}
	if own(scope) {
		return e.inner.Follow(ctx, scope, queries...)
	}
	k := ring.scopes[scope]
	if k == nil {
		return make([][]store.Member, len(queries)), nil
	}
	sealed := make([]store.Query, len(queries))
	for i, query := range queries {
		sealed[i] = query
		sealed[i].Set = k.name(scope, query.Set)
	}
	found, err := e.inner.Follow(ctx, scope, sealed...)
	if err != nil {
		return found, err
	}
	for i, members := range found {
		found[i] = k.readMembers(queries[i].Set, members)
	}
	return found, nil
}

// readMembers decrypts the members of a set in place. It leaves out members that do not
// decrypt.
func (k *key) readMembers(set string, members []store.Member) []store.Member {
	read := members[:0]
	for _, member := range members {
		name, ok := k.readMember(set, member.Name)
		if !ok {
			continue
		}
		member.Name = name
		if member.Value != nil {
			member.Value = k.open(store.Key{Scope: k.scope, Name: name}, member.Value)
		}
		if link := store.Link(member.Value); member.Linked != nil && link != "" {
			member.Linked = k.open(store.Key{Scope: k.scope, Name: link}, member.Linked)
		}
		read = append(read, member)
	}
	return read
}

// open is like readValue, but returns an empty value if the value does not decrypt.
func (k *key) open(at store.Key, sealed []byte) []byte {
	value, err := k.readValue(at, sealed)
	if err != nil || value == nil {
		return []byte{}
	}
	return value
}

// Sweep implements store.Engine.
func (e *Engine) Sweep(ctx context.Context) (int, error) {
	return e.inner.Sweep(ctx)
}

// Close closes the engine below.
func (e *Engine) Close() error {
	return e.inner.Close()
}

// Quarantines returns how often the engine below quarantined its data and started
// empty.
func (e *Engine) Quarantines() int64 { return quarantines(e.inner) }

func quarantines(engine store.Engine) int64 {
	if counting, ok := engine.(interface{ Quarantines() int64 }); ok {
		return counting.Quarantines()
	}
	return 0
}

// maxTries bounds the attempts at a change whose scope changes its key meanwhile.
const maxTries = 4

// errBusy means that the keys of scopes kept changing.
var errBusy = fmt.Errorf("%w: the keys of its scopes kept changing", store.ErrUnavailable)

// Apply implements store.Engine.
func (e *Engine) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	if !slices.ContainsFunc(changes, encrypts) { // a claim, for example
		if err := e.Fits(ctx); err != nil {
			return nil, err
		}
		return e.inner.Apply(ctx, changes...)
	}
	failed := make([]int, len(changes))
	open := make([]int, len(changes)) // the indexes of the changes that are still to be made
	scopes := make([]store.Scope, len(changes))
	for i, change := range changes {
		open[i], scopes[i] = i, change.Scope
	}
	for range maxTries {
		ring, err := e.keys.load(ctx, scopes)
		if err != nil {
			return nil, err
		}
		sealed := make([]sealedChange, len(open))
		made := make([]store.Change, len(open))
		for i, at := range open {
			sealed[i] = ring.seal(changes[at])
			made[i] = sealed[i].Change
		}
		result, err := e.inner.Apply(ctx, made...)
		if err != nil {
			return nil, err
		}
		var again []int
		for i, at := range open {
			step, stale := sealed[i].result(result[i])
			if stale {
				again = append(again, at)
				e.keys.drop(changes[at].Scope)
				continue
			}
			failed[at] = step
			e.keys.note(sealed[i], step)
		}
		if open = again; len(open) == 0 {
			return failed, nil
		}
	}
	return nil, errBusy
}

// keyError is an error of the master key. It also wraps store.ErrUnavailable, because
// nothing can be stored until somebody corrects the key.
type keyError struct{ err error }

func (e keyError) Error() string   { return e.err.Error() }
func (e keyError) Unwrap() []error { return []error{e.err, store.ErrUnavailable} }

func unusable(err error) error {
	if errors.Is(err, store.ErrKey) {
		return keyError{err}
	}
	return err
}

// IsEncrypted reports whether a store is encrypted. It returns store.ErrRestoring if
// only a part of a backup has been restored into the store.
func IsEncrypted(ctx context.Context, inner store.Reader) (bool, error) {
	values, err := inner.Get(ctx, store.Key{Scope: store.ScopeMeta, Name: store.KeyName}, store.Key{Scope: store.ScopeMeta, Name: store.SchemaName})
	if err != nil {
		return false, fmt.Errorf("ask whether the store is encrypted: %w", err)
	}
	if string(values[1]) == store.SchemaRestoring {
		return false, store.ErrRestoring
	}
	return values[0] != nil, nil
}
