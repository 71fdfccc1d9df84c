package discord

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxDepth bounds how deeply components and referenced messages may nest.
const maxDepth = 16

// decode reads JSON into a T, by the tags of its fields: `wire:"member/roles"` is
// the field "roles" of the object "member". A field that is missing or of an unexpected
// type is left zero, so that it does not affect the others: servers that imitate Discord
// send numbers as strings and strings as numbers.
func decode[T any](raw json.RawMessage) (decoded T) { //nolint:ireturn // T is a struct
	set(fieldOf(&decoded), raw, 0)
	return decoded
}

// fieldOf returns what v points at, to be set.
func fieldOf(v any) reflect.Value { return reflect.ValueOf(v).Elem() }

// completer is a type of which more is to be read than its tags say.
type completer interface {
	complete(o object, depth int)
}

// set sets v to what raw holds, as far as it fits. depth is how many structs v is
// nested in.
func set(v reflect.Value, raw json.RawMessage, depth int) {
	if at, isTime := reflect.TypeAssert[*time.Time](v.Addr()); isTime {
		*at = momentOf(raw)
		return
	}
	switch v.Kind() { //nolint:exhaustive // no type here has fields of other kinds
	case reflect.String:
		v.SetString(textOf(raw))
	case reflect.Bool:
		v.SetBool(isTrue(raw))
	case reflect.Int, reflect.Int64:
		v.SetInt(integerOf(raw))
	case reflect.Uint64:
		v.SetUint(bitsOf(raw))
	case reflect.Float64:
		v.SetFloat(floatOf(raw))
	case reflect.Slice:
		setItems(v, raw, depth)
	case reflect.Pointer:
		if o := parseObject(raw); o != nil && depth < maxDepth {
			v.Set(reflect.New(v.Type().Elem()))
			setFields(v.Elem(), o, depth+1)
		}
	case reflect.Struct:
		if o := parseObject(raw); o != nil {
			setFields(v, o, depth)
		}
	}
}

// setFields sets the fields of a new struct that have a tag.
func setFields(v reflect.Value, o object, depth int) {
	for _, tagged := range tagsOf(v.Type()) {
		if raw := o.field(tagged.path); raw != nil {
			set(v.Field(tagged.field), raw, depth)
		}
	}
	if c, ok := reflect.TypeAssert[completer](v.Addr()); ok {
		c.complete(o, depth)
	}
}

// tag is where a field of a struct is read from.
type tag struct {
	field int
	path  string
}

// tags remembers the tags of each type of struct. To look for them takes longer than to read
// what they name.
var tags sync.Map //nolint:gochecknoglobals // it holds what the types say, as encoding/json's does

func tagsOf(t reflect.Type) (found []tag) {
	if known, ok := tags.Load(t); ok {
		found, _ = known.([]tag)
		return found
	}
	for i := range t.NumField() {
		if path := t.Field(i).Tag.Get("wire"); path != "" {
			found = append(found, tag{i, path})
		}
	}
	tags.Store(t, found)
	return found
}

// setItems sets a slice to those items of a list that are objects or ids, and hold
// anything.
func setItems(v reflect.Value, raw json.RawMessage, depth int) {
	if depth >= maxDepth {
		return
	}
	of := v.Type().Elem()
	for _, raw := range itemsOf(raw) {
		item := reflect.New(of).Elem()
		if of.Kind() != reflect.Struct {
			set(item, raw, depth)
		} else if o := parseObject(raw); o != nil {
			setFields(item, o, depth+1)
		}
		if !item.IsZero() {
			v.Set(reflect.Append(v, item))
		}
	}
}

// object is a JSON object. Its methods may be called on nil.
type object map[string]json.RawMessage

// parseObject returns the object that raw holds, or nil if it holds something else.
func parseObject(raw json.RawMessage) (o object) {
	each(raw, '{', func() { o = make(object) }, func(name, value json.RawMessage) { o[textOf(name)] = value })
	return o
}

