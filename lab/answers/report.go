package answers

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"heddle/internal/terminal"
)

// grade is what a judge says of an answer.
type grade struct {
	ID    string `json:"id"`
	Grade string `json:"grade"`
}

const (
	right  = "right"
	partly = "partly"
	wrong  = "wrong"
)

// report writes how many answers of each strategy are right and wrong, by kind of question and in
// all. Of two grades of an answer, the later one counts.
func report(key []keyed, grades []grade, out io.Writer) error {
	given := make(map[string]string, len(grades))
	for _, g := range grades {
		if g.Grade != right && g.Grade != partly && g.Grade != wrong {
			return terminal.Errorf("%s has the grade %q; grades are right, partly and wrong", g.ID, g.Grade)
		}
		if !slices.ContainsFunc(key, func(k keyed) bool { return k.Judged == g.ID }) {
			return terminal.Errorf("an answer %q is graded that does not exist; correct its id", g.ID)
		}
		given[g.ID] = g.Grade
	}
	var kinds, strategies []string
	for i := range key {
		if !slices.Contains(strategies, key[i].Strategy) {
			strategies = append(strategies, key[i].Strategy)
		}
		if !slices.Contains(kinds, key[i].Kind) && key[i].Kind != "" {
			kinds = append(kinds, key[i].Kind)
		}
	}
	slices.Sort(kinds)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\tstrategy\tjudged\tright\twrong\tcharacters")
	for _, kind := range append(kinds, "") {
		for _, strategy := range strategies {
			judged, characters, counts := 0, 0, map[string]int{}
			for i := range key {
				if g := given[key[i].Judged]; g != "" && key[i].Strategy == strategy && (kind == "" || key[i].Kind == kind) {
					judged, characters = judged+1, characters+key[i].Characters
					counts[g]++
				}
			}
			if judged > 0 {
				name := kind
				if name == "" {
					name = "together"
				}
				n := float64(judged)
				fmt.Fprintf(table, "%s\t%s\t%d\t%.2f\t%.2f\t%.0f\n", name, strategy, judged, float64(counts[right])/n, float64(counts[wrong])/n, float64(characters)/n)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if left := len(key) - len(given); left > 0 {
		fmt.Fprintf(out, "Not judged yet: %s.\n", terminal.Count(left, "sheet"))
	}
	return nil
}
