package answer

import (
	"context"
	"time"

	"heddle/llm"
)

// Settings are the operator's choice of how answers are made.
type Settings struct {
	ReuseFor   time.Duration // how long an answer may be given again; 0: never
	Confidence Confidence    // how the confidence of answers is compared
	Assess     bool          // the model is asked for its confidence if the provider returns none
	// Calibrated returns the share of good answers among those that a model gave with a
	// confidence, and reports whether it is known. If it is nil, the share is never
	// known.
	Calibrated func(model string, confidence float64) (float64, bool)
}

// Confidence selects the measure of confidence that is compared with the thresholds of
// path.Retention.
type Confidence uint8

// The values of Confidence.
const (
	// ConfidenceCalibrated is the share of equally confident answers that people rated
	// as good, or else the rank.
	ConfidenceCalibrated Confidence = iota
	ConfidenceRank                  // the share of the model's last answers that were less confident
	ConfidenceRaw                   // what the model reported, as it is
)

// Model streams answers; llm.Client is one.
type Model interface {
	// Stream asks the model and calls each with every piece of its answer, in order.
	// The error is an *llm.Error; the answer then holds what has arrived.
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	// Model returns the model's name.
	Model() string
}
