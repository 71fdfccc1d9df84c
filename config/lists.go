package config

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// listed returns the entries of a list, which has commas or spaces between them.
func listed[T ~string](list T) []string {
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == ',' || r == ' ' })
}

// IDs is a list of Discord ids with commas between them.
type IDs string

// UnmarshalText reads a list of ids.
func (ids *IDs) UnmarshalText(text []byte) error {
	*ids = IDs(text)
	for _, part := range listed(*ids) {
		if id, err := strconv.ParseUint(part, 10, 64); err != nil || id == 0 {
			return errors.New("is not a list of ids with commas between")
		}
	}
	return nil
}

// All returns the ids.
func (ids IDs) All() []uint64 {
	var all []uint64
	for _, part := range listed(ids) {
		if id, err := strconv.ParseUint(part, 10, 64); err == nil { // UnmarshalText has checked them
			all = append(all, id)
		}
	}
	return all
}

// Hosts is a list of hosts, with ports or without, with commas between them.
type Hosts string

// UnmarshalText reads a list of hosts.
func (h *Hosts) UnmarshalText(text []byte) error {
	*h = Hosts(text)
	for _, host := range h.All() {
		at, err := url.Parse("https://" + host)
		if err != nil || at.Host != host || at.Hostname() == "" {
			return errors.New("is not a list of hosts with commas between")
		}
	}
	return nil
}

// All returns the hosts.
func (h Hosts) All() []string {
	return listed(h)
}

// Names is a list of names with commas between.
type Names string

// UnmarshalText reads a list of names.
func (n *Names) UnmarshalText(text []byte) error {
	*n = Names(text)
	for _, name := range n.All() {
		if len(name) > 100 { // Discord takes no longer choice
			return errors.New("is not a list of names with commas between")
		}
	}
	return nil
}

// All returns the names.
func (n Names) All() []string {
	return listed(n)
}

// Tools is the list of tools that the model may call, or off.
type Tools string

// toolNames returns the names of all tools.
func toolNames() []string { return []string{"create_artifact", "search_channel", "ask_subagent"} }

// UnmarshalText reads a list of tools, or off for none.
func (t *Tools) UnmarshalText(text []byte) error {
	*t = Tools(text)
	if string(text) == "off" {
		return nil
	}
	names := t.Names()
	if len(names) == 0 {
		return errors.New("names no tool; use off for none")
	}
	for i, name := range names {
		if !slices.Contains(toolNames(), name) || slices.Contains(names[:i], name) {
			return errors.New("is not a list of tools")
		}
	}
	return nil
}

// Names returns the names of the tools, none for off.
func (t Tools) Names() []string {
	if t == "off" {
		return nil
	}
	return listed(t)
}

// Choices is a list of what admins may change on Discord, or off.
type Choices string

// What admins may change.
const (
	ChoiceContext = "context" // which messages are chosen
	ChoiceModel   = "model"
	ChoicePersona = "persona"
)

func choiceNames() []string { return []string{ChoiceContext, ChoiceModel, ChoicePersona} }

// UnmarshalText reads a list of choices, or off for none.
func (c *Choices) UnmarshalText(text []byte) error {
	*c = Choices(text)
	if string(text) == "off" {
		return nil
	}
	names := Names(text).All()
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(choiceNames(), name) }) {
		return errors.New("is not a list of what admins may change")
	}
	return nil
}

// Has reports whether a choice is among them.
func (c Choices) Has(choice string) bool { return slices.Contains(Names(c).All(), choice) }
