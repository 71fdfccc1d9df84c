package documented

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// kind looks at a value, and returns what of it is not documented. at is the value's place
// in the body. Discord documents null for some fields only, so no other kind allows it.
type kind func(at string, value any) []string

// text is a string of any length: also a snowflake, a permission set or a timestamp.
func text(at string, value any) []string {
	if _, ok := value.(string); !ok {
		return wrong(at, value, "a string")
	}
	return nil
}

// upTo is a string of at most some characters.
func upTo(most int) kind {
	return func(at string, value any) []string {
		if s, ok := value.(string); !ok || utf8.RuneCountInString(s) > most {
			return wrong(at, value, fmt.Sprintf("a string of at most %d characters", most))
		}
		return nil
	}
}

// named is a string of 1 to some characters.
func named(most int) kind {
	return func(at string, value any) []string {
		if value == "" {
			return wrong(at, value, "a string that is not empty")
		}
		return upTo(most)(at, value)
	}
}

func integer(at string, value any) []string {
	n, _ := value.(json.Number)
	if _, err := n.Int64(); err != nil {
		return wrong(at, value, "an integer")
	}
	return nil
}

func number(at string, value any) []string {
	if _, ok := value.(json.Number); !ok {
		return wrong(at, value, "a number")
	}
	return nil
}

func truth(at string, value any) []string {
	if _, ok := value.(bool); !ok {
		return wrong(at, value, "a boolean")
	}
	return nil
}

// either is a value of one of several kinds.
func either(kinds ...kind) kind {
	return func(at string, value any) (faults []string) {
		for _, k := range kinds {
			if faults = k(at, value); len(faults) == 0 {
				return nil
			}
		}
		return faults
	}
}

// nullable is a value that may be null.
func nullable(k kind) kind {
	return func(at string, value any) []string {
		if value == nil {
			return nil
		}
		return k(at, value)
	}
}

// list is an array of at most some items.
func list(most int, of kind) kind {
	return func(at string, value any) (faults []string) {
		items, ok := value.([]any)
		if !ok || len(items) > most {
			return wrong(at, value, fmt.Sprintf("an array of at most %d", most))
		}
		for i, item := range items {
			faults = append(faults, of(fmt.Sprintf("%s[%d]", at, i), item)...)
		}
		return faults
	}
}

// translations is an object of texts by Discord's locales.
func translations(of kind) kind {
	return func(at string, value any) (faults []string) {
		all, ok := value.(map[string]any)
		if !ok {
			return wrong(at, value, "an object")
		}
		for _, locale := range slices.Sorted(maps.Keys(all)) {
			if !slices.Contains(locales(), locale) {
				faults = append(faults, at+"."+locale+" is none of Discord's locales")
			}
			faults = append(faults, of(at+"."+locale, all[locale])...)
		}
		return faults
	}
}

// locales are Discord's locales (reference, "Locales").
func locales() []string {
	return []string{
		"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro",
		"fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
	}
}

// fields are the documented fields of an object.
type fields map[string]kind

// object is an object with these fields and no others.
func (f fields) object(at string, value any) (faults []string) {
	all, ok := value.(map[string]any)
	if !ok {
		return wrong(at, value, "an object")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if known := f[name]; known != nil {
			faults = append(faults, known(at+"."+name, all[name])...)
		} else {
			faults = append(faults, at+"."+name+" is not documented")
		}
	}
	return faults
}

// byType is an object whose field "type" says which fields it has.
func byType(types map[string]fields) kind {
	return func(at string, value any) []string {
		all, _ := value.(map[string]any)
		name, _ := all["type"].(json.Number)
		known := types[name.String()]
		if known == nil {
			return []string{fmt.Sprintf("%s has the type %q, which is none of heddle's", at, name)}
		}
		return known.object(at, value)
	}
}

func wrong(at string, value any, want string) []string {
	return []string{fmt.Sprintf("%s is %T %.40v, want %s", at, value, value, want)}
}
