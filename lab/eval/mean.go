package eval

import (
	"context"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// MeanF1 returns the mean F1 of the conversations that heddle chooses with a link model
// for the triggers of annotated logs.
func MeanF1(ctx context.Context, logs []*chatlog.Log, model *affinity.Model) (float64, error) {
	options := graph.DefaultOptions()
	options.TimeThreshold, options.Affinity = graph.AutoThreshold, model
	heddle := Strategy{Rival: evaluation.Rival{Name: heddleName, Strategy: evaluation.Heddle(options)}}
	outcomes, err := Run(ctx, logs, Strategies{heddle}, Setting{View: chatlog.View{ReplyShare: usualShare}, Workers: 1}, func() {})
	if err != nil {
		return 0, err
	}
	sum, triggers := 0.0, 0
	for i := range outcomes {
		sum += outcomes[i].Conversation.F1 * float64(outcomes[i].Triggers)
		triggers += outcomes[i].Triggers
	}
	return sum / float64(max(1, triggers)), nil
}
