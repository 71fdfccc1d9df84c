package discord

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// The functions below split JSON that encoding/json has found valid, one level at a
// time. They use gjson, which only looks for the ends of nested values. encoding/json
// would validate them again at each level.

// field is a member of an object.
type field struct {
	name []byte // unquoted
	raw  json.RawMessage
}

// fieldsOf returns the members of an object in order, or nil if valid is not an object.
// They share memory with valid.
func fieldsOf(valid []byte) object {
	whole := gjson.ParseBytes(valid)
	if !whole.IsObject() {
		return nil
	}
	const usual = 24 // about the number of fields of a message
	fields := make(object, 0, min(usual, len(valid)/4))
	whole.ForEach(func(name, value gjson.Result) bool {
		fields = append(fields, field{unquoted(within(valid, name)), within(valid, value)})
		return true
	})
	return fields
}

// elementsOf returns the elements of a list, or nil if valid is not a list. They share
// memory with valid.
func elementsOf(valid []byte) []json.RawMessage {
	whole := gjson.ParseBytes(valid)
	if !whole.IsArray() {
		return nil
	}
	elements := []json.RawMessage{}
	whole.ForEach(func(_, value gjson.Result) bool {
		elements = append(elements, within(valid, value))
		return true
	})
	return elements
}

// within returns part as a slice of valid.
func within(valid []byte, part gjson.Result) []byte {
	end := part.Index + len(part.Raw)
	return valid[part.Index:end:end]
}

// unquoted returns the value of a quoted string, in valid UTF-8.
func unquoted(quoted []byte) []byte {
	plain := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return nil // never: it is valid
	}
	return []byte(s)
}
