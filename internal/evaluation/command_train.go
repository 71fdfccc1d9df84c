package evaluation

import (
	"context"
	"fmt"
	"io"
	"slices"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/progress"
)

// TrainCommand is the command "heddle train". It fits weights to annotated logs. Errors
// that the user can correct are of type *InputError.
func TrainCommand(ctx context.Context, args []string, streams Streams) error {
	course, file := DefaultCourse(), ""
	line := newCommandLine("train", streams.Usage)
	line.StringVar(&file, "o", "", "write the weights to this `FILE`")
	line.IntVar(&course.Epochs, "epochs", course.Epochs, "how often every log is gone through")
	line.IntVar(&course.Teachers, "teachers", course.Teachers, "how many networks are trained for the last one to learn from")
	line.Uint64Var(&course.Seed, "seed", course.Seed, "of everything that is drawn")
	places, err := line.parse(args, streams.Out)
	switch {
	case err != nil:
		return err
	case file == "":
		return inputErrorf("say where the weights are to be written: heddle train DIR -o FILE")
	case course.Epochs < 1 || course.Epochs > 1000:
		return inputErrorf("--epochs is %d; give 1 to 1000", course.Epochs)
	case course.Teachers < 0 || course.Teachers > 100:
		return inputErrorf("--teachers is %d; give 0 to 100", course.Teachers)
	}
	logs, err := Read(ctx, places)
	if err != nil {
		return err
	}
	builtIn, err := affinity.Default()
	if err != nil {
		return fmt.Errorf("read the weights built in: %w", err)
	}
	logs = teaching(logs, builtIn, streams.Out)
	const steps = 1000
	bar := progress.New(streams.Err, steps, "train")
	defer bar.End()
	loss, step := 0.0, 0
	network, err := Train(ctx, logs, course, func(done, mean float64) {
		for loss = mean; step < int(done*steps); step++ {
			bar.Done()
		}
	})
	if err != nil {
		return err
	}
	if err := worthWriting(ctx, logs, affinity.NewModel(network), builtIn); err != nil {
		return err
	}
	if err := writeFile(file, network.Write); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "%s: weights from %d logs with %d annotated messages and %d replies, mean log loss of a link %.4f\n",
		file, len(logs), annotated(logs), replies(logs), loss)
	return nil
}

// teaching returns the logs that are worth learning from, and prints the names of the
// others.
func teaching(logs []*Log, builtIn *affinity.Model, out io.Writer) []*Log {
	var kept []*Log
	for _, log := range logs {
		switch {
		case learnable([]*Log{log}) == 0:
			fmt.Fprintf(out, "%s is left out: it shows neither links nor replies, so there is nothing to learn from it\n", log.Path)
		case mostlyReplies(log):
			fmt.Fprintf(out, "%s is left out: nearly every message in it is a reply, so it does not show when people press none\n", log.Path)
		case implausible(log, builtIn):
			fmt.Fprintf(out, "%s is left out: its replies look as if they had been pressed at random\n", log.Path)
		default:
			kept = append(kept, log)
		}
	}
	return kept
}

func replies(logs []*Log) int {
	n := 0
	for _, log := range logs {
		n += log.Replies
	}
	return n
}

const (
	// mostProved bounds the annotated logs on which new weights are compared with those
	// built in.
	mostProved = 12
	// tolerated is by how much the F1 of new weights on these logs may be lower.
	tolerated = 0.01
)

// worthWriting returns an error if new weights separate the annotated logs worse than
// those built in.
func worthWriting(ctx context.Context, logs []*Log, learnt, builtIn *affinity.Model) error {
	proofs := slices.DeleteFunc(slices.Clone(logs), func(l *Log) bool { return annotated([]*Log{l}) == 0 })
	step := max(1, (len(proofs)+mostProved-1)/mostProved)
	var some []*Log
	for k := 0; k < len(proofs); k += step {
		some = append(some, proofs[k])
	}
	var f1 [2]float64
	for k, model := range []*affinity.Model{builtIn, learnt} {
		options := graph.DefaultOptions()
		options.TimeThreshold, options.Affinity = graph.AutoThreshold, model
		strategies, err := compared(options).named([]string{heddleName})
		if err != nil {
			return err
		}
		outcomes, err := Run(ctx, some, strategies, Setting{View: View{ReplyShare: usualShare}, Workers: 1}, func() {})
		if err != nil {
			return err
		}
		f1[k] = meanF1(outcomes)
	}
	if f1[1] < f1[0]-tolerated {
		return inputErrorf("weights from these logs would part the annotated ones worse than those built in (F1 %.3f, not %.3f), so they are not written; "+
			"leave out logs whose links or replies are not to be trusted", f1[1], f1[0])
	}
	return nil
}

func meanF1(outcomes []Outcome) float64 {
	sum, triggers := 0.0, 0
	for i := range outcomes {
		sum += outcomes[i].Conversation.F1 * float64(outcomes[i].Triggers)
		triggers += outcomes[i].Triggers
	}
	return sum / float64(max(1, triggers))
}
