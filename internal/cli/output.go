package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"heddle/internal/layout"
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

// tell writes a message for people, and ends it with a newline. On a terminal, no word of
// a long line is broken; elsewhere, lines stay as they are, so that programs find them
// whole.
func tell(w io.Writer, format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	if terminal(w) > 0 {
		text = wrapped(text)
	}
	fmt.Fprintln(w, text)
}

// wrapped returns text with its long lines broken between words. What follows a break
// is indented by two columns more than its line.
func wrapped(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) <= layout.Width {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		broken := strings.TrimSpace(layout.Wrap(line, indent+2))
		lines[i] = line[:indent] + broken
	}
	return strings.Join(lines, "\n")
}
