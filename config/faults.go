package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a configuration: which variable, what is
// wrong and what would be right. It never holds the value of a secret.
type Fault struct {
	Variable string
	Problem  string
	Remedy   string
}

// String is the fault as one line for people.
func (f Fault) String() string { return f.Variable + " " + f.Problem + "; " + f.Remedy }

// InvalidError is everything that is wrong with a configuration, in the table's order.
type InvalidError struct{ Faults []Fault }

// Error names all faults, a line each.
func (e InvalidError) Error() string {
	var b strings.Builder
	if len(e.Faults) == 1 {
		b.WriteString("the configuration has a fault:")
	} else {
		fmt.Fprintf(&b, "the configuration has %d faults:", len(e.Faults))
	}
	for _, fault := range e.Faults {
		b.WriteString("\n  " + fault.String())
	}
	return b.String()
}
