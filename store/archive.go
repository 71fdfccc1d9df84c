package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"heddle/graph/path"
)

// Archive reads whole scopes, to inspect, verify, export or copy them.
type Archive struct{ base *base }

// All returns an iterator over all responses of a scope, including reused ones, in the
// order of their ids. It ends with the first error. Damaged responses are skipped and
// counted. Responses that are saved or erased during the iteration may come or not.
func (a *Archive) All(ctx context.Context, scope Scope) iter.Seq2[Response, error] {
	return func(yield func(Response, error) bool) {
		for r, err := range a.each(ctx, scope) {
			if !errors.Is(err, ErrCorrupt) && !yield(r, err) {
				return
			}
		}
	}
}

// each is All with the damaged responses, of which it returns the ids with ErrCorrupt.
func (a *Archive) each(ctx context.Context, scope Scope) iter.Seq2[Response, error] {
	return func(yield func(Response, error) bool) {
		names, err := a.base.set(ctx, scope, responsesName)
		if err != nil {
			yield(Response{}, fmt.Errorf("list the responses: %w", err))
			return
		}
		slices.Sort(names)
		a.base.load(ctx, scope, names)(yield)
	}
}

// Walk calls f with all entries of the store, opened, some at a time. It leaves out
// leases and what is damaged. An answer among them is whole: its record is read before
// the turns, nodes and indexes that were stored with it.
func (a *Archive) Walk(ctx context.Context, f func([]Entry) error) error {
	if err := a.base.fit(ctx); err != nil {
		return err
	}
	for _, records := range []bool{true, false} {
		err := a.base.engine.Walk(ctx, func(some []Entry) error {
			var opened []Entry
			for _, e := range some {
				if IsLease(e.Name) || e.Key == (Key{ScopeMeta, schemaName}) || (e.Member == "" && strings.HasPrefix(e.Name, recordPrefix)) != records {
					continue
				}
				if a.base.openEntry(&e) {
					opened = append(opened, e)
				}
			}
			return f(opened)
		})
		if err != nil {
			return fmt.Errorf("walk the store: %w", err)
		}
	}
	return nil
}

// openEntry opens an entry in place. It reports false if that is damaged.
func (s *vault) openEntry(e *Entry) bool {
	var err error
	switch scope := string(e.Scope); {
	case e.Member != "":
		e.Name, e.Member, err = s.sealer.OpenMember(scope, e.Name, e.Member)
	default:
		e.Name, e.Value, err = s.open(e.Scope, e.Name, e.Value)
	}
	return err == nil
}

// ErrNotEmpty means that the store into which a backup is to be restored is not empty.
var ErrNotEmpty = errors.New("the store is not empty")

// BeginRestore marks an empty store as being restored. Until EndRestore nobody can use
// it. It returns ErrNotEmpty if something is stored, unless that is from an interrupted
// restore.
func (a *Archive) BeginRestore(ctx context.Context) error {
	schema, err := schemaOf(ctx, a.base.engine)
	if err != nil || string(schema) == schemaRestoring {
		return err
	}
	err = a.base.engine.Walk(ctx, func(some []Entry) error {
		if len(some) > 0 {
			return ErrNotEmpty
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.base.markSchema(ctx, schemaRestoring)
}

// EndRestore marks a store as restored.
func (a *Archive) EndRestore(ctx context.Context) error {
	return a.base.markSchema(ctx, a.base.mark())
}

// markSchema replaces the mark of the store's schema.
func (s *vault) markSchema(ctx context.Context, mark string) error {
	return s.engine.Update(ctx, Change{ScopeMeta, func(Reader) ([]Write, error) {
		return []Write{{Kind: WritePut, Name: schemaName, Value: mark, TTL: forever}}, nil
	}})
}

// mark returns the mark of a store with this heddle's schema and key.
func (s *vault) mark() string {
	return strings.TrimSpace(strconv.Itoa(Schema) + " " + s.sealer.Print())
}

// Restore stores entries. Storing them again changes nothing.
func (a *Archive) Restore(ctx context.Context, entries []Entry) error {
	var changes []Change
	for i := 0; i < len(entries); {
		t := tx{vault: a.base.vault, scope: entries[i].Scope}
		for ; i < len(entries) && entries[i].Scope == t.scope; i++ {
			if e := &entries[i]; e.Member != "" {
				t.add(e.Name, e.Member, e.TTL)
			} else {
				t.put(e.Name, string(e.Value), e.TTL)
			}
		}
		changes = append(changes, Change{t.scope, func(Reader) ([]Write, error) { return t.writes, nil }})
	}
	return a.base.engine.Update(ctx, changes...)
}

var (
	errBranch   = fmt.Errorf("%w: a branch does not match its hashes", ErrCorrupt)
	errResponse = fmt.Errorf("%w: its text does not match its response_hash", ErrCorrupt)
)

// Verify is like All, but recomputes every hash. With a response that does not match its
// hashes, or has turns that are missing or do not match theirs, it returns ErrCorrupt and
// goes on.
func (a *Archive) Verify(ctx context.Context, scope Scope) iter.Seq2[Response, error] {
	return func(yield func(Response, error) bool) {
		for r, err := range a.each(ctx, scope) {
			if err == nil {
				err = a.verify(ctx, &r)
			}
			if !yield(r, err) || err != nil && !errors.Is(err, ErrCorrupt) {
				return
			}
		}
	}
}

// verify returns the first thing that does not match in a response.
func (a *Archive) verify(ctx context.Context, r *Response) error {
	switch {
	case r.ResponseHash != path.ResponseHash(r.Text, r.FinishReason):
		return errResponse
	case slices.ContainsFunc(r.Branches, func(b Branch) bool { return !b.fits() }):
		return errBranch
	}
	read := Responses(*a)
	turns, err := read.Turns(ctx, *r)
	r.Prompts = path.Prompts(turns)
	return err
}

// Tombstones returns the number of responses of a scope that were erased and had been sent.
func (a *Archive) Tombstones(ctx context.Context, scope Scope) (int, error) {
	stones, err := a.base.set(ctx, scope, gravesName)
	if err != nil {
		return 0, fmt.Errorf("count the tombstones: %w", err)
	}
	return len(stones), nil
}
