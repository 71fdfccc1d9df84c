package eval

import (
	"context"
	"fmt"
	"sync"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// Setting configures an evaluation.
type Setting struct {
	View        chatlog.View
	MaskReplies bool // the trigger's own reply is hidden
	Workers     int  // logs evaluated at a time
}

// Outcome is the result of one strategy on one log.
type Outcome struct {
	Log          string             `json:"log"`
	Community    string             `json:"community"` // the folder that contains the log
	Strategy     string             `json:"strategy"`
	Triggers     int                `json:"triggers"`
	Conversation Score              `json:"conversation"` // means over the log's triggers
	Sent         Score              `json:"sent"`         // as Conversation, with the background
	Parted       *Disentanglement   `json:"disentanglement,omitempty"`
	Hidden       evaluation.Parents `json:"hidden_parents"` // sums over the log's replies

	// Slices contains sums over the triggers of each slice.
	Slices [sliceCount]SliceScore `json:"slices"`

	calibration Calibration // calibration of the probabilities of what was sent
}

// Strategies is the strategies that are compared.
type Strategies []Strategy

// Strategy is a strategy to compare.
type Strategy struct {
	evaluation.Rival

	Linked bool // it predicts which message the trigger answers
}

// Run evaluates every strategy on every log. The outcomes are ordered by log, then by
// strategy. done is called after each log, from several goroutines.
func Run(ctx context.Context, logs []*chatlog.Log, strategies Strategies, setting Setting, done func()) ([]Outcome, error) {
	outcomes := make([]Outcome, len(logs)*len(strategies))
	err := eachLog(logs, setting.Workers, func(k int, log *chatlog.Log) error {
		defer done()
		e := evaluator{log: log, messages: setting.View.Show(log), setting: setting}
		for s := range strategies {
			out, err := e.run(ctx, strategies[s])
			if err != nil {
				return fmt.Errorf("evaluate %s with %s: %w", log.Name, strategies[s].Name, err)
			}
			outcomes[k*len(strategies)+s] = out
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// eachLog calls work for every log, several at a time. It returns the error of the
// first log that failed.
func eachLog(logs []*chatlog.Log, workers int, work func(k int, log *chatlog.Log) error) error {
	return several(len(logs), workers, func(k int) error { return work(k, logs[k]) })
}

// several calls work for every number below n, up to workers at a time, and returns the
// error for the lowest number.
func several(n, workers int, work func(k int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(1, workers))
	var running sync.WaitGroup
	for k := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			errs[k] = work(k)
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// evaluator evaluates strategies on one log.
type evaluator struct {
	log      *chatlog.Log
	messages []graph.Message // as they are shown
	setting  Setting
}

// sight returns what a strategy sees when a message is the trigger.
func (e *evaluator) sight(trigger int) evaluation.Sight {
	s := evaluation.Sight{Before: e.messages[:trigger], Trigger: e.messages[trigger]}
	if e.setting.MaskReplies {
		s.Trigger = chatlog.WithoutReply(s.Trigger)
	}
	return s
}

// run evaluates a strategy with every message of the log as the trigger: by the hidden
// replies of all messages, and by the marks of the annotated ones.
func (e *evaluator) run(ctx context.Context, evaluated Strategy) (Outcome, error) {
	log, strategy := e.log, evaluated.Strategy
	out := Outcome{Strategy: evaluated.Name, Log: log.Name, Community: log.Community()}
	predicted := links{log: log, parent: map[int]int{}}
	before := soFar(log)
	for i := range e.messages {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("stopped: %w", err)
		}
		if err := e.findHidden(i, strategy, &out.Hidden); err != nil {
			return out, err
		}
		if !log.Gold[i].Annotated {
			continue
		}
		if e.messages[i].System {
			predicted.parent[i] = i
			continue
		}
		chosen, err := strategy(e.sight(i))
		if err != nil {
			return out, fmt.Errorf("message %s: %w", log.IDs[i], err)
		}
		if predicted.parent[i] = parentOf(&chosen); predicted.parent[i] < 0 {
			predicted.parent[i] = i
		}
		e.score(i, before[i], &chosen, &out)
	}
	out.Conversation = out.Conversation.over(out.Triggers)
	out.Sent = out.Sent.over(out.Triggers)
	if evaluated.Linked {
		parted := predicted.disentangled()
		out.Parted = &parted
	}
	return out, nil
}

// score adds to an outcome how well the messages chosen for a trigger agree with people's
// marks. soFar is the number of earlier messages in the trigger's conversation. If there
// are none, the trigger counts in its slice alone.
func (e *evaluator) score(trigger, soFar int, chosen *evaluation.Chosen, out *Outcome) {
	scored := score(e.log, trigger, soFar, chosen.Conversation)
	for _, in := range slicesOf(e.messages, trigger, soFar) {
		out.Slices[in] = out.Slices[in].plus(scored)
	}
	if soFar > 0 {
		out.Triggers++
		out.Conversation = out.Conversation.plus(scored)
		out.Sent = out.Sent.plus(score(e.log, trigger, soFar, chosen.Conversation, chosen.Background))
		out.calibration.compare(e.log, trigger, chosen)
	}
}

// findHidden hides the reply of a message, and checks whether the message that it
// replies to is chosen.
func (e *evaluator) findHidden(i int, strategy evaluation.Strategy, hidden *evaluation.Parents) error {
	parent := evaluation.ReplyOf(&e.log.Messages[i])
	if parent < 0 || e.messages[i].System || e.messages[parent].System {
		return nil
	}
	chosen, err := strategy(evaluation.HideReply(e.messages, i, parent))
	if err != nil {
		return fmt.Errorf("message %s: %w", e.log.IDs[i], err)
	}
	*hidden = hidden.Plus(evaluation.ParentsOf(parent, &chosen, nil))
	return nil
}
