package config

import (
	"errors"
	"slices"
	"strings"
)

// choose sets a setting that has a few values, its kinds, to the one that a text names.
func choose[T ~string](setting *T, text []byte, kinds ...T) error {
	if chosen := T(text); slices.Contains(kinds, chosen) {
		*setting = chosen
		return nil
	}
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return errors.New("is neither " + strings.Join(names, " nor "))
}

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
	return choose(e, text, EditAnswerOn, EditAnswerOffer, EditAnswerOff)
}

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
	return choose(b, text, ButtonsOn, ButtonsAlternatives, ButtonsOff)
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
	return choose(v, text, VisionAuto, VisionOn, VisionOff)
}

// Confidence is how the confidence of an answer is compared with the thresholds for
// keeping it.
type Confidence string

// The kinds of Confidence.
const (
	ConfidenceRaw        Confidence = "raw"        // what the model said
	ConfidenceRank       Confidence = "rank"       // among the model's last answers
	ConfidenceCalibrated Confidence = "calibrated" // by what people found good
)

// UnmarshalText reads raw, rank and calibrated.
func (c *Confidence) UnmarshalText(text []byte) error {
	return choose(c, text, ConfidenceRaw, ConfidenceRank, ConfidenceCalibrated)
}

// Format is the format of log lines.
type Format string

// The formats of log lines.
const (
	FormatText Format = "text"
	FormatJSON Format = "json"
)

// UnmarshalText reads text and json.
func (f *Format) UnmarshalText(text []byte) error {
	return choose(f, text, FormatText, FormatJSON)
}
