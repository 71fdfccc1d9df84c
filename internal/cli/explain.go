package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"heddle/internal/evaluation"
	"heddle/internal/why"
)

// explainChoice shows what heddle would answer a message of an exported channel from.
func explainChoice(flags *pflag.FlagSet) action {
	o := why.Options{Zone: time.Local} // people read times of their own day
	flags.StringVar(&o.At, "at", "", "the `MESSAGE` to explain: its id, a link to it, or last for the newest; without, the last that mentions a bot")
	flags.StringVar(&o.Self, "self", "", "`ID` of the author that is heddle; without, a bot that the message mentions")
	flags.BoolVar(&o.JSON, "json", false, "write JSON instead of text")
	flags.Func("compare", "set this `STRATEGY` beside (several with commas): last-30, last-10, window, reply-chain, plain", func(names string) error {
		o.Compare = append(o.Compare, strings.Split(names, ",")...)
		return nil
	})
	return func(ctx context.Context, args []string, p Process) error {
		o.Files = args
		c, err := p.load()
		if err != nil {
			return err
		}
		if o.Bot, err = previewed(c, p); err != nil {
			return err
		}
		err = why.Explain(ctx, o, p.Stdout)
		if _, input := errors.AsType[*evaluation.InputError](err); input {
			return misuseError{err}
		}
		return err
	}
}
