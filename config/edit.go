package config

import "errors"

// EditAnswer says what an edit of a question that was answered leads to.
type EditAnswer string

// The kinds of EditAnswer.
const (
	EditAnswerOn    EditAnswer = "on"    // to a new answer
	EditAnswerOffer EditAnswer = "offer" // to a button for one
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
