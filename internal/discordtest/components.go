package discordtest

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// The types of components that this server reads.
const (
	componentRow    = 1
	componentButton = 2
	componentSelect = 3 // the first of the select menus, which are 3 and 5 to 8
)

// Discord's limits on components (components reference): counts, and characters of a
// text.
const (
	maxRows     = 5 // of a message
	maxButtons  = 5 // of a row
	maxCustomID = 100
	maxLabel    = 80
	maxAddress  = 512
)

// Styles of buttons.
const (
	StylePrimary   = 1
	StyleSecondary = 2
	StyleSuccess   = 3
	StyleDanger    = 4
	StyleLink      = 5 // opens an address without an interaction
	StylePremium   = 6
)

// Button is a button on a message.
type Button struct {
	Style    int          `json:"style"`
	Label    string       `json:"label"`
	Emoji    *ButtonEmoji `json:"emoji"`
	CustomID string       `json:"custom_id"` // empty on a link
	URL      string       `json:"url"`
	SKU      string       `json:"sku_id"`
	Disabled bool         `json:"disabled"`
}

// ButtonEmoji is an emoji on a button: the Name of one of Unicode's, or the ID of a
// guild's own.
type ButtonEmoji struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Buttons returns the buttons on m in the order in which people see them.
func (m *Message) Buttons() []Button {
	if m.More == nil {
		return nil
	}
	return buttonsIn(m.More.Components)
}

// component is any component, as far as this server reads it.
type component struct {
	Type       int             `json:"type"`
	Components json.RawMessage `json:"components"`
	Accessory  json.RawMessage `json:"accessory"`
	Button
}

// componentsIn returns the components of a list in JSON. What is no list has none.
func componentsIn(list json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil
	}
	return items
}

// buttonsIn returns all buttons in a tree of components.
func buttonsIn(list json.RawMessage) []Button {
	var found []Button
	for _, raw := range componentsIn(list) {
		var c component
		if json.Unmarshal(raw, &c) != nil {
			continue
		}
		if c.Type == componentButton {
			found = append(found, c.Button)
		}
		found = append(found, buttonsIn(c.Components)...)
		if len(c.Accessory) > 0 {
			found = append(found, buttonsIn(json.RawMessage("["+string(c.Accessory)+"]"))...)
		}
	}
	return found
}

// validateComponents checks a message's components. Of components V2 it checks only
// rows and buttons.
func validateComponents(list json.RawMessage, flags int) error {
	if isNull(list) {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return errForm("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
	}
	legacy := flags&FlagComponentsV2 == 0
	if legacy && len(items) > maxRows {
		return errForm("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	return (&componentCheck{taken: map[string]bool{}, legacy: legacy}).list(items, []string{"components"}, 0)
}

// componentCheck is one walk over a message's components.
type componentCheck struct {
	taken  map[string]bool // custom ids so far
	legacy bool
}

// list checks components at a depth, with those inside them.
func (k *componentCheck) list(items []json.RawMessage, path []string, depth int) error {
	for i, raw := range items {
		if err := k.one(raw, below(path, strconv.Itoa(i)), depth); err != nil {
			return err
		}
	}
	return nil
}

// one checks a component at a depth, with those inside it.
func (k *componentCheck) one(raw json.RawMessage, path []string, depth int) error {
	var c component
	if json.Unmarshal(raw, &c) != nil {
		return errFormAt(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
	}
	if k.legacy && depth == 0 && c.Type != componentRow {
		return errFormAt(below(path, "type"), "UNION_TYPE_CHOICES", `Value of field "type" must be one of (1,).`)
	}
	switch c.Type {
	case componentRow:
		return k.row(componentsIn(c.Components), below(path, "components"))
	case componentButton:
		return k.button(&c.Button, path)
	}
	if err := k.list(componentsIn(c.Components), below(path, "components"), depth+1); err != nil || len(c.Accessory) == 0 {
		return err
	}
	return k.one(c.Accessory, below(path, "accessory"), depth+1)
}

// row checks what stands in an action row.
func (k *componentCheck) row(items []json.RawMessage, path []string) error {
	if len(items) == 0 || len(items) > maxButtons {
		return errFormAt(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	for i, raw := range items {
		var c component
		_ = json.Unmarshal(raw, &c) // what does not decode has no type
		at := below(path, strconv.Itoa(i))
		switch {
		case c.Type < componentButton || c.Type > 8 || c.Type == 4:
			return errFormAt(below(at, "type"), "UNION_TYPE_CHOICES", `Value of field "type" must be one of (2, 3, 5, 6, 7, 8).`)
		case c.Type >= componentSelect && len(items) > 1:
			return errFormAt(at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
		case c.Type >= componentSelect:
			return k.customID(c.CustomID, below(at, "custom_id"))
		}
		if err := k.button(&c.Button, at); err != nil {
			return err
		}
	}
	return nil
}

// button checks a button.
func (k *componentCheck) button(b *Button, path []string) error {
	if b.Style < StylePrimary || b.Style > StylePremium {
		return errFormAt(below(path, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
	}
	if utf8.RuneCountInString(b.Label) > maxLabel {
		return errFormAt(below(path, "label"), "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length.")
	}
	if b.Emoji != nil && !b.Emoji.valid() {
		return errFormAt(below(path, "emoji", "name"), "BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	switch {
	case b.Style == StylePremium && b.SKU == "":
		return errFormAt(below(path, "sku_id"), "BASE_TYPE_REQUIRED", "This field is required")
	case b.Style == StylePremium:
		return nil
	case b.Label == "" && b.Emoji == nil:
		return errFormAt(below(path, "label"), "BUTTON_COMPONENT_LABEL_REQUIRED", "A label or emoji is required")
	case b.Style != StyleLink && b.URL != "", b.Style == StyleLink && b.CustomID != "":
		return errFormAt(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
	case b.Style != StyleLink:
		return k.customID(b.CustomID, below(path, "custom_id"))
	case b.URL == "" || utf8.RuneCountInString(b.URL) > maxAddress:
		return errFormAt(below(path, "url"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 512 in length.")
	}
	return nil
}

// customID checks an id. It may occur once in a message, disabled buttons included.
func (k *componentCheck) customID(id string, path []string) error {
	switch n := utf8.RuneCountInString(id); {
	case n == 0:
		return errFormAt(path, "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id is required")
	case n > maxCustomID:
		return errFormAt(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	case k.taken[id]:
		return errFormAt(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	k.taken[id] = true
	return nil
}

// valid reports whether e can be an emoji. Any id of a guild's own emoji is valid,
// because this server does not know them. Words and punctuation are not.
func (e *ButtonEmoji) valid() bool {
	if e.ID != "" {
		return idOf(e.ID) != 0
	}
	for _, r := range e.Name {
		if r >= 0xA9 { // ©, the lowest code point that is an emoji of its own
			return true
		}
	}
	return false
}

// below returns the path of a field inside another. The two share no memory.
func below(path []string, names ...string) []string {
	return append(append([]string{}, path...), names...)
}
