package discordtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"unicode/utf8"
)

const (
	componentInput = 4
	maxModalTitle  = 45
)

// Modal is a form that an answer to an interaction opened.
type Modal struct {
	CustomID string
	Title    string
	Inputs   []Input
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

// readModal reads the data of an answer that opens a modal.
func readModal(data json.RawMessage) (*Modal, error) {
	var wire struct {
		CustomID   string          `json:"custom_id"`
		Title      string          `json:"title"`
		Components json.RawMessage `json:"components"`
	}
	if json.Unmarshal(data, &wire) != nil {
		return nil, errBadJSON()
	}
	m := &Modal{CustomID: wire.CustomID, Title: wire.Title}
	switch n := utf8.RuneCountInString(m.Title); {
	case n == 0 || n > maxModalTitle:
		return nil, errFormAt([]string{"data", "title"}, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 45 in length.")
	case m.CustomID == "" || utf8.RuneCountInString(m.CustomID) > maxCustomID:
		return nil, errFormAt([]string{"data", "custom_id"}, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	}
	rows := componentsIn(wire.Components)
	if len(rows) == 0 || len(rows) > maxRows {
		return nil, errFormAt([]string{"data", "components"}, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	for i, raw := range rows {
		at := []string{"data", "components", strconv.Itoa(i)}
		var row struct {
			Type       int `json:"type"`
			Components []struct {
				Type int `json:"type"`
				Input
			} `json:"components"`
		}
		if json.Unmarshal(raw, &row) != nil || row.Type != componentRow || len(row.Components) != 1 || row.Components[0].Type != componentInput {
			return nil, errFormAt(below(at, "components"), "UNION_TYPE_CHOICES", `Value of field "type" must be one of (4,).`)
		}
		input := row.Components[0].Input
		if n := utf8.RuneCountInString(input.Label); n == 0 || n > maxModalTitle || input.CustomID == "" || input.Style < 1 || input.Style > 2 {
			return nil, errFormAt(below(at, "components", "0", "label"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 45 in length.")
		}
		m.Inputs = append(m.Inputs, input)
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
		in.data = map[string]any{"custom_id": in.CustomID, "components": rows}
		in.tell(c, in.find(c, in.Message))
		return in.ID, nil
	}
	return 0, fmt.Errorf("submit the modal of interaction %s: %w", id, ErrCommand)
}

// fill returns the rows of a submitted form. Inputs without a value keep the one that they
// came with. It fails for values that the form would not accept.
func (m *Modal) fill(values map[string]string) ([]any, error) {
	given := maps.Clone(values)
	rows := make([]any, len(m.Inputs))
	for i, input := range m.Inputs {
		value, ok := given[input.CustomID]
		if !ok {
			value = input.Value
		}
		delete(given, input.CustomID)
		n := utf8.RuneCountInString(value)
		if n == 0 && (input.Required == nil || *input.Required) || n > 0 && n < input.Least || input.Most > 0 && n > input.Most {
			return nil, fmt.Errorf("fill %q with %d characters: %w", input.CustomID, n, ErrCommand)
		}
		rows[i] = map[string]any{"type": componentRow, "components": []any{
			map[string]any{"type": componentInput, "custom_id": input.CustomID, "value": value},
		}}
	}
	if len(given) > 0 {
		return nil, fmt.Errorf("the modal has no inputs %v: %w", given, ErrCommand)
	}
	return rows, nil
}
