package evaluation

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/graph"
)

// WriteText writes the result as a sentence and a table with a block of rows for each
// kind, in lines of at most 80 columns.
func (r QuestionReport) WriteText(w io.Writer) error {
	var b strings.Builder
	heddle, simple := r.row(Answering), r.row("last-30")
	if heddle != nil && simple != nil {
		fmt.Fprintf(&b, "heddle sends all that is needed for %.0f%% of the questions, in %s;\nthe last 30 messages do so for %.0f%%, in %s.\n\n",
			100*heddle.AllNeeded, numbered(int(heddle.Characters+0.5), "character", "characters"), 100*simple.AllNeeded, thousands(int(simple.Characters+0.5)))
	}
	b.WriteString("all: everything that is needed is sent; part: how much of it is; talk: how much\n" +
		"of it is in the conversation, and how much of the conversation is of it.\n" +
		"heddle: what it chooses of the last hundred messages; answering: with what it\n" +
		"recalls of older ones, as on Discord; tik/tok: with AFFINITY=off.\n")
	kind := ""
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kind != kind {
			kind = row.Kind
			fmt.Fprintf(&b, "\n%-27s talk                  all that is needed within\n", graph.OneLine(kind, 10)+": "+numbered(row.Questions, "question", "questions"))
			fmt.Fprintf(&b, "%-10s %5s %5s  %5s %5s %6s %6s", "", "all", "part", "found", "right", "mess.", "chars")
			for _, most := range budgets() {
				fmt.Fprintf(&b, " %5s", thousands(most))
			}
			b.WriteString("\n")
		}
		talk := "    –     –"
		if row.talks > 0 {
			talk = fmt.Sprintf("%.3f %.3f", row.TalkRecall, row.TalkPrecision)
		}
		fmt.Fprintf(&b, "%-10s %5.3f %5.3f  %s %6.1f %6.0f", row.Strategy, row.AllNeeded, row.Needed, talk, row.Messages, row.Characters)
		for _, share := range row.AllNeededWithin {
			fmt.Fprintf(&b, " %5.3f", share)
		}
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// row returns how well a strategy serves all questions, or nil if it was not tried.
func (r QuestionReport) row(strategy string) *Served {
	at := slices.IndexFunc(r.Rows, func(row Served) bool { return row.Kind == together && row.Strategy == strategy })
	if at < 0 {
		return nil
	}
	return &r.Rows[at]
}
