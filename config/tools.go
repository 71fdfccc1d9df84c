package config

import (
	"errors"
	"slices"
	"strings"
)

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
	return strings.FieldsFunc(string(t), func(r rune) bool { return r == ',' || r == ' ' })
}

// Vision is a choice of whether the model is shown pictures.
type Vision string

// The kinds of Vision.
const (
	VisionAuto Vision = "auto" // if the model is known or found to understand them
	VisionOn   Vision = "on"
	VisionOff  Vision = "off"
)

// UnmarshalText reads auto, on and off.
func (v *Vision) UnmarshalText(text []byte) error {
	switch Vision(text) {
	case VisionAuto, VisionOn, VisionOff:
		*v = Vision(text)
		return nil
	}
	return errors.New("is neither auto nor on nor off")
}
