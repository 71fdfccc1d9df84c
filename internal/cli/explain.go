package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"heddle/graph"
	"heddle/internal/explain"
)

// explainChoice shows what heddle would answer a message of an exported channel from.
func explainChoice(ctx context.Context, args []string, p Process) error {
	o := explain.Options{Format: graph.FormatText, Zone: time.Local} // people read times of their own day
	flags := new(flag.FlagSet)
	flags.StringVar(&o.At, "at", "", "the `MESSAGE` to explain: its id, a link to it, or last")
	flags.StringVar(&o.Self, "self", "", "`ID` of the author that is heddle; without, a bot that the message mentions")
	flags.Func("format", "text, json, mermaid or dot", func(name string) (err error) {
		o.Format, err = graph.ParseFormat(name)
		return err
	})
	flags.Func("compare", "set this `STRATEGY` beside (several with commas): last-30, last-10, window, reply-chain, plain", func(names string) error {
		o.Compare = append(o.Compare, strings.Split(names, ",")...)
		return nil
	})
	for len(args) > 0 {
		rest, err := parseFlags(flags, "explain", args, len(args), p)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			o.Files = append(o.Files, rest[0])
			rest = rest[1:]
		}
		args = rest
	}
	c, err := p.load()
	if err != nil {
		return err
	}
	if o.Expand, err = expansion(c); err != nil {
		return err
	}
	if columns := terminal(p.Stdout); columns > 0 {
		o.Columns, o.Colour = columns, colours(p.Environ)
	}
	if terminal(p.Stderr) > 0 {
		o.Progress = p.Stderr
	}
	err = explain.Explain(ctx, o, p.Stdout)
	if _, input := errors.AsType[explain.InputError](err); input {
		return misuseError{err}
	}
	return err
}

// The narrowest and the widest layout of an explanation, in columns.
const (
	leastColumns = 80
	mostColumns  = 110
)

// terminal returns the width of an explanation for the terminal that w writes to, in
// columns, or 0 if w is not a terminal.
func terminal(w io.Writer) int {
	switch o := w.(type) {
	case *output:
		w = o.to
	case *records:
		w = o.to
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	wide, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return leastColumns
	}
	return min(max(wide, leastColumns), mostColumns)
}

// colours reports whether a terminal may show colours: not if NO_COLOR is set (see
// no-color.org), and not if TERM is dumb.
func colours(environ []string) bool {
	return !slices.ContainsFunc(environ, func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb"
	})
}
