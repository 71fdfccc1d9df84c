package doctor

import (
	"fmt"
	"io"
	"strings"

	"heddle/internal/layout"
)

// Level is the severity of a finding.
type Level uint8

// The levels, from harmless to worst.
const (
	Fine    Level = iota
	Warning       // heddle can answer, but not everywhere or not as well as it could
	Fault         // heddle cannot answer
)

// String returns the level as it is printed.
func (l Level) String() string {
	switch l {
	case Warning:
		return "warning"
	case Fault:
		return "FAULT"
	case Fine:
	}
	return "ok"
}

// Finding is the result of one check.
type Finding struct {
	Level  Level
	About  string // what was checked, in one word
	Found  string // one clause
	Remedy string // what to do about it; empty if there is nothing to do
}

// Report collects findings.
type Report struct{ findings []Finding }

// Fine adds a finding that something is in order.
func (r *Report) Fine(about, format string, args ...any) {
	r.Add(Finding{About: about, Found: fmt.Sprintf(format, args...)})
}

// Add adds a finding.
func (r *Report) Add(f Finding) { r.findings = append(r.findings, f) }

// Worst returns the level of the worst finding.
func (r *Report) Worst() Level {
	worst := Fine
	for _, f := range r.findings {
		worst = max(worst, f.Level)
	}
	return worst
}

// Print writes the findings in the order in which they were added, each with its remedy
// below it, and then how many of them need attention.
func (r *Report) Print(w io.Writer) {
	about := 0
	for _, f := range r.findings {
		about = max(about, len(f.About))
	}
	for _, f := range r.findings {
		indent := 8 + 1 + about + 2
		found := strings.TrimLeft(layout.Wrap(f.Found, indent), " ")
		fmt.Fprintf(w, "%-8s %-*s  %s", f.Level, about, f.About, found)
		if f.Remedy != "" {
			remedy := strings.TrimLeft(layout.Wrap(f.Remedy, indent+2), " ")
			fmt.Fprintf(w, "%s→ %s", strings.Repeat(" ", indent), remedy)
		}
	}
	fmt.Fprintf(w, "\n%s\n", r.summary())
}

func (r *Report) summary() string {
	faults, warnings := r.count(Fault), r.count(Warning)
	switch {
	case faults == 0 && warnings == 0:
		return "Nothing needs mending."
	case faults == 0:
		return fmt.Sprintf("heddle can answer. %s.", plural(warnings, "warning"))
	case warnings == 0:
		return fmt.Sprintf("heddle cannot answer until this is mended: %s.", plural(faults, "fault"))
	}
	return fmt.Sprintf("heddle cannot answer until this is mended: %s. There is also %s.", plural(faults, "fault"), plural(warnings, "warning"))
}

func (r *Report) count(level Level) int {
	n := 0
	for _, f := range r.findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
