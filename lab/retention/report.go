package retention

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes the report as tables.
func (r Report) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if r.Talks == 0 {
		fmt.Fprint(table, "No log is long enough to be cut into conversations: 50 exchanges of marked messages are needed.\n")
	} else {
		fmt.Fprintf(table, "Simulated conversations\t%d\n", r.Talks)
		writeRetention(table, "confidence", r.Confidences)
	}
	r.writeFacts(table)
	r.writeRecall(table)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writeFacts writes a table with a row for each set of rules and a column for each
// source of confidence.
func (r Report) writeFacts(w io.Writer) {
	r.pivot(w, "facts present (linear) after %d turns", func(f FactsRow) string {
		return fmt.Sprintf("%.1f%% (%.1f%%)", 100*f.Present, 100*f.Linear)
	})
	r.pivot(w, "wasted less, after %d turns", func(f FactsRow) string {
		if f.WastedLinear == 0 {
			return "–"
		}
		return fmt.Sprintf("%.1f%%", 100*less(f.Wasted, f.WastedLinear))
	})
}

// pivot writes a table of the facts for each length of conversation, with a row for each
// set of rules and a column for each source of confidence.
func (r Report) pivot(w io.Writer, title string, cell func(FactsRow) string) {
	turns, rules := 0, ""
	for _, f := range r.Facts {
		if f.Turns != turns {
			if turns != 0 {
				fmt.Fprintln(w)
			}
			turns = f.Turns
			fmt.Fprintf(w, "\n"+title, turns)
			for _, c := range sources() {
				fmt.Fprintf(w, "\t%s", c)
			}
		}
		if f.Rules != rules {
			rules = f.Rules
			fmt.Fprintf(w, "\n%s", rules)
		}
		fmt.Fprintf(w, "\t%s", cell(f))
	}
	fmt.Fprintln(w)
}

func writeRetention(w io.Writer, what string, rows []Row) {
	fmt.Fprintf(w, "\n%s\tneeded present\tlinear\tgain\tfar present\tlinear\twasted less\ttokens\n", what)
	for i := range rows {
		row := &rows[i]
		present, linear := portion(row.Present, row.Needed), portion(row.Linear, row.Needed)
		gain := 0.0
		if linear > 0 {
			gain = present/linear - 1
		}
		fmt.Fprintf(w, "%s\t%.1f%%\t%.1f%%\t%+.1f%%\t%.1f%%\t%.1f%%\t%.1f%%\t%.0f\n", row.Name,
			100*present, 100*linear, 100*gain, 100*portion(row.FarPresent, row.Far), 100*portion(row.FarLinear, row.Far),
			100*less(portion(row.Wasted, row.Requests), row.WastedLinear), portion(row.Tokens, row.Requests))
	}
}

// less returns by which share a is less than b.
func less(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return 1 - a/b
}

// writeRecall writes how many exchanges that have left the path are recalled, in
// scripted conversations and in those cut from logs.
func (r Report) writeRecall(w io.Writer) {
	fmt.Fprint(w, "\nneeded 150 turns later, confidence absent")
	for _, way := range recallWays() {
		fmt.Fprintf(w, "\t%s", way)
	}
	for _, row := range r.Recall {
		fmt.Fprintf(w, "\n%s", row.Kind)
		for _, way := range recallWays() {
			m := row.Ways[way]
			fmt.Fprintf(w, "\t%.1f%% (%.1f–%.1f)", 100*m.Mean, 100*m.Least, 100*m.Most)
		}
	}
	fmt.Fprintln(w)
	if c := r.RecallLogs; c.Requests > 0 {
		fmt.Fprintf(w, "\non the logs, confidence absent\tneeded present\n%s\t%.1f%%\n%s\t%.1f%%\n%s\t%.1f%%\n", wayWindow+" of as many tokens",
			100*portion(c.Window, c.Needed), wayRules, 100*portion(c.Rules, c.Needed), wayRecall, 100*portion(c.Recall, c.Needed))
		fmt.Fprintf(w, "recalled for a request\t%.0f tokens, %.1f%% of them needed\n", portion(c.Recalled, c.Requests), 100*portion(c.Useful, c.Recalled))
	}
}
