// Package terminal shows people what commands say: text in lines that fit, flags, typing
// errors with what is meant, and how far a long command is.
package terminal

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Width is the number of columns that a line of help fills at most.
const Width = 80

// Wrap returns text in lines of at most Width columns, each after an indent of spaces
// and with a newline at its end. A word that is longer than a line stands alone.
func Wrap(text string, indent int) string {
	var b strings.Builder
	at := 0 // column
	for word := range strings.FieldsSeq(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			b.WriteString(strings.Repeat(" ", indent))
			at = indent
		case at+1+length > Width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += length
	}
	if at > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Flags returns the flags of a command in the order of their names, each with its value,
// its default and what it means.
func Flags(flags *flag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *flag.Flag) {
		value, meaning := valueOf(f)
		fmt.Fprintf(&b, "  %s", Dashed(f.Name))
		if value != "" {
			b.WriteString(" " + value)
		}
		if f.DefValue != "" && f.DefValue != "false" {
			b.WriteString("  (default " + f.DefValue + ")")
		}
		b.WriteString("\n" + Wrap(meaning, 6))
	})
	return b.String()
}

// valueOf returns what stands for a flag's value, and what the flag means. Without a
// name in the usage the flag's own name stands for text, and N for a number.
func valueOf(f *flag.Flag) (value, meaning string) {
	value, meaning = flag.UnquoteUsage(f)
	if meaning != f.Usage {
		return value, meaning
	}
	switch value {
	case "int", "uint", "float":
		return "N", meaning
	case "string", "value":
		return strings.ToUpper(f.Name), meaning
	}
	return value, meaning
}

// Dashed returns a flag as people type it: --name, or -n for a name of one letter.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// undefined begins the flag package's error for a flag that a command does not have. The
// package has no type for it.
const undefined = "flag provided but not defined: "

// FlagError returns err, an error of flags.Parse, in the words of the help: with the flag
// that may be meant in place of one that does not exist.
func FlagError(flags *flag.FlagSet, err error) error {
	name, missing := strings.CutPrefix(err.Error(), undefined)
	if !missing {
		return valueError(err)
	}
	name = strings.TrimLeft(name, "-")
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if meant := Nearest(name, names); meant != "" {
		return fmt.Errorf("there is no flag %s; did you mean %s?", Dashed(name), Dashed(meant)) //nolint:err113 // for people
	}
	return fmt.Errorf("there is no flag %s", Dashed(name)) //nolint:err113 // for people
}

// What package flag says of a value that a flag cannot take, or that is not there. Of a
// number, the cause of the first is one of causeless.
var (
	refused   = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([\w-]+): (.*)$`)
	valueless = regexp.MustCompile(`^flag needs an argument: -([\w-]+)$`)
	causeless = regexp.MustCompile(`parse error|value out of range`)
)

// valueError returns an error about the value of a flag in the words of the help.
func valueError(err error) error {
	if found := valueless.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s needs a value", Dashed(found[1])) //nolint:err113 // for people
	}
	found := refused.FindStringSubmatch(err.Error())
	switch {
	case found == nil:
		return err
	case causeless.MatchString(found[3]):
		return fmt.Errorf("%s cannot be %s", Dashed(found[2]), found[1]) //nolint:err113 // for people
	}
	return fmt.Errorf("%s: %s", Dashed(found[2]), found[3]) //nolint:err113 // for people
}
