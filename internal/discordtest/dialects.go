package discordtest

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// The functions below return changes for Payloads.Change.

// isMessage reports whether a JSON object is a message.
func isMessage(object map[string]any) bool {
	_, hasAuthor := object["author"].(map[string]any)
	return hasAuthor && object["channel_id"] != nil && object["type"] != nil
}

// PlainReplies makes a reply a message of type 0 with a reference, and leaves the
// message that it replies to out.
func PlainReplies() func(map[string]any) {
	return func(object map[string]any) {
		if isMessage(object) && object["type"] == json.Number("19") {
			object["type"] = TypeDefault
			delete(object, "referenced_message")
		}
	}
}

// WithoutMentions leaves the lists of mentions out of messages. Their text still
// mentions.
func WithoutMentions() func(map[string]any) {
	return func(object map[string]any) {
		if isMessage(object) {
			delete(object, "mentions")
			delete(object, "mention_roles")
		}
	}
}

// NullNames sets the username of every message's author to null.
func NullNames() func(map[string]any) {
	return func(object map[string]any) {
		if isMessage(object) {
			object["author"].(map[string]any)["username"] = nil
		}
	}
}

// Null sets fields to null in every object that has them.
func Null(fields ...string) func(map[string]any) {
	return func(object map[string]any) {
		for _, name := range fields {
			if _, has := object[name]; has {
				object[name] = nil
			}
		}
	}
}

// Mangled damages about one in every objects at random: it removes one field or sets it
// to a value of another type. The same seed does the same damage to the same objects.
func Mangled(seed uint64, every int) func(map[string]any) {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // to be repeated, not to be secret
	wrong := []any{nil, true, -1, 1e300, "", "\x00", []any{}, []any{nil}, map[string]any{}}
	return func(object map[string]any) {
		if len(object) == 0 || random.IntN(max(every, 1)) != 0 {
			return
		}
		names := slices.Sorted(maps.Keys(object))
		name := names[random.IntN(len(names))]
		if i := random.IntN(len(wrong) + 1); i < len(wrong) {
			object[name] = wrong[i]
		} else {
			delete(object, name)
		}
	}
}
