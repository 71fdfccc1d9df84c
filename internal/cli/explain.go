package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"heddle/internal/terminal"
	"heddle/internal/why"
)

// explainChoice shows what heddle would answer a message of an exported channel from.
func explainChoice(flags *pflag.FlagSet) action {
	o := why.Options{Zone: time.Local} // people read times of their own day
	flags.StringVar(&o.At, "at", "", "the `MESSAGE` to explain: its id, a link to it, or last for the newest; without, the last that mentions a bot")
	flags.StringVar(&o.Self, "self", "", "`ID` of the author that is heddle; without, a bot that the message mentions")
	format := flags.String("format", "text", "text or json")
	flags.Func("compare", "set this `STRATEGY` beside (several with commas): last-30, last-10, window, reply-chain, plain", func(names string) error {
		o.Compare = append(o.Compare, strings.Split(names, ",")...)
		return nil
	})
	return func(ctx context.Context, args []string, p Process) error {
		if o.Files, o.JSON = args, *format == "json"; !o.JSON && *format != "text" {
			return terminal.Errorf("there is no format %q; there are text and json", *format)
		}
		var err error
		if _, o.Bot, err = p.loadPreviewed(); err != nil {
			return err
		}
		o.Columns = columns(p.Stdout)
		return why.Explain(ctx, o, p.Stdout)
	}
}

// leastColumns is the narrowest layout of an explanation.
const leastColumns = 80

// columns returns the width of an explanation for the terminal that w writes to, in
// columns, or 0 if w is not a terminal.
func columns(w io.Writer) int {
	if o, ok := w.(*output); ok {
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
	return max(wide, leastColumns)
}
