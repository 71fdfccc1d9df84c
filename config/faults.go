package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a configuration: the variable, the problem
// and the remedy. It never holds the value of a secret.
type Fault struct {
	Variable string
	Problem  string
	Remedy   string
}

// String returns the fault as one line.
func (f Fault) String() string { return f.Variable + " " + f.Problem + "; " + f.Remedy }

// InvalidError is everything that is wrong with a configuration, in the order of the
// variables.
type InvalidError struct{ Faults []Fault }

// Error names all faults: one in the same line, several in a line each.
func (e InvalidError) Error() string {
	if len(e.Faults) == 1 {
		return "the configuration has a fault: " + e.Faults[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the configuration has %d faults:", len(e.Faults))
	for _, fault := range e.Faults {
		b.WriteString("\n  " + fault.String())
	}
	return b.String()
}
