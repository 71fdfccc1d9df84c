// Package terminal shows people what commands say: text in lines that fit, errors that they can
// correct, typing errors with what is meant, and how far a long command is.
package terminal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/pflag"
)

// Width is the number of columns that a line of help fills at most.
const Width = 80

// Wrap returns text in lines of at most Width columns, each after an indent of spaces
// and with a newline at its end. A word that is longer than a line stands alone.
func Wrap(text string, indent int) string {
	var b strings.Builder
	for _, line := range Lines(text, Width-indent) {
		b.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
	return b.String()
}

// Lines breaks text into lines of at most columns columns, between words. A word that is
// longer than a line stands alone.
func Lines(text string, columns int) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last < 0 || uniseg.StringWidth(lines[last])+1+uniseg.StringWidth(word) > columns {
			lines = append(lines, word)
			continue
		}
		lines[last] += " " + word
	}
	return lines
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// FlagError returns err, an error of flags.Parse, in the words of the help: with the flag
// that may be meant in place of one that does not exist.
func FlagError(flags *pflag.FlagSet, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s cannot be %q", invalid.GetFlag().Name, invalid.GetValue()) //nolint:err113 // for people
	}
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	typed := "--" + missing.GetSpecifiedName()
	if short := missing.GetSpecifiedShortnames(); short != "" {
		typed = "-" + short
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if meant := Nearest(strings.TrimLeft(typed, "-"), names); meant != "" {
		return fmt.Errorf("there is no flag %s (did you mean --%s?)", typed, meant) //nolint:err113 // for people
	}
	return fmt.Errorf("there is no flag %s", typed) //nolint:err113 // for people
}
