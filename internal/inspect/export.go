package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

// Withheld counts the responses that are not exported, each under the first reason that
// applies.
type Withheld struct {
	Reused   int // a reuse of another response, not a new sample
	Same     int // the same text as another response to the same request, whose row counts it
	Partial  int // the answer was interrupted, refused or empty
	Private  int // made from the words of somebody who did not consent
	Forwards int // the request holds a forward, which does not name who wrote it
	Quotes   int // the request contains words of heddle's that may quote somebody who did not consent
	Changed  int // the request cannot be rebuilt as it was sent
	Pictures int // the request showed pictures, whose bytes are not stored
	Unpaired int // for formats with pairs: no alternative for the same path is rated differently
	Ratings  int // ratings by people who did not consent, which are in no row
}

// String returns in sentences what was withheld, and why.
func (w Withheld) String() string {
	withheld := counted(
		count{w.Private, "without the consent of everybody whose words they were made from"},
		count{w.Forwards, "with a message that was forwarded"},
		count{w.Quotes, "with an answer that may quote somebody without consent"},
		count{w.Changed, "whose request cannot be made again as it was sent"},
		count{w.Pictures, "whose request showed pictures, which are not kept"},
		count{w.Partial, "not whole"},
		count{w.Unpaired, "without an alternative that people rated otherwise"})
	beside := counted(
		count{w.Reused, "answers given again are no samples of their own"},
		count{w.Same, "that say the same to the same request are counted in one row"},
		count{w.Ratings, "ratings of people without consent are left out"})
	text := "Nothing was withheld."
	if withheld != "" {
		text = "Withheld: " + withheld + "."
	}
	if beside != "" {
		text += "\n" + beside + "."
	}
	return text
}

// count is how many there are of something.
type count struct {
	n    int
	what string
}

// counted lists what there is any of, one a line.
func counted(all ...count) string {
	var there []string
	for _, c := range all {
		if c.n > 0 {
			there = append(there, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(there, ",\n  ")
}

// sample is a response with the request as it was sent.
type sample struct {
	response store.Response

	// again holds later responses to the same request with the same text. Their rows
	// would be the same.
	again   []store.Response
	request request
	quotes  bool // see quotes.unclear
	// step names a response on the way to the answer, and said is its message if it
	// called tools. Both are empty for the answer itself.
	step     string
	said     json.RawMessage
	messages []json.RawMessage
	tools    json.RawMessage // nil if there are none
	reuses   int
	replaces store.ResponseID
	shown    bool
	tally    tally
}

// Export writes one line of JSON for each response that may be exported. It returns the
// number of rows, and what was withheld.
func Export(ctx context.Context, w io.Writer, s *store.Store, scopes []store.Scope, format string, consent Consent) (int, Withheld, error) {
	rowsOf, known := formats()[format]
	if !known {
		return 0, Withheld{}, fmt.Errorf("there is no format %q", format)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // requests must stay as they were sent
	rows := 0
	var withheld Withheld
	for _, scope := range scopes {
		samples, err := read(ctx, s, scope, consent, &withheld)
		if err != nil {
			return rows, withheld, fmt.Errorf("export %s: %w", scope, err)
		}
		made, err := rowsOf(samples, &withheld)
		if err != nil {
			return rows, withheld, fmt.Errorf("export %s: %w", scope, err)
		}
		for _, row := range made {
			if err := encoder.Encode(row); err != nil {
				return rows, withheld, fmt.Errorf("write a row: %w", err)
			}
			rows++
		}
	}
	return rows, withheld, nil
}

// read returns the samples of a scope that may be exported, oldest first.
func read(ctx context.Context, s *store.Store, scope store.Scope, consent Consent, withheld *Withheld) ([]sample, error) {
	var samples []sample
	reuses := make(map[store.ResponseID]int)
	edits := make(lineage)
	quoted := newQuotes(consent)
	for r, err := range s.Archive.All(ctx, scope) {
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
			withheld.Reused++
			continue
		case r.FinishReason != llm.FinishStop || strings.TrimSpace(r.Text) == "":
			withheld.Partial++
			continue
		case !consent.covers(&r):
			withheld.Private++
			continue
		}
		made, err := samplesOf(ctx, s, &r, withheld)
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
		withheld.Same += len(at.again)
		at.quotes = quoted.unclear(&at.response)
		if at.step != "" {
			continue
		}
		at.replaces = edits.before(&at.response)
		for _, r := range at.responses() {
			at.reuses += reuses[r.ID]
		}
	}
	return samples, opinions(ctx, s, scope, consent, samples, withheld)
}

// samplesOf returns the samples that led to an answer, and the answer last.
func samplesOf(ctx context.Context, s *store.Store, r *store.Response, withheld *Withheld) ([]sample, error) {
	samples, err := stepsTo(ctx, s, r, withheld)
	if err != nil {
		return nil, err
	}
	made, err := newSample(ctx, s, *r)
	switch {
	case errors.Is(err, errNotTheSame), errors.Is(err, store.ErrCorrupt):
		withheld.Changed++
		return samples, nil
	case err != nil:
		return nil, err
	}
	return append(samples, made), nil
}

func newSample(ctx context.Context, s *store.Store, r store.Response) (sample, error) {
	made, err := requestOf(ctx, s, &r)
	if err != nil {
		return sample{}, err
	}
	return sampleOf(r, made)
}

func sampleOf(r store.Response, made request) (sample, error) {
	var wire struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools"`
	}
	if err := json.Unmarshal(made.body, &wire); err != nil {
		return sample{}, fmt.Errorf("read a request: %w", err)
	}
	return sample{response: r, request: made, messages: wire.Messages, tools: wire.Tools}, nil
}

// opinions adds to samples their ratings, and whether they are shown among
// alternatives.
func opinions(ctx context.Context, s *store.Store, scope store.Scope, consent Consent, samples []sample, withheld *Withheld) error {
	ratings, err := s.Ratings.Of(ctx, scope)
	if err != nil {
		return fmt.Errorf("read the ratings: %w", err)
	}
	for i := range samples {
		at := &samples[i]
		if at.step != "" { // people rate only answers
			continue
		}
		var given []store.Rating
		var replies []graph.MessageID
		for _, r := range at.responses() {
			for _, reply := range r.Replies {
				replies = append(replies, reply.ID)
			}
			for _, rating := range ratings[r.ID] {
				if !consent[rating.Person] {
					withheld.Ratings++
					continue
				}
				given = append(given, rating)
			}
		}
		at.tally = tallyOf(given)
		shown, err := s.Displays.Chosen(ctx, scope, replies)
		if err != nil {
			return fmt.Errorf("read what is shown: %w", err)
		}
		at.shown = slices.ContainsFunc(at.responses(), func(r store.Response) bool { return slices.Contains(shown, r.ID) })
	}
	return nil
}

// lineage holds the first answer of each generation of a question.
type lineage map[generation]stood

type stood struct {
	id store.ResponseID
	at time.Time
}

type generation struct {
	question graph.MessageID
	number   int
}

func (l lineage) add(r *store.Response) {
	if r.IsSummary() || r.Gone() {
		return
	}
	key := generation{r.Trigger, r.Generation}
	if first, known := l[key]; !known || given(r).Before(first.at) {
		l[key] = stood{r.Original(), given(r)}
	}
}

// before returns the answer that this one replaced, or zero.
func (l lineage) before(r *store.Response) store.ResponseID {
	for number := r.Generation - 1; number >= 0; number-- {
		if first, known := l[generation{r.Trigger, number}]; known {
			return first.id
		}
	}
	return store.ResponseID{}
}
