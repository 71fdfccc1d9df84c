package eval

import (
	"math/rand/v2"
	"slices"

	"heddle/internal/evaluation"
)

// Summary is the result of a strategy on the logs of one community.
type Summary struct {
	Community    string              `json:"community"`
	Strategy     string              `json:"strategy"`
	Logs         int                 `json:"logs"`
	Triggers     int                 `json:"triggers"`
	Conversation Score               `json:"conversation"` // means over triggers
	Interval     *[2]float64         `json:"f1_interval"`  // 95% interval of the conversation's F1; null for a single log
	Sent         Score               `json:"sent"`
	Parted       *Disentanglement    `json:"disentanglement,omitempty"`   // means over logs
	Hidden       *evaluation.Parents `json:"hidden_parents,omitempty"`    // means over replies
	Calibration  *float64            `json:"calibration_error,omitempty"` // expected calibration error of what is sent
}

const (
	resamples     = 2000
	resampleSeed  = 1
	intervalShare = 0.95
)

// Summarize summarizes outcomes by community and strategy, in the order of their first
// occurrence.
func Summarize(outcomes []Outcome) []Summary {
	type key struct{ community, strategy string }
	var order []key
	grouped := map[key][]Outcome{}
	for i := range outcomes {
		k := key{outcomes[i].Community, outcomes[i].Strategy}
		if grouped[k] == nil {
			order = append(order, k)
		}
		grouped[k] = append(grouped[k], outcomes[i])
	}
	summaries := make([]Summary, 0, len(order))
	for _, k := range order {
		summaries = append(summaries, summarize(k.community, k.strategy, grouped[k]))
	}
	return summaries
}

// summarize returns the Summary of the outcomes of one strategy on one community.
func summarize(community, strategy string, outcomes []Outcome) Summary {
	var hidden evaluation.Parents
	var calibration Calibration
	s := Summary{Community: community, Strategy: strategy, Logs: len(outcomes), Interval: bootstrap(outcomes)}
	for i := range outcomes {
		o := &outcomes[i]
		s.Triggers += o.Triggers
		hidden = hidden.Plus(o.Hidden)
		calibration.plus(&o.calibration)
		s.Conversation = s.Conversation.plus(o.Conversation.times(o.Triggers))
		s.Sent = s.Sent.plus(o.Sent.times(o.Triggers))
		if o.Parted != nil {
			if s.Parted == nil {
				s.Parted = &Disentanglement{}
			}
			n := float64(len(outcomes))
			s.Parted.LinkF1 += o.Parted.LinkF1 / n
			s.Parted.OneToOne += o.Parted.OneToOne / n
			s.Parted.VI += o.Parted.VI / n
		}
	}
	s.Conversation = s.Conversation.over(s.Triggers)
	s.Sent = s.Sent.over(s.Triggers)
	if hidden.Replies > 0 {
		mean := hidden.Mean()
		s.Hidden = &mean
	}
	if off := calibration.Error(); off > 0 {
		s.Calibration = &off
	}
	return s
}

// bootstrap returns a 95% interval of the mean F1, computed by resampling logs with
// replacement. It returns nil for a single log.
func bootstrap(outcomes []Outcome) *[2]float64 {
	if len(outcomes) < 2 {
		return nil
	}
	random := rand.New(rand.NewPCG(resampleSeed, resampleSeed)) //nolint:gosec // the same interval every time
	means := make([]float64, 0, resamples)
	for range resamples {
		sum, triggers := 0.0, 0
		for range outcomes {
			o := &outcomes[random.IntN(len(outcomes))]
			sum += o.Conversation.F1 * float64(o.Triggers)
			triggers += o.Triggers
		}
		means = append(means, sum/float64(max(triggers, 1)))
	}
	slices.Sort(means)
	tail := int((1 - intervalShare) / 2 * resamples)
	return &[2]float64{means[tail], means[resamples-1-tail]}
}
