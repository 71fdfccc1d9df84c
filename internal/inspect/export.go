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

// withholds returns why a response is withheld, or "" if everybody consents whose words its
// request was made from. Nobody can consent for a tool server, or for an author whom Discord
// did not name.
func (c Consent) withholds(r *store.Response) reason {
	if len(r.Outside) > 0 {
		return Outside
	}
	why := reason("")
	for _, source := range r.Sources {
		switch {
		case source.Forwarded && source.Author == 0:
			why = cmp.Or(why, Forwards)
		case !c[source.Author] && (source.Author != r.Self || r.Self == 0):
			return Private
		}
	}
	return why
}

// Exporter writes stored answers as training data.
type Exporter struct {
	Store   *store.Store
	Consent Consent
	// Withheld counts what the last export left out.
	Withheld Withheld
}

// Export writes one line of JSON for each response that may be exported, and returns the
// number of rows.
func (e *Exporter) Export(ctx context.Context, w io.Writer, scopes []store.Scope) (rows int, err error) {
	e.Withheld = make(Withheld)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // requests must stay as they were sent
	for _, scope := range scopes {
		samples, err := e.read(ctx, scope)
		if err != nil {
			return rows, fmt.Errorf("export %s: %w", scope, err)
		}
		for i := range samples {
			row, err := samples[i].row()
			if err != nil {
				return rows, fmt.Errorf("export %s: %w", scope, err)
			}
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
	var all []store.Response
	for r, err := range e.Store.Archive.All(ctx, scope) {
		if err != nil {
			return nil, fmt.Errorf("read the responses: %w", err)
		}
		all = append(all, r)
	}
	var samples []sample
	reuses := make(map[store.ResponseID]int)
	for i := range all {
		switch r := &all[i]; {
		case !r.IsAnswer():
		case r.Original() != r.ID:
			reuses[r.Original()]++
			e.Withheld[Reused]++
		case r.FinishReason != llm.FinishStop || strings.TrimSpace(r.Text) == "":
			e.Withheld[Partial]++
		case e.Consent.withholds(r) != "":
			e.Withheld[e.Consent.withholds(r)]++
		default:
			made, err := e.samplesOf(ctx, r)
			if err != nil {
				return nil, err
			}
			samples = append(samples, made...)
		}
	}
	slices.SortStableFunc(samples, func(a, b sample) int { // responses on the way to an answer precede it
		return cmp.Or(a.response.Created.Compare(b.response.Created), strings.Compare(a.response.ID.String(), b.response.ID.String()))
	})
	quoted, replaced := quotesOf(all, e.Consent), replacedBy(byQuestion(all))
	whole := len(samples)
	samples = slices.DeleteFunc(samples, func(s sample) bool { return quoted.unclear(&s.response) })
	e.Withheld[Quotes] += whole - len(samples)
	for i := range samples {
		at := &samples[i]
		if at.step == "" {
			older := replaced[at.response.ID]
			at.replaces, at.reuses = older.Original(), reuses[at.response.ID]
		}
	}
	return samples, e.addOpinions(ctx, scope, samples)
}

// addOpinions adds to answers the ratings by people who consent, and whether they are
// shown on Discord.
func (e *Exporter) addOpinions(ctx context.Context, scope store.Scope, samples []sample) error {
	ratings, err := e.Store.Ratings.Of(ctx, scope)
	if err != nil {
		return fmt.Errorf("read the ratings: %w", err)
	}
	for i := range samples {
		at := &samples[i]
		if at.step != "" {
			continue
		}
		given := slices.Clone(ratings[at.response.ID])
		all := len(given)
		given = slices.DeleteFunc(given, func(r store.Rating) bool { return !e.Consent[r.Person] })
		e.Withheld[Ratings] += all - len(given)
		at.tally = tallyOf(given)
		shown, err := e.Store.Archive.Shown(ctx, scope, []store.Response{at.response})
		if err != nil {
			return fmt.Errorf("read what is shown: %w", err)
		}
		at.shown = len(shown[0]) > 0
	}
	return nil
}

// tally counts the ratings of a response.
type tally struct {
	Good int `json:"good"`
	Bad  int `json:"bad"`
}

// tallyOf counts ratings, one of each person.
func tallyOf(ratings []store.Rating) (t tally) {
	for _, rating := range ratings {
		if rating.Good {
			t.Good++
		} else {
			t.Bad++
		}
	}
	return t
}

// quotes records from whose words heddle's own messages were made.
type quotes struct {
	consent Consent
	made    map[graph.MessageID][]*store.Response // by the messages that showed them
	covered map[graph.MessageID]bool
}

func quotesOf(all []store.Response, consent Consent) *quotes {
	q := &quotes{consent, make(map[graph.MessageID][]*store.Response), make(map[graph.MessageID]bool)}
	for i := range all {
		for _, reply := range all[i].Replies {
			q.made[reply.ID] = append(q.made[reply.ID], &all[i])
		}
	}
	return q
}

// unclear reports whether a request contains a message of heddle's that may quote
// somebody who did not consent, because it was made from their words or because its
// sources are no longer known.
func (q *quotes) unclear(r *store.Response) bool {
	return slices.ContainsFunc(r.Sources, func(source store.SourceRef) bool {
		return source.Author == r.Self && r.Self != 0 && source.Message != 0 && !q.covers(source.Message)
	})
}

// covers reports whether everybody consents from whose words a message of heddle's was
// made, directly or by way of heddle's earlier messages.
func (q *quotes) covers(message graph.MessageID) bool {
	if covered, known := q.covered[message]; known {
		return covered
	}
	q.covered[message] = true // assumed during the recursion, because an answer cannot be made from itself
	all := q.made[message]
	covered := len(all) > 0 && !slices.ContainsFunc(all, func(r *store.Response) bool {
		return r.Gone() || q.consent.withholds(r) != "" || q.unclear(r)
	})
	q.covered[message] = covered
	return covered
}

// Withheld counts what is not exported, by the first reason that applies.
type Withheld map[reason]int

// reason is why something is not exported, as a clause about it.
type reason string

// The reasons.
const (
	Private  reason = "without the consent of everybody whose words they were made from"
	Forwards reason = "with a forwarded message whose author is not known"
	Outside  reason = "with what a tool server sent"
	Quotes   reason = "with an answer that may quote somebody without consent"
	Changed  reason = "whose request cannot be made again as it was sent"
	Partial  reason = "not whole"               // interrupted, refused or empty
	Reused   reason = "left out as given again" // no new sample
	Ratings  reason = "left out of the ratings, for want of consent"
)

// String returns in sentences what was withheld, and why.
func (w Withheld) String() string {
	text := "Nothing was withheld."
	if withheld := w.counted(Private, Forwards, Outside, Quotes, Changed, Partial); withheld != "" {
		text = "Withheld: " + withheld + "."
	}
	if beside := w.counted(Reused, Ratings); beside != "" {
		text += "\n" + beside + "."
	}
	return text
}

// counted lists what there is any of, one a line.
func (w Withheld) counted(reasons ...reason) string {
	var there []string
	for _, why := range reasons {
		if w[why] > 0 {
			there = append(there, fmt.Sprintf("%d %s", w[why], why))
		}
	}
	return strings.Join(there, ",\n  ")
}
