package conversation

import (
	"context"

	"heddle/graph"
)

// People knows who opted out; gate.People does.
type People interface {
	// Refresh updates the list. After an error, the previous list remains in force.
	Refresh(ctx context.Context) error
	// Known reports whether the list has been read.
	Known() bool
	// OptedOut reports whether a person has opted out, so that nothing they write may
	// be used.
	OptedOut(person graph.UserID) bool
}

// Everybody is a People of whom nobody opts out.
type Everybody struct{}

// Refresh does nothing.
func (Everybody) Refresh(context.Context) error { return nil }

// Known returns true.
func (Everybody) Known() bool { return true }

// OptedOut returns false.
func (Everybody) OptedOut(graph.UserID) bool { return false }
