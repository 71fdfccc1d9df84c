package chatlog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"heddle/internal/evaluation"
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
	*flag.FlagSet
	usage string
}

// NewCommandLine returns the command line of the command called name. usage is the first
// part of its help.
func NewCommandLine(name, usage string) CommandLine {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return CommandLine{flags, usage}
}

// Rest parses the flags and returns the other arguments. If help is asked for, Rest
// writes it to out and returns flag.ErrHelp.
func (c CommandLine) Rest(args []string, out io.Writer) ([]string, error) {
	var rest []string
	for {
		err := c.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprint(out, c.usage+terminal.Flags(c.FlagSet))
			return nil, flag.ErrHelp
		case err != nil:
			return nil, evaluation.Errorf("%w; \"lab help %s\" shows how to call it", terminal.FlagError(c.FlagSet, err), c.Name())
		}
		args = c.Args()
		if len(args) == 0 {
			return rest, nil
		}
		rest = append(rest, args[0])
		args = args[1:]
	}
}

// Places is Rest for files and folders, of which there must be one.
func (c CommandLine) Places(args []string, out io.Writer) ([]string, error) {
	places, err := c.Rest(args, out)
	if err == nil && len(places) == 0 {
		err = evaluation.Errorf("name an export, or a folder with annotated logs; \"lab help %s\" shows how to call it", c.Name())
	}
	return places, err
}
