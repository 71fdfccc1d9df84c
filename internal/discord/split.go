package discord

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The functions below take JSON apart that encoding/json has found valid, once for all
// levels: encoding/json reads and copies what is nested again at each level.

// field is a member of an object.
type field struct {
	name []byte // unquoted
	raw  json.RawMessage
}

// fieldsOf returns the members of an object in order, or nil if valid holds something
// else. They share its memory.
func fieldsOf(valid []byte) object {
	at := pastSpace(valid, 0)
	if at == len(valid) || valid[at] != '{' {
		return nil
	}
	const usual = 24 // fields of a message
	fields := make(object, 0, min(usual, len(valid)/4))
	for at = pastSpace(valid, at+1); valid[at] != '}'; at = pastSpace(valid, at) {
		if valid[at] == ',' {
			at++
			continue
		}
		end := stringEnd(valid, at)
		name := unquoted(valid[at:end])
		colon := pastSpace(valid, end)
		at = pastSpace(valid, colon+1)
		end = valueEnd(valid, at)
		fields = append(fields, field{name, valid[at:end:end]})
		at = end
	}
	return fields
}

// elementsOf returns the elements of a list, or nil if valid holds something else. They
// share its memory.
func elementsOf(valid []byte) []json.RawMessage {
	at := pastSpace(valid, 0)
	if at == len(valid) || valid[at] != '[' {
		return nil
	}
	elements := []json.RawMessage{}
	for at = pastSpace(valid, at+1); valid[at] != ']'; at = pastSpace(valid, at) {
		if valid[at] == ',' {
			at++
			continue
		}
		end := valueEnd(valid, at)
		elements = append(elements, valid[at:end:end])
		at = end
	}
	return elements
}

// pastSpace returns where the first character from at on stands that is no white space.
func pastSpace(valid []byte, at int) int {
	for at < len(valid) && (valid[at] == ' ' || valid[at] == '\n' || valid[at] == '\r' || valid[at] == '\t') {
		at++
	}
	return at
}

// stringEnd returns where the string ends whose opening quote stands at at.
func stringEnd(valid []byte, at int) int {
	for at++; valid[at] != '"'; at++ {
		if valid[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// valueEnd returns where the value ends that begins at at.
func valueEnd(valid []byte, at int) int {
	switch valid[at] {
	case '"':
		return stringEnd(valid, at)
	case '{', '[':
		return nestedEnd(valid, at)
	}
	if end := bytes.IndexAny(valid[at:], ",]} \n\r\t"); end >= 0 {
		return at + end
	}
	return len(valid)
}

// nestedEnd returns where the object or the list ends that begins at at.
func nestedEnd(valid []byte, at int) int {
	for depth := 0; ; at++ {
		switch valid[at] {
		case '"':
			at = stringEnd(valid, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
}

// unquoted returns what a quoted string says, in valid UTF-8.
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
