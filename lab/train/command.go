package train

import (
	"context"
	"fmt"
	"io"
	"slices"

	"heddle/graph/affinity"
	"heddle/internal/terminal"
	"heddle/lab/chatlog"
	"heddle/lab/eval"
)

// Command is the command "lab train". It fits weights to annotated logs. It does
// not write weights that separate these logs worse than those built in.
func Command(ctx context.Context, args []string, streams chatlog.Streams) error {
	course, file, questions := DefaultCourse(), "", ""
	var without []string
	seed := uint64(1)
	line := chatlog.NewCommandLine("train", streams.Usage)
	line.StringVarP(&file, "out", "o", "", "write the weights to this `FILE`")
	line.IntVar(&course.Epochs, "epochs", course.Epochs, "how often every log is gone through")
	line.IntVar(&course.Teachers, "teachers", course.Teachers, "how many networks are trained for the last one to learn from")
	line.Uint64Var(&course.QuietSeed, "quiet-seed", course.QuietSeed, "of everything that is drawn for the network of quiet channels")
	line.Uint64Var(&course.BusySeed, "busy-seed", course.BusySeed, "the same for the network of busy channels")
	line.StringVar(&questions, "questions", "", "fit instead what questions need, by the questions to a bot in this `FILE`, or folder of files")
	line.StringSliceVar(&without, "without", nil, "leave out the question files whose names match one of these `PATTERNS`, with commas between")
	line.Uint64Var(&seed, "questions-seed", seed, "of everything that is drawn for that")
	places, err := line.Places(args, streams.Out)
	switch {
	case err != nil:
		return err
	case file == "":
		return terminal.Errorf("say where the weights are to be written: lab train DIR -o FILE")
	case course.Epochs < 1 || course.Epochs > 1000:
		return terminal.Errorf("--epochs is %d; give 1 to 1000", course.Epochs)
	case course.Teachers < 0 || course.Teachers > 100:
		return terminal.Errorf("--teachers is %d; give 0 to 100", course.Teachers)
	}
	logs, err := chatlog.Read(ctx, places)
	if err != nil {
		return err
	}
	builtIn, err := affinity.Default()
	if err != nil {
		return fmt.Errorf("read the weights built in: %w", err)
	}
	if questions != "" {
		asked, err := eval.ReadAsked(questions, logs, without)
		if err != nil {
			return err
		}
		return trainNeeds(ctx, asked, seed, builtIn, file, streams)
	}
	return trainLinks(ctx, teaching(logs, builtIn, streams.Out), course, builtIn, file, streams)
}

// trainLinks fits the networks of links, and writes them with what is built in of what
// questions need.
func trainLinks(ctx context.Context, logs []*chatlog.Log, course Course, builtIn *affinity.Model, file string, streams chatlog.Streams) error {
	const steps = 1000
	bar := terminal.Steps(streams.Err, steps, "train")
	defer bar.End()
	loss, step := 0.0, 0
	weights, err := Train(ctx, logs, course, func(done, mean float64) {
		for loss = mean; step < int(done*steps); step++ {
			bar.Done()
		}
	})
	if err != nil {
		return err
	}
	weights.Needs = builtIn.Weights().Needs
	if err := worthWriting(ctx, logs, affinity.NewModel(weights), builtIn); err != nil {
		return err
	}
	if err := chatlog.WriteFile(file, weights.Write); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "%s: weights from %d logs with %d annotated messages and %d replies, mean log loss of a link %.4f\n",
		file, len(logs), chatlog.Sum(logs, (*chatlog.Log).Annotated), chatlog.Sum(logs, func(l *chatlog.Log) int { return l.Replies }), loss)
	return nil
}

// trainNeeds fits what questions need, and writes it with the links built in.
func trainNeeds(ctx context.Context, questions []eval.Asked, seed uint64, builtIn *affinity.Model, file string, streams chatlog.Streams) (err error) {
	bar := terminal.Steps(streams.Err, needEpochs*len(questions), "train")
	defer bar.End()
	weights := builtIn.Weights()
	if weights.Needs, err = Needs(ctx, builtIn, questions, seed, bar.Done); err != nil {
		return err
	}
	if err := chatlog.WriteFile(file, weights.Write); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "%s: what questions need, from %d of them\n", file, len(questions))
	return nil
}

// teaching returns the logs that are worth learning from, and prints the names of the
// others.
func teaching(logs []*chatlog.Log, builtIn *affinity.Model, out io.Writer) []*chatlog.Log {
	var kept []*chatlog.Log
	for _, log := range logs {
		switch {
		case log.Learnable() == 0:
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

const (
	// mostProved bounds the annotated logs on which new weights are compared with those
	// built in.
	mostProved = 12
	// tolerated is by how much the F1 of new weights on these logs may be lower.
	tolerated = 0.01
)

// worthWriting returns an error if new weights separate the annotated logs worse than
// those built in.
func worthWriting(ctx context.Context, logs []*chatlog.Log, learnt, builtIn *affinity.Model) error {
	proofs := slices.DeleteFunc(slices.Clone(logs), func(l *chatlog.Log) bool { return l.Annotated() == 0 })
	step := max(1, (len(proofs)+mostProved-1)/mostProved)
	var some []*chatlog.Log
	for k := 0; k < len(proofs); k += step {
		some = append(some, proofs[k])
	}
	before, err := eval.MeanF1(ctx, some, builtIn)
	if err != nil {
		return err
	}
	after, err := eval.MeanF1(ctx, some, learnt)
	if err != nil {
		return err
	}
	if after < before-tolerated {
		return terminal.Errorf("weights from these logs would part the annotated ones worse than those built in (F1 %.3f, not %.3f), so they are not written; "+
			"leave out logs whose links or replies are not to be trusted", after, before)
	}
	return nil
}
