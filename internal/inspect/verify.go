package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"heddle/graph/path"
	"heddle/internal/terminal"
	"heddle/store"
)

// ErrFaults means that something stored does not match its hash.
var ErrFaults = errors.New("the store is damaged")

// Verify recomputes every hash in a store. It writes two lines for each scope and one
// for each response that does not match its hashes, and returns ErrFaults if there is any.
func Verify(ctx context.Context, w io.Writer, s *store.Store, scopes []store.Scope) error {
	faults := 0
	for _, scope := range scopes {
		found, err := verify(ctx, s, scope)
		if err != nil {
			return fmt.Errorf("verify %s: %w", scope, err)
		}
		faults += len(found.faults)
		fmt.Fprintf(w, "%s: %s and %s fit, %s; %s passed over\n  %s\n%s", scope,
			terminal.Count(found.responses, "response"), terminal.Count(len(found.turns), "turn"),
			terminal.Count(len(found.faults), "fault"), terminal.Count(found.tombstones, "erased one"),
			found.requests(), strings.Join(found.faults, ""))
	}
	if faults > 0 {
		return fmt.Errorf("%w: %s; heddle never uses what is damaged, and asks the model instead", ErrFaults, terminal.Count(faults, "fault"))
	}
	return nil
}

// verified is what was found in a scope.
type verified struct {
	responses, tombstones int
	turns                 map[path.Hash]bool // of the responses that match their hashes
	faults                []string           // one line each

	again, pictures, changed int // requests, by whether they can be rebuilt
}

// requests returns as a sentence how many requests can be rebuilt.
func (v *verified) requests() string {
	text := fmt.Sprintf("%s can be made again byte for byte, %d cannot", terminal.Count(v.again, "request"), v.pictures+v.changed)
	if v.pictures > 0 {
		text += fmt.Sprintf("; %d showed pictures, which are not kept", v.pictures)
	}
	return text
}

// verify verifies the responses of a scope and rebuilds the requests of those that match
// their hashes.
func verify(ctx context.Context, s *store.Store, scope store.Scope) (*verified, error) {
	v := &verified{turns: make(map[path.Hash]bool)}
	for r, err := range s.Archive.Verify(ctx, scope) {
		switch {
		case errors.Is(err, store.ErrCorrupt):
			v.faults = append(v.faults, fmt.Sprintf("  response %s: %v\n", r.ID, err))
			continue
		case err != nil:
			return nil, err
		}
		v.responses++
		for _, prompt := range r.Prompts {
			v.turns[prompt] = true
		}
		if err := v.rebuild(ctx, s, &r); err != nil {
			return nil, err
		}
	}
	var err error
	v.tombstones, err = s.Archive.Tombstones(ctx, scope)
	return v, err
}

// rebuild rebuilds the request of a response. For a reused one none was made.
func (v *verified) rebuild(ctx context.Context, s *store.Store, r *store.Response) error {
	if r.Original() != r.ID || r.RequestHash == (path.Hash{}) {
		return nil
	}
	switch made, err := requestOf(ctx, s, r); {
	case err == nil && len(made.pictures) > 0:
		v.pictures++
	case err == nil:
		v.again++
	case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt):
		v.changed++
	default:
		return err
	}
	return nil
}
