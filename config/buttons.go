package config

import "errors"

// Buttons is where answers have buttons below them.
type Buttons string

// The kinds of Buttons.
const (
	ButtonsOn           Buttons = "on"           // a row below every answer
	ButtonsAlternatives Buttons = "alternatives" // only where there are alternatives
	ButtonsOff          Buttons = "off"
)

// UnmarshalText reads on, alternatives and off.
func (b *Buttons) UnmarshalText(text []byte) error {
	switch Buttons(text) {
	case ButtonsOn, ButtonsAlternatives, ButtonsOff:
		*b = Buttons(text)
		return nil
	}
	return errors.New("is neither on nor alternatives nor off")
}
