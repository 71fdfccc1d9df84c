package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// Consent is the set of people who allow their words to be used for training.
type Consent map[graph.UserID]bool

// covers reports whether everybody whose words a request was made from consents.
func (c Consent) covers(r *store.Response) bool {
	return !slices.ContainsFunc(r.Sources, func(source store.SourceRef) bool {
		return !c[source.Author] && (source.Author != r.Self || r.Self == 0)
	})
}

// Exporter writes stored answers as training data.
type Exporter struct {
	Store   *store.Store
	Consent Consent
	// Withheld counts what the exports so far left out.
	Withheld Withheld
}

// Export writes one line of JSON for each response that may be exported, and returns the
// number of rows.
func (e *Exporter) Export(ctx context.Context, w io.Writer, scopes []store.Scope, format string) (rows int, err error) {
	rowsOf, known := formats()[format]
	if !known {
		return 0, fmt.Errorf("there is no format %q", format)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // requests must stay as they were sent
	for _, scope := range scopes {
		samples, err := e.read(ctx, scope)
		if err != nil {
			return rows, fmt.Errorf("export %s: %w", scope, err)
		}
		made, err := rowsOf(samples, &e.Withheld)
		if err != nil {
			return rows, fmt.Errorf("export %s: %w", scope, err)
		}
		for _, row := range made {
			if err := encoder.Encode(row); err != nil {
				return rows, fmt.Errorf("write a row: %w", err)
			}
			rows++
		}
	}
	return rows, nil
}

// read returns the samples of a scope that may be exported, oldest first.
func (e *Exporter) read(ctx context.Context, scope store.Scope) ([]sample, error) {
	var samples []sample
	reuses := make(map[store.ResponseID]int)
	edits := make(lineage)
	quoted := newQuotes(e.Consent)
	for r, err := range e.Store.Archive.All(ctx, scope) {
		if err != nil {
			return nil, fmt.Errorf("read the responses: %w", err)
		}
		edits.add(&r)
		quoted.add(&r)
		switch {
		case r.IsSummary(): // summaries are not answers
			continue
		case r.Original() != r.ID:
			reuses[r.Original()]++
			e.Withheld.Reused++
			continue
		case r.FinishReason != llm.FinishStop || strings.TrimSpace(r.Text) == "":
			e.Withheld.Partial++
			continue
		case !e.Consent.covers(&r):
			e.Withheld.Private++
			continue
		}
		made, err := e.samplesOf(ctx, &r)
		if err != nil {
			return nil, err
		}
		samples = append(samples, made...)
	}
	slices.SortStableFunc(samples, func(a, b sample) int { // responses on the way to an answer precede it
		return cmp.Or(a.response.Created.Compare(b.response.Created), strings.Compare(a.response.ID.String(), b.response.ID.String()))
	})
	samples = once(samples)
	for i := range samples {
		at := &samples[i]
		e.Withheld.Same += len(at.again)
		at.quotes = quoted.unclear(&at.response)
		if at.step != "" {
			continue
		}
		at.replaces = edits.before(&at.response)
		for _, r := range at.responses() {
			at.reuses += reuses[r.ID]
		}
	}
	return samples, e.addOpinions(ctx, scope, samples)
}

// addOpinions adds to samples their ratings, and whether they are shown among
// alternatives.
func (e *Exporter) addOpinions(ctx context.Context, scope store.Scope, samples []sample) error {
	ratings, err := e.Store.Ratings.Of(ctx, scope)
	if err != nil {
		return fmt.Errorf("read the ratings: %w", err)
	}
	for i := range samples {
		at := &samples[i]
		if at.step != "" { // people rate only answers
			continue
		}
		given, replies := e.opinionsOn(at, ratings)
		at.tally = tallyOf(given)
		shown, err := e.Store.Displays.Chosen(ctx, scope, replies)
		if err != nil {
			return fmt.Errorf("read what is shown: %w", err)
		}
		at.shown = slices.ContainsFunc(at.responses(), func(r store.Response) bool { return slices.Contains(shown, r.ID) })
	}
	return nil
}

// opinionsOn returns the ratings of a sample by people who consent, and the messages that
// show it.
func (e *Exporter) opinionsOn(at *sample, ratings map[store.ResponseID][]store.Rating) (given []store.Rating, replies []graph.MessageID) {
	for _, r := range at.responses() {
		for _, reply := range r.Replies {
			replies = append(replies, reply.ID)
		}
		for _, rating := range ratings[r.ID] {
			if !e.Consent[rating.Person] {
				e.Withheld.Ratings++
				continue
			}
			given = append(given, rating)
		}
	}
	return given, replies
}
