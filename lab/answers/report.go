package answers

import (
	"cmp"
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
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "kind\tstrategy\tjudged\tright\twrong\tcharacters") // Flush returns what failed
	kinds := distinct(key, func(k *keyed) string { return k.Kind })
	slices.Sort(kinds)
	for _, kind := range append(slices.DeleteFunc(kinds, func(kind string) bool { return kind == "" }), "") {
		for _, strategy := range distinct(key, func(k *keyed) string { return k.Strategy }) {
			judged, characters, counts := 0.0, 0, map[string]float64{}
			for i := range key {
				if g := given[key[i].Judged]; g != "" && key[i].Strategy == strategy && (kind == "" || key[i].Kind == kind) {
					judged, characters = judged+1, characters+key[i].Characters
					counts[g]++
				}
			}
			if judged > 0 {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%.0f\t%.2f\t%.2f\t%.0f\n", cmp.Or(kind, "together"), strategy, judged, counts[right]/judged, counts[wrong]/judged, float64(characters)/judged)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if left := len(key) - len(given); left > 0 {
		_, _ = fmt.Fprintf(out, "Not judged yet: %s.\n", terminal.Count(left, "sheet"))
	}
	return nil
}

// distinct returns the values of a field, each once, in the order in which they come.
func distinct(key []keyed, field func(*keyed) string) (all []string) {
	for i := range key {
		if value := field(&key[i]); !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}
