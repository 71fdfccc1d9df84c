package discordtest

import (
	"bytes"
	"encoding/json"
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

// NumbersAsStrings turns every number in a JSON document into a string, as some
// servers that imitate Discord do. It suits Fault.Rewrite, and Event.Data in an
// interceptor.
func NumbersAsStrings(body []byte) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return body
	}
	return mustJSON(numbersAsStrings(v))
}

func numbersAsStrings(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbersAsStrings(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbersAsStrings(v[name])
		}
	}
	return v
}
