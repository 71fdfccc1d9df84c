package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"heddle/config"
	"heddle/internal/calibration"
	"heddle/store"
)

// leastRatings is the number of ratings below which a curve means little.
const leastRatings = 50

// calibrate fits curves from a model's confidence to the share of good answers, and
// reports how well they fit. Without a file it takes the ratings in the store.
func calibrate(ctx context.Context, args []string, p Process) error {
	flags := new(flag.FlagSet)
	write := flags.String("o", "", "write the curves to this `FILE`, for CALIBRATION")
	rest, err := parseFlags(flags, "calibrate", args, 1, p)
	if err != nil {
		return err
	}
	ratings, err := ratingsOf(ctx, rest, p)
	if err != nil {
		return err
	}
	curves := make(calibration.Curves, len(ratings))
	for model, of := range ratings {
		curves[model] = calibration.Fit(of)
	}
	reportCalibration(p.Stdout, ratings)
	if *write == "" {
		return nil
	}
	encoded, err := json.Marshal(curves)
	if err != nil {
		return fmt.Errorf("encode the curves: %w", err)
	}
	if err := os.WriteFile(*write, append(encoded, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the curves: %w", err)
	}
	return nil
}

// ratingsOf returns ratings by model, from the named file or else from the store.
func ratingsOf(ctx context.Context, named []string, p Process) (map[string][]calibration.Rating, error) {
	if len(named) > 0 {
		return readRatings(named[0], p)
	}
	ratings := make(map[string][]calibration.Rating)
	err := withStore(ctx, p, "", func(_ config.Config, s *store.Store, scopes []store.Scope) error {
		for _, scope := range scopes {
			if err := storedRatings(ctx, s, scope, ratings); err != nil {
				return fmt.Errorf("read the ratings of %s: %w", scope, err)
			}
		}
		return nil
	})
	if err == nil && len(ratings) == 0 {
		return nil, misuseError{errNoRatings}
	}
	return ratings, err
}

// errNoRatings is returned if nobody has rated an answer of known confidence.
var errNoRatings = errors.New("nobody rated an answer of known confidence yet; people rate with 👍 and 👎. " +
	`Or name a file with one rating per line, like {"model":"gpt-4.1-mini","value":0.83,"good":true}, or - for standard input`)

// storedRatings adds the ratings of the answers in a scope whose confidence is known.
func storedRatings(ctx context.Context, s *store.Store, scope store.Scope, to map[string][]calibration.Rating) error {
	given, err := s.Ratings.Of(ctx, scope)
	if err != nil || len(given) == 0 {
		return err
	}
	for r, err := range s.Archive.All(ctx, scope) {
		if err != nil {
			return err
		}
		if r.Confidence == nil {
			continue
		}
		for _, rating := range given[r.ID] {
			to[r.Model] = append(to[r.Model], calibration.Rating{Model: r.Model, Value: r.Confidence.Value, Good: rating.Good})
		}
	}
	return nil
}

func readRatings(name string, p Process) (map[string][]calibration.Rating, error) {
	from, err := p.open(name)
	if err != nil {
		return nil, err
	}
	ratings, err := calibration.Read(from)
	if err != nil {
		return nil, misuseError{fmt.Errorf("%s: %w", name, err)}
	}
	return ratings, nil
}

// reportCalibration writes for each model how far its confidence is from the share of
// good answers, before and after a curve that was fitted to other answers.
func reportCalibration(out io.Writer, ratings map[string][]calibration.Rating) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "model\tratings\tgood\tECE\tECE fitted\tAUROC\tAUROC fitted\t\n")
	few := false
	for _, model := range slices.Sorted(maps.Keys(ratings)) {
		of := ratings[model]
		fitted := calibration.CrossFit(of)
		good := 0.0
		for _, r := range of {
			if r.Good {
				good++
			}
		}
		few = few || len(of) < leastRatings
		fmt.Fprintf(table, "%s\t%d\t%.0f%%\t%.3f\t%.3f\t%s\t%s\t\n", named(model), len(of), 100*good/float64(len(of)),
			calibration.ECE(of), calibration.ECE(fitted), share(calibration.AUROC(of)), share(calibration.AUROC(fitted)))
	}
	_ = table.Flush() // nobody is left to tell
	fmt.Fprint(out, "\nECE: mean distance of confidence from the share of good answers, 0 is best. AUROC: how often a good\n"+
		"answer has the higher confidence than a bad one, 0.5 is chance. Fitted: by tenfold cross-validation.\n")
	if few {
		fmt.Fprintf(out, "Fewer than %d ratings of a model say little.\n", leastRatings)
	}
}

func named(model string) string {
	if model == "" {
		return "(any model)"
	}
	return model
}

func share(value float64) string {
	if math.IsNaN(value) {
		return "unknown"
	}
	return fmt.Sprintf("%.3f", value)
}

// readCurves reads the curves that calibrate wrote to a file. No name means no curves.
func (p Process) readCurves(name string) (calibration.Curves, error) {
	if name == "" {
		return calibration.Curves{}, nil
	}
	from, err := p.open(name)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be used: %w", err)
	}
	var curves calibration.Curves
	if err := json.NewDecoder(from).Decode(&curves); err != nil {
		return nil, fmt.Errorf("names %s, which was not written by \"heddle calibrate\": %w", name, err)
	}
	return curves, nil
}
