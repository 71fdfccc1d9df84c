package config

import "errors"

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
	switch Confidence(text) {
	case ConfidenceRaw, ConfidenceRank, ConfidenceCalibrated:
		*c = Confidence(text)
		return nil
	}
	return errors.New("is neither raw nor rank nor calibrated")
}
