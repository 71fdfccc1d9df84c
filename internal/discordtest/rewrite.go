package discordtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// The functions below change the JSON that the server sends, to imitate servers that only
// resemble Discord. They suit Fault.Rewrite, and Event.Data in an interceptor.

// Rewritten returns a function that calls change with every object in a JSON document,
// from the inside out and in the order of their names, and returns the document with the
// changed objects. Numbers are json.Number.
func Rewritten(change func(object map[string]any)) func([]byte) []byte {
	return func(document []byte) []byte {
		return rewrite(document, func(v any) any {
			if object, ok := v.(map[string]any); ok {
				change(object)
			}
			return v
		})
	}
}

// NumbersAsStrings turns every number in a JSON document into a string, as some
// servers that imitate Discord do.
func NumbersAsStrings(document []byte) []byte {
	return rewrite(document, func(v any) any {
		if n, ok := v.(json.Number); ok {
			return n.String()
		}
		return v
	})
}

// rewrite replaces every value in a JSON document by what f returns for it, from the
// inside out. It returns anything else unchanged.
func rewrite(data []byte, f func(any) any) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return data
	}
	return mustJSON(rewriteValue(v, f))
}

// rewriteValue replaces a value by what f returns for it, after the values inside it.
func rewriteValue(v any, f func(any) any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = rewriteValue(v[i], f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = rewriteValue(v[name], f)
		}
	}
	return f(v)
}
