package eval

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// sliced is a report of the F1 of every strategy by slice, over all logs of a
// community.
type sliced []Outcome

// cell names the results of one strategy on the logs of one community.
type cell struct{ community, strategy string }

// WriteText writes a table with a row for every slice of a community that has triggers.
// For first messages of talks it shows the characters of other conversations instead of
// F1.
func (r sliced) WriteText(w io.Writer) error {
	communities, strategies, sums := r.summed()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, community := range communities {
		fmt.Fprintf(table, "\n%s\ttriggers", community)
		for _, strategy := range strategies {
			fmt.Fprintf(table, "\t%s", strategy)
		}
		fmt.Fprint(table, "\n")
		for in := range sliceCount {
			triggers := sums[cell{community, strategies[0]}][in].Triggers
			if triggers == 0 {
				continue
			}
			fmt.Fprintf(table, "%s\t%d", in, triggers)
			for _, strategy := range strategies {
				fmt.Fprintf(table, "\t%s", sums[cell{community, strategy}][in].mean(in))
			}
			fmt.Fprint(table, "\n")
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report by slice: %w", err)
	}
	return nil
}

// summed returns the communities and the strategies in the order of their first
// outcomes, and the sums over the logs of each community.
func (r sliced) summed() (communities, strategies []string, sums map[cell]*[sliceCount]SliceScore) {
	sums = map[cell]*[sliceCount]SliceScore{}
	for i := range r {
		o := &r[i]
		if !slices.Contains(strategies, o.Strategy) {
			strategies = append(strategies, o.Strategy)
		}
		if !slices.Contains(communities, o.Community) {
			communities = append(communities, o.Community)
		}
		key := cell{o.Community, o.Strategy}
		if sums[key] == nil {
			sums[key] = &[sliceCount]SliceScore{}
		}
		for in, score := range o.Slices {
			sum := &sums[key][in]
			*sum = SliceScore{sum.Triggers + score.Triggers, sum.F1 + score.F1, sum.Wasted + score.Wasted}
		}
	}
	return communities, strategies, sums
}

// mean returns what the table shows of a sum over the triggers of a slice.
func (s SliceScore) mean(in slice) string {
	n := float64(s.Triggers)
	if in == sliceFirst {
		return fmt.Sprintf("%.0f wasted", s.Wasted/n)
	}
	return fmt.Sprintf("%.3f", s.F1/n)
}
