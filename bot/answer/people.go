package answer

import (
	"context"
	"slices"

	"heddle/graph"
	"heddle/store"
)

// People knows who opted out; gate.People does.
type People interface {
	// Refresh brings the list up to date. After an error what was known before holds.
	Refresh(ctx context.Context) error
	// Known reports whether the list was ever read.
	Known() bool
	// OptedOut reports whether nothing that a person writes may be used.
	OptedOut(person graph.UserID) bool
}

// everybodyIn is People of whom nobody opts out.
type everybodyIn struct{}

func (everybodyIn) Refresh(context.Context) error { return nil }
func (everybodyIn) Known() bool                   { return true }
func (everybodyIn) OptedOut(graph.UserID) bool    { return false }

// anyOut reports whether one of the people opted out whose words something was made from.
func anyOut(people People, sources []store.SourceRef) bool {
	return slices.ContainsFunc(sources, func(s store.SourceRef) bool { return people.OptedOut(s.Author) })
}
