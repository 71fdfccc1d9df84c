package discordtest

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The types of components that this server reads.
const (
	componentRow    = 1
	componentButton = 2
	componentInput  = 4
)

// Button is a button on a message.
type Button struct {
	Label    string `json:"label"`
	CustomID string `json:"custom_id"` // empty on a link
	URL      string `json:"url"`
	Disabled bool   `json:"disabled"`
}

// Buttons returns the buttons in the rows of m in the order in which people see them.
func (m *Message) Buttons() []Button {
	var rows []struct {
		Components []struct {
			Type int `json:"type"`
			Button
		} `json:"components"`
	}
	_ = json.Unmarshal(m.Components, &rows) // anything else than rows has no buttons
	var all []Button
	for _, row := range rows {
		for _, c := range row.Components {
			if c.Type == componentButton {
				all = append(all, c.Button)
			}
		}
	}
	return all
}

// Modal is a form that an answer to an interaction opened.
type Modal struct {
	CustomID string  `json:"custom_id"`
	Title    string  `json:"title"`
	Inputs   []Input `json:"inputs"`
}

// Input is a field of a modal.
type Input struct {
	CustomID string `json:"custom_id"`
	Label    string `json:"label"`
	Value    string `json:"value"` // what it is filled with at first
	Required *bool  `json:"required"`
	Least    int    `json:"min_length"`
	Most     int    `json:"max_length"`
	Style    int    `json:"style"`
}

// readModal reads the data of an answer that opens a modal, which holds one input in each
// row.
func readModal(data json.RawMessage) (*Modal, error) {
	var wire struct {
		CustomID string `json:"custom_id"`
		Title    string `json:"title"`
		Rows     []struct {
			Components []Input `json:"components"`
		} `json:"components"`
	}
	if json.Unmarshal(data, &wire) != nil {
		return nil, errBadJSON()
	}
	m := &Modal{CustomID: wire.CustomID, Title: wire.Title}
	for _, row := range wire.Rows {
		m.Inputs = append(m.Inputs, row.Components...)
	}
	return m, nil
}

// Submit fills in the modal that answered an interaction and sends it, as the person
// who sees it. Inputs that are not named keep what they are filled with.
func (i *Interactions) Submit(id InteractionID, values map[string]string) (InteractionID, error) {
	w := i.world
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, from := range w.interactions {
		if from.ID != id || from.Modal == nil {
			continue
		}
		c := w.channels[from.Channel]
		in := w.newInteraction(from.bot, c, from.Who)
		in.Kind, in.CustomID, in.Message, in.installed = InteractionModal, from.Modal.CustomID, from.Message, from.installed
		rows, err := from.Modal.fill(values)
		if err != nil {
			return 0, err
		}
		in.data = object{"custom_id": in.CustomID, "components": rows}
		in.tell(c, in.find(c, in.Message))
		return in.ID, nil
	}
	return 0, fmt.Errorf("submit the modal of interaction %s: %w", id, ErrCommand)
}

// fill returns the rows of a submitted form. Inputs without a value keep the one that they
// came with. It fails for values that the form would not accept.
func (m *Modal) fill(values map[string]string) ([]any, error) {
	rows := make([]any, len(m.Inputs))
	for i, input := range m.Inputs {
		value, ok := values[input.CustomID]
		if !ok {
			value = input.Value
		}
		n := utf8.RuneCountInString(value)
		if n == 0 && (input.Required == nil || *input.Required) || n > 0 && n < input.Least || input.Most > 0 && n > input.Most {
			return nil, fmt.Errorf("fill %q with %d characters: %w", input.CustomID, n, ErrCommand)
		}
		rows[i] = object{"type": componentRow, "components": []any{
			object{"type": componentInput, "custom_id": input.CustomID, "value": value},
		}}
	}
	return rows, nil
}
