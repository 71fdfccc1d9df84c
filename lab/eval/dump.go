package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// choice is one line of a dump: the messages chosen for one trigger.
type choice struct {
	Log          string   `json:"log"`
	Trigger      string   `json:"trigger"`
	Conversation []string `json:"conversation"`
	Background   []string `json:"background"`
}

// Dump writes what a strategy chooses for every chat message of the logs, annotated or
// not. It writes one line of JSON for each message, in the order of the logs. done is
// called after each log, from several goroutines.
func Dump(ctx context.Context, w io.Writer, logs []*chatlog.Log, newStrategy func() evaluation.Strategy, setting Setting, done func()) error {
	lines := make([][]choice, len(logs))
	err := eachLog(logs, setting.Workers, func(k int, log *chatlog.Log) error {
		defer done()
		e := evaluator{log: log, messages: setting.View.Show(log), setting: setting}
		var err error
		if lines[k], err = e.choices(ctx, newStrategy()); err != nil {
			return fmt.Errorf("dump %s: %w", log.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeChoices(w, slices.Concat(lines...))
}

// writeChoices writes choices as lines of JSON.
func writeChoices(w io.Writer, choices []choice) error {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for i := range choices {
		if err := encoder.Encode(choices[i]); err != nil {
			return fmt.Errorf("write the dump: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the dump: %w", err)
	}
	return nil
}

// choices returns what a strategy chooses for each message of the log but the system
// messages.
func (e *evaluator) choices(ctx context.Context, strategy evaluation.Strategy) ([]choice, error) {
	var choices []choice
	for i := range e.messages {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("stopped: %w", err)
		}
		if e.messages[i].System {
			continue
		}
		chosen, err := strategy(e.sight(i))
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", e.log.IDs[i], err)
		}
		choices = append(choices, choice{
			Log: e.log.Name, Trigger: e.log.IDs[i],
			Conversation: idsOf(e.log, chosen.Conversation), Background: idsOf(e.log, chosen.Background),
		})
	}
	return choices, nil
}

// idsOf returns the ids of the messages of a log at indices.
func idsOf(log *chatlog.Log, indices []int) []string {
	ids := make([]string, len(indices))
	for k, i := range indices {
		ids[k] = log.IDs[i]
	}
	return ids
}