// itemsOf returns the elements of a list; nil for anything else.
func itemsOf(raw json.RawMessage) (items []json.RawMessage) {
	each(raw, '[', func() { items = []json.RawMessage{} }, func(_, value json.RawMessage) { items = append(items, value) })
	return items
}

// each calls begin, and then item with each value in an object or list, if raw holds one:
// open is { or [. The values of a list have no names. encoding/json would take five times as
// long, as it copies every value.
func each(raw json.RawMessage, open byte, begin func(), item func(name, value json.RawMessage)) {
	rest := skipSpace(raw)
	if len(rest) == 0 || rest[0] != open || !json.Valid(raw) {
		return
	}
	begin()
	for rest = skipSpace(rest[1:]); rest[0] != '}' && rest[0] != ']'; {
		var name, value json.RawMessage
		if open == '{' {
			name, rest = cutValue(rest)
			rest = skipSpace(rest[1:]) // the colon
		}
		value, rest = cutValue(rest)
		item(name, value)
		if rest[0] == ',' {
			rest = skipSpace(rest[1:])
		}
	}
}

// cutValue returns the value that valid JSON begins with, and what follows it and space.
func cutValue(b json.RawMessage) (value, rest json.RawMessage) {
	depth, end := 0, 0
	for end < len(b) {
		switch c := b[end]; {
		case c == '"':
			for end++; b[end] != '"'; end++ {
				if b[end] == '\\' {
					end++
				}
			}
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']') && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(",:}] \t\r\n", c) >= 0:
			return b[:end:end], skipSpace(b[end:])
		}
		end++
	}
	return b, nil
}

// skipSpace skips what may stand between the values of valid JSON.
func skipSpace(b json.RawMessage) json.RawMessage {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

// field returns the value at a path of names with slashes between them, or nil.
func (o object) field(path string) json.RawMessage {
	name, rest, nested := strings.Cut(path, "/")
	if !nested {
		return o[name]
	}
	return parseObject(o[name]).field(rest)
}

// given reports whether the field is present and not null.
func (o object) given(path string) bool {
	raw := o.field(path)
	return raw != nil && string(raw) != "null"
}

// textOf returns a string, which is valid UTF-8, or the digits of a number.
func textOf(raw json.RawMessage) (text string) {
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null":
		return ""
	case raw[0] != '"':
		return string(raw)
	case isPlain(raw[1:]):
		return string(raw[1 : len(raw)-1])
	case json.Unmarshal(raw, &text) != nil:
		return ""
	}
	return text
}

// isPlain reports whether a string, without its first quote, reads as it stands there.
func isPlain(rest json.RawMessage) bool {
	end := bytes.IndexByte(rest, '"')
	return end == len(rest)-1 && bytes.IndexByte(rest, '\\') < 0 && utf8.Valid(rest) &&
		!slices.ContainsFunc(rest, func(c byte) bool { return c < ' ' })
}

// integerOf returns a whole number, quoted or not. It cuts off fractions.
func integerOf(raw json.RawMessage) int64 {
	if n, err := strconv.ParseInt(strings.TrimSpace(textOf(raw)), 10, 64); err == nil {
		return n
	}
	if f := floatOf(raw); math.Abs(f) <= 1<<53 {
		return int64(f)
	}
	return 0
}

// floatOf returns a number, quoted or not, or 0 for anything else.
func floatOf(raw json.RawMessage) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(textOf(raw)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// bitsOf returns a set of flags or an id, which may not fit a signed number.
func bitsOf(raw json.RawMessage) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(textOf(raw)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// isTrue reports whether raw is true, "true", 1 or "1".
func isTrue(raw json.RawMessage) bool {
	text := textOf(raw)
	return text == "true" || text == "1"
}

// momentOf returns a time as Discord writes it, or the zero time.
func momentOf(raw json.RawMessage) time.Time {
	text := textOf(raw)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
