package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// decode reads the arguments of a call. If one does not fit, it returns a RefusalError
// that names it.
func decode(arguments []byte, into any) error {
	err := json.Unmarshal(arguments, into)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return RefusalError(fmt.Sprintf("the argument %q is a %s, which it must not be.", wrong.Field, wrong.Value))
	}
	return RefusalError("the arguments could not be read.")
}

// schema returns the JSON schema of an object with these properties.
func schema(properties ...property) string {
	object := struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required,omitempty"`
		Additional bool                       `json:"additionalProperties"`
	}{Type: "object", Properties: make(map[string]json.RawMessage)}
	for _, p := range properties {
		object.Properties[p.name] = p.encode()
		if p.required {
			object.Required = append(object.Required, p.name)
		}
	}
	return encoded(object)
}

// property describes an argument, which is a string.
type property struct {
	name, about string
	required    bool
}

func (p property) encode() json.RawMessage {
	return json.RawMessage(encoded(struct {
		Type  string `json:"type"`
		About string `json:"description"`
	}{"string", p.about}))
}

// encoded returns value as JSON. value is made of strings, so that encoding cannot fail.
func encoded(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
