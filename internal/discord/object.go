package discord

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDepth bounds how deeply components and referenced messages may nest.
const maxDepth = 16

// object is a JSON object that is decoded field by field. A field of an unexpected type
// is treated as absent, so that it does not affect the others.
type object []field

// parseObject returns the object that raw holds, or nil if it holds something else.
func parseObject(raw json.RawMessage) object {
	if !json.Valid(raw) {
		return nil
	}
	return fieldsOf(raw)
}

// listOf returns the elements of a list, and none for null. It reports false for
// anything else.
func listOf(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	items = elementsOf(raw)
	return items, items != nil || string(bytes.TrimSpace(raw)) == "null"
}

// field returns the value of the field with a name, or nil. Of several it returns the
// last, as encoding/json does.
func (o object) field(name string) json.RawMessage {
	for i := range slices.Backward(o) {
		if string(o[i].name) == name {
			return o[i].raw
		}
	}
	return nil
}

// given reports whether the field is present and not null.
func (o object) given(name string) bool {
	raw := o.field(name)
	return raw != nil && string(raw) != "null"
}

// isNull reports whether the field is present and null.
func (o object) isNull(name string) bool { return string(o.field(name)) == "null" }

// text returns a string, which is valid UTF-8, or the digits of a number.
func (o object) text(name string) string { return textOf(o.field(name)) }

func textOf(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return string(raw)
	}
	return string(unquoted(raw))
}

// integer returns a whole number, quoted or not. It cuts off fractions.
func (o object) integer(name string) int64 {
	s := strings.TrimSpace(o.text(name))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1<<53 {
		return 0
	}
	return int64(f)
}

// float returns a number, quoted or not, or 0 if the field is none.
func (o object) float(name string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(o.text(name)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// bits returns a set of flags or an id, which may not fit a signed number.
func (o object) bits(name string) uint64 { return bitsOf(o.field(name)) }

func bitsOf(raw json.RawMessage) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(textOf(raw)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// boolean reports whether the field is true, "true", 1 or "1".
func (o object) boolean(name string) bool {
	switch o.text(name) {
	case "true", "1":
		return true
	}
	return false
}

// moment returns a time as Discord writes it, or the zero time.
func (o object) moment(name string) time.Time {
	s := o.text(name)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// object returns an object, or nil.
func (o object) object(name string) object { return fieldsOf(o.field(name)) }

// items returns the elements of a list, or nil.
func (o object) items(name string) []json.RawMessage { return elementsOf(o.field(name)) }

// objects returns the objects of a list and skips its other elements.
func (o object) objects(name string) []object { return objectsOf(o.items(name)) }

func objectsOf(items []json.RawMessage) []object {
	if len(items) == 0 {
		return nil
	}
	objects := make([]object, 0, len(items))
	for _, raw := range items {
		if item := fieldsOf(raw); item != nil {
			objects = append(objects, item)
		}
	}
	return objects
}

// idsOf returns the ids of a list and skips its other elements.
func idsOf[ID ~uint64](o object, name string) []ID {
	var ids []ID
	for _, raw := range o.items(name) {
		if id := ID(bitsOf(raw)); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// eachOf returns the objects of a list, decoded.
func eachOf[T any](o object, name string, decode func(object) T) []T {
	return allOf(o.items(name), decode)
}

// allOf returns the objects among the elements of a list, decoded.
func allOf[T any](items []json.RawMessage, decode func(object) T) []T {
	objects := objectsOf(items)
	if len(objects) == 0 {
		return nil
	}
	decoded := make([]T, len(objects))
	for i, item := range objects {
		decoded[i] = decode(item)
	}
	return decoded
}
