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
		e.Name, e.Value, err = s.sealer.OpenValue(scope, e.Name, e.Value)
	}
	return err == nil
}

// ErrNotEmpty means that the store into which a backup is to be restored is not empty.
var ErrNotEmpty = errors.New("the store is not empty")

// errStored ends a walk that looks for entries.
var errStored = errors.New("something is stored")

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
			return errStored
		}
		return nil
	})
	switch {
	case errors.Is(err, errStored):
		return ErrNotEmpty
	case err != nil:
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

// Report is what Verify found in a scope.
type Report struct {
	Responses  int // responses that match their hashes
	Turns      int // turns that match their hashes
	Tombstones int // tombstones, which cannot be verified
	Faults     []Fault
}

// Fault describes a stored entry that does not match its hash, or is missing.
type Fault struct {
	Response ResponseID
	Turn     int // number of the turn on the path, from 1; 0 if the fault is not in a turn
	Err      error
}

var (
	errBranch   = fmt.Errorf("%w: a branch does not match its hashes", ErrCorrupt)
	errResponse = fmt.Errorf("%w: its text does not match its response_hash", ErrCorrupt)
)

// Verify recomputes every hash in a scope and reports those that do not match.
func (a *Archive) Verify(ctx context.Context, scope Scope) (report Report, err error) {
	names, err := a.base.set(ctx, scope, responsesName)
	if err != nil {
		return report, fmt.Errorf("list the responses: %w", err)
	}
	turns := make(map[path.Hash]error) // those that were checked, because paths share them
	for _, name := range slices.Sorted(slices.Values(names)) {
		values, err := a.base.values(ctx, scope, name)
		if err != nil {
			return report, fmt.Errorf("read a response: %w", err)
		}
		if values[0] == nil || !isRecord(name) { // erased since
			continue
		}
		r, damage := decodeResponse(Key{scope, name}, values[0])
		faults := []Fault{{Response: ResponseID([]byte(name[len(recordPrefix):])), Err: damage}}
		if damage == nil {
			faults, err = a.verify(ctx, &r, turns)
		}
		if err != nil {
			return report, err
		}
		if report.Faults = append(report.Faults, faults...); len(faults) == 0 {
			report.Responses++
		}
	}
	stones, err := a.base.set(ctx, scope, gravesName)
	if err != nil {
		return report, fmt.Errorf("count the tombstones: %w", err)
	}
	report.Tombstones = len(stones)
	for _, err := range turns {
		if err == nil {
			report.Turns++
		}
	}
	return report, nil
}

// verify returns what does not match in one response.
func (a *Archive) verify(ctx context.Context, r *Response, turns map[path.Hash]error) (faults []Fault, err error) {
	if r.ResponseHash != path.ResponseHash(r.Text, r.FinishReason) {
		faults = append(faults, Fault{Response: r.ID, Err: errResponse})
	}
	for i := range r.Branches {
		if !r.Branches[i].fits() {
			faults = append(faults, Fault{Response: r.ID, Err: errBranch})
		}
	}
	_, err = (&Responses{a.base}).Tools(ctx, *r)
	switch {
	case errors.Is(err, ErrCorrupt):
		faults = append(faults, Fault{Response: r.ID, Err: err})
	case err != nil:
		return nil, err
	}
	values, err := a.base.values(ctx, r.Scope, each(r.Prompts, turnName)...)
	if err != nil {
		return nil, fmt.Errorf("read turns: %w", err)
	}
	for i, prompt := range r.Prompts {
		if _, turns[prompt] = decodeTurn(prompt, values[i]); turns[prompt] != nil {
			faults = append(faults, Fault{Response: r.ID, Turn: i + 1, Err: turns[prompt]})
		}
	}
	return faults, nil
}
