package evaluation

import (
	"context"
	"fmt"
)

// TrainCommand is the command "heddle train": it fits weights to annotated logs.
// Faults of what it was given are ErrInput.
func TrainCommand(ctx context.Context, args []string, streams Streams) error {
	course, file := DefaultCourse(), ""
	line := newCommandLine("train", streams.Usage)
	line.StringVar(&file, "o", "", "write the weights to this `FILE`")
	line.IntVar(&course.Epochs, "epochs", course.Epochs, "how often every log is gone through")
	line.Uint64Var(&course.Seed, "seed", course.Seed, "of everything that is drawn")
	places, err := line.parse(args, streams.Out)
	switch {
	case err != nil:
		return err
	case file == "":
		return fmt.Errorf("%w: say where the weights are to be written: heddle train DIR -o FILE", ErrInput)
	case course.Epochs < 1 || course.Epochs > 1000:
		return fmt.Errorf("%w: -epochs is %d; give 1 to 1000", ErrInput, course.Epochs)
	}
	logs, err := Read(ctx, places)
	if err != nil {
		return err
	}
	bar := progress(streams.Err, course.Epochs, "train")
	defer bar.end()
	loss := 0.0
	network, err := Train(ctx, logs, course, func(_ int, mean float64) { loss = mean; bar.done() })
	if err != nil {
		return err
	}
	if err := writeFile(file, network.Write); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "%s: weights from %d logs with %d annotated messages, mean log loss of a link %.4f\n", file, len(logs), annotated(logs), loss)
	return nil
}
