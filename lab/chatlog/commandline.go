package chatlog

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"heddle/internal/terminal"
)

// Command is a command of lab. Errors that the user can correct are of type
// *InputError.
type Command func(ctx context.Context, args []string, streams Streams) error

// Streams is the outputs of a command: Out for results and help, Err for progress.
type Streams struct {
	Out, Err io.Writer
	Usage    string // how to call the command: the first part of its help
}

// CommandLine is the command line of a command: flags and other arguments, in any order.
type CommandLine struct {
	*pflag.FlagSet
	usage string
}

// NewCommandLine returns the command line of the command called name. usage is the first
// part of its help.
func NewCommandLine(name, usage string) CommandLine {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.Usage = func() {}
	return CommandLine{flags, usage}
}

// Rest parses the flags and returns the other arguments. If help is asked for, Rest
// writes it to out and returns pflag.ErrHelp.
func (c CommandLine) Rest(args []string, out io.Writer) ([]string, error) {
	err := c.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(out, c.usage+c.FlagUsagesWrapped(terminal.Width))
		return nil, pflag.ErrHelp
	case err != nil:
		return nil, terminal.Errorf("%w; \"lab help %s\" shows how to call it", terminal.FlagError(c.FlagSet, err), c.Name())
	}
	return c.Args(), nil
}

// Places is Rest for files and folders, of which there must be one.
func (c CommandLine) Places(args []string, out io.Writer) ([]string, error) {
	places, err := c.Rest(args, out)
	if err == nil && len(places) == 0 {
		err = terminal.Errorf("name an export, or a folder with annotated logs; \"lab help %s\" shows how to call it", c.Name())
	}
	return places, err
}
