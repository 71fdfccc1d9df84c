package config

import "errors"

// EditAnswer is what happens when somebody edits a question that has been answered.
type EditAnswer string

// The kinds of EditAnswer.
const (
	EditAnswerOn    EditAnswer = "on"    // a new answer
	EditAnswerOffer EditAnswer = "offer" // a button that asks for one
	EditAnswerOff   EditAnswer = "off"
)

// UnmarshalText reads on, offer and off.
func (e *EditAnswer) UnmarshalText(text []byte) error {
	switch EditAnswer(text) {
	case EditAnswerOn, EditAnswerOffer, EditAnswerOff:
		*e = EditAnswer(text)
		return nil
	}
	return errors.New("is neither on nor offer nor off")
}
