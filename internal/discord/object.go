package discord

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxDepth bounds how deeply components and referenced messages may nest.
const maxDepth = 16

// object is a JSON object that is read field by field. A field of an unexpected type
// reads as absent, so that one odd field never costs the others.
type object map[string]json.RawMessage

// parseObject returns the object that raw holds, or nil if it holds something else.
func parseObject(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// given reports whether the field is present and not null.
func (o object) given(name string) bool {
	raw, ok := o[name]
	return ok && string(raw) != "null"
}

// isNull reports whether the field is present and null.
func (o object) isNull(name string) bool { return string(o[name]) == "null" }

// text returns a string, which is valid UTF-8, or the digits of a number.
func (o object) text(name string) string {
	raw := o[name]
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return string(raw)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
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

// bits returns a set of flags or an id, which may be wider than a signed number.
func (o object) bits(name string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(o.text(name)), 10, 64)
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
func (o object) object(name string) object {
	if !o.given(name) {
		return nil
	}
	return parseObject(o[name])
}

// items returns the elements of a list, or nil.
func (o object) items(name string) []json.RawMessage {
	if !o.given(name) {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(o[name], &items) != nil {
		return nil
	}
	return items
}

// objects returns the objects of a list and skips its other elements.
func (o object) objects(name string) []object {
	items := o.items(name)
	if len(items) == 0 {
		return nil
	}
	objects := make([]object, 0, len(items))
	for _, raw := range items {
		if item := parseObject(raw); item != nil {
			objects = append(objects, item)
		}
	}
	return objects
}

// idsOf returns the ids of a list and skips its other elements.
func idsOf[ID ~uint64](o object, name string) []ID {
	var ids []ID
	for _, raw := range o.items(name) {
		if id := ID((object{"": raw}).bits("")); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// eachOf returns the objects of a list, decoded.
func eachOf[T any](o object, name string, decode func(object) T) []T {
	objects := o.objects(name)
	if len(objects) == 0 {
		return nil
	}
	decoded := make([]T, len(objects))
	for i, item := range objects {
		decoded[i] = decode(item)
	}
	return decoded
}
