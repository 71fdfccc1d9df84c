package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"

	"heddle/graph/path"
	"heddle/internal/terminal"
	"heddle/store"
)

// ErrFaults means that something stored does not match its hash.
var ErrFaults = errors.New("the store is damaged")

// Verify recomputes every hash in a store. It writes two lines for each scope and one
// for each fault, and returns ErrFaults if there is any.
func Verify(ctx context.Context, w io.Writer, s *store.Store, scopes []store.Scope) error {
	faults := 0
	for _, scope := range scopes {
		report, err := s.Archive.Verify(ctx, scope)
		if err != nil {
			return fmt.Errorf("verify %s: %w", scope, err)
		}
		made, err := requests(ctx, s, scope)
		if err != nil {
			return fmt.Errorf("verify %s: %w", scope, err)
		}
		faults += len(report.Faults)
		fmt.Fprintf(w, "%s: %s and %s fit, %s; %s passed over\n  %s\n", scope,
			terminal.Count(report.Responses, "response"), terminal.Count(report.Turns, "turn"),
			terminal.Count(len(report.Faults), "fault"), terminal.Count(report.Tombstones, "erased one"), made)
		for _, fault := range report.Faults {
			at := ""
			if fault.Turn > 0 {
				at = fmt.Sprintf(", turn %d", fault.Turn)
			}
			fmt.Fprintf(w, "  response %s%s: %v\n", fault.Response, at, fault.Err)
		}
	}
	if faults > 0 {
		return fmt.Errorf("%w: %s; heddle never uses what is damaged, and asks the model instead", ErrFaults, terminal.Count(faults, "fault"))
	}
	return nil
}

// remade counts the requests of a scope by whether they can be rebuilt.
type remade struct{ again, pictures, changed int }

// String returns the counts as a sentence.
func (r remade) String() string {
	text := fmt.Sprintf("%s can be made again byte for byte, %d cannot", terminal.Count(r.again, "request"), r.pictures+r.changed)
	if r.pictures > 0 {
		text += fmt.Sprintf("; %d showed pictures, which are not kept", r.pictures)
	}
	return text
}

// requests counts the requests of a scope. It skips reused responses, for which no
// request was made, and damaged ones, which are reported as faults.
func requests(ctx context.Context, s *store.Store, scope store.Scope) (remade, error) {
	var counted remade
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return counted, fmt.Errorf("read the responses: %w", err)
		}
		if r.Original() != r.ID || r.RequestHash == (path.Hash{}) {
			continue
		}
		switch made, err := requestOf(ctx, s, &r); {
		case err == nil && len(made.pictures) > 0:
			counted.pictures++
		case err == nil:
			counted.again++
		case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt):
			counted.changed++
		default:
			return counted, err
		}
	}
	return counted, nil
}
