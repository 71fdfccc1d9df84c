package discordtest

import (
	"slices"

	"heddle/graph"
)

// Doubled returns an interceptor that sends each event of the given names twice.
func Doubled(names ...string) func(Event) []Event {
	return func(e Event) []Event {
		if slices.Contains(names, e.Name) {
			return []Event{e, e}
		}
		return []Event{e}
	}
}

// Dropped returns an interceptor that loses events of the given names.
func Dropped(names ...string) func(Event) []Event {
	return func(e Event) []Event {
		if slices.Contains(names, e.Name) {
			return nil
		}
		return []Event{e}
	}
}

// Swapped returns an interceptor that swaps each pair of events of the given names.
// It keeps the first of a pair until the second comes.
func Swapped(names ...string) func(Event) []Event {
	kept := map[graph.UserID]*Event{}
	return func(e Event) []Event {
		if !slices.Contains(names, e.Name) {
			return []Event{e}
		}
		first := kept[e.Bot]
		if first == nil {
			kept[e.Bot] = &e
			return nil
		}
		delete(kept, e.Bot)
		return []Event{e, *first}
	}
}
