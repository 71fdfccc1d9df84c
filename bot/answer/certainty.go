package answer

import (
	"context"
	"log/slog"

	"heddle/store"
)

// ranks compares the confidence of a model's answers.
type ranks interface {
	// Rank returns the share of the model's earlier answers that were less certain, nil
	// if too few are known.
	Rank(ctx context.Context, model string, confidence float64) (*float64, error)
}

// certainty judges how certain the model was of an answer, and what that is worth.
type certainty struct {
	ranks      ranks
	compared   Confidence
	assessment *assessment // of answers without log-probabilities; nil: none is asked for
	calibrated func(model string, confidence float64) (float64, bool)
}

func newCertainty(measures ranks, model Model, settings Settings, log *slog.Logger) *certainty {
	c := &certainty{measures, settings.Confidence, newAssessment(model, log, settings), settings.Calibrated}
	if c.calibrated == nil {
		c.calibrated = func(string, float64) (float64, bool) { return 0, false }
	}
	return c
}

// judge completes the confidence of a response: how it ranks among the model's last
// answers, and how often such answers are good. It asks the model for its confidence if
// the provider gave no log-probabilities and Settings.Assess is set. It leaves an answer
// that is given again as it is.
func (c *certainty) judge(ctx context.Context, log *slog.Logger, response *store.Response) {
	if response.Original() != response.ID {
		return
	}
	if response.Confidence == nil {
		response.Confidence = c.assessment.of(ctx, response)
	}
	if response.Confidence == nil {
		return
	}
	rank, err := c.ranks.Rank(ctx, response.Model, response.Confidence.Value)
	if err != nil {
		log.DebugContext(ctx, "an answer's confidence could not be ranked, it stays unranked", "error", err)
		return
	}
	response.Confidence.Rank, response.Confidence.Raw = rank, c.compared == ConfidenceRaw
	if c.compared == ConfidenceRank {
		return
	}
	if good, ok := c.calibrated(response.Model, response.Confidence.Value); ok {
		response.Confidence.Calibrated = &good
	}
}
