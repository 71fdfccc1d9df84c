package cli

import (
	"fmt"
	"io"
)

// output is the standard output of a command. It keeps the first error of writing to it, so
// that no command has to look: output that is not whole is a failure.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless an earlier write failed.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	if err != nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
	return n, o.err
}
