package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"heddle/internal/evaluation"
)

// Report is the result of an evaluation.
type Report struct {
	Summaries []Summary `json:"summaries"`
	Outcomes  []Outcome `json:"outcomes"`
}

// write writes a report in the requested form: JSON or tables.
func (f *evalFlags) write(report interface{ WriteText(w io.Writer) error }, w io.Writer) error {
	if !f.json {
		if err := report.WriteText(w); err != nil {
			return fmt.Errorf("write the tables: %w", err)
		}
		return nil
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(report); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// WriteText writes a table with a block of rows for each community.
func (r Report) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	community := ""
	for i := range r.Summaries {
		s := &r.Summaries[i]
		if s.Community != community {
			community = s.Community
			fmt.Fprintf(table, "\n%s\t%d logs, %d triggers\n", community, s.Logs, s.Triggers)
			fmt.Fprint(table, "strategy\tF1\t95%\tprecision\trecall\tchars\twasted\tall sent: F1\tchars\twasted\tlink F1\t1-1\tVI\tECE\thidden parents: in conversation\tof\tin sent\tof\n")
		}
		c, a := s.Conversation, s.Sent
		fmt.Fprintf(table, "%s\t%.3f\t%s\t%.3f\t%.3f\t%.0f\t%.0f\t%.3f\t%.0f\t%.0f\t%s\t%s\t%s\n",
			s.Strategy, c.F1, interval(s.Interval), c.Precision, c.Recall, c.Characters, c.Wasted,
			a.F1, a.Characters, a.Wasted, parted(s.Parted), off(s.Calibration), hidden(s.Hidden))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func interval(i *[2]float64) string {
	if i == nil {
		return "one log"
	}
	return fmt.Sprintf("%.3f–%.3f", i[0], i[1])
}

func parted(d *Disentanglement) string {
	if d == nil {
		return "–\t–\t–"
	}
	return fmt.Sprintf("%.3f\t%.3f\t%.3f", d.LinkF1, d.OneToOne, d.VI)
}

func off(calibration *float64) string {
	if calibration == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *calibration)
}

func hidden(p *evaluation.Parents) string {
	if p == nil {
		return "–\t–\t–\t–"
	}
	return fmt.Sprintf("%.3f\t%.1f\t%.3f\t%.1f", p.InConversation, p.Conversation, p.InSent, p.Sent)
}
