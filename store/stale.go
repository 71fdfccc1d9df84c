package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heddle/graph"
)

// Stale lists heddle's messages on Discord that need an update after answers were
// erased.
type Stale struct {
	Counts  []Place // first messages of answers that now have fewer alternatives than their buttons say
	Buttons []Place // messages whose buttons no longer work
}

// Place is a message of heddle's.
type Place struct {
	Scope   Scope
	Channel graph.ChannelID
	Message graph.MessageID
}

// erased collects what a deletion erased.
type erased struct{ answers []erasedAnswer }

type erasedAnswer struct {
	Standing

	places []graph.MessageID // the messages for which Show chose it
}

// add notes an erased response. A nil erased notes nothing.
func (e *erased) add(r *Response, places []graph.MessageID) {
	if e != nil && !r.IsSummary() {
		e.answers = append(e.answers, erasedAnswer{r.Standing, places})
	}
}

// stale returns the messages that need an update after a deletion.
func (w viewer) stale(ctx context.Context, d deletion) (Stale, error) {
	var stale Stale
	for i := range d.erased.answers {
		if err := w.staleAfter(ctx, d, &d.erased.answers[i], &stale); err != nil {
			return Stale{}, err
		}
	}
	for _, places := range []*[]Place{&stale.Counts, &stale.Buttons} {
		slices.SortFunc(*places, func(a, b Place) int { return cmp.Compare(a.Message, b.Message) })
		*places = slices.Compact(*places)
	}
	return stale, nil
}

// staleAfter adds to stale what the erasure of one answer requires: the other answers
// to its question show a wrong number of alternatives, and buttons below the remaining
// messages of the answer no longer work.
func (w viewer) staleAfter(ctx context.Context, d deletion, gone *erasedAnswer, stale *Stale) error {
	members, err := w.base.members(ctx, gone.Scope, Query{Set: askedName(gone.Trigger)})
	if err != nil {
		return fmt.Errorf("find the other answers to a question: %w", err)
	}
	parts := slices.Sorted(slices.Values(slices.Concat(sentAs(gone.Replies), gone.places)))
	own := slices.ContainsFunc(parts, func(part graph.MessageID) bool { return slices.Contains(d.parts, part) })
	beside := slices.DeleteFunc(w.base.records(ctx, gone.Scope, members[0]), func(r Response) bool { return r.Generation != gone.Generation })
	if len(parts) == 0 || len(beside) == 0 && !own {
		return nil
	}
	all := slices.Clone(parts)
	names := make([]Member, len(beside))
	for i := range beside {
		names[i].Name = recordName(beside[i].ID)
		all = append(all, sentAs(beside[i].Replies)...)
	}
	shown, err := w.base.places(ctx, gone.Scope, [][]Member{names})
	if err != nil {
		return err
	}
	for _, places := range shown {
		all = append(all, places...)
	}
	slices.Sort(all)
	views, err := w.views(ctx, gone.Scope, slices.Compact(all))
	if err != nil {
		return err
	}
	at := func(message graph.MessageID) Place { return Place{gone.Scope, gone.Channel, message} }
	for message, v := range views {
		if v.stands() && !slices.Contains(d.parts, message) {
			stale.Counts = append(stale.Counts, at(slices.Min(append(v.parts, message))))
		}
	}
	stands := views[parts[0]].parts // as far as is known
	for _, part := range slices.Backward(parts) {
		left := views[part].left || len(stands) > 0 && !slices.Contains(stands, part)
		if left || views[part].record != "" || slices.Contains(d.gone, part) {
			continue
		}
		stale.Buttons = append(stale.Buttons, at(part))
		break
	}
	return nil
}
