package chatlog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"heddle/internal/layout"
)

// Command is a command that reads logs. Errors that the user can correct are of type
// *InputError.
type Command func(ctx context.Context, args []string, streams Streams) error

// Streams is the outputs of a command: Out for results and help, Err for progress.
type Streams struct {
	Out, Err io.Writer
	Usage    string // how to call the command: the first part of its help
}

// CommandLine is the command line of a command that reads logs: flags, and files or
// folders, in any order.
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

// Places parses the flags and returns the files and folders that are named. If help is
// asked for, Places writes it to out and returns flag.ErrHelp.
func (c CommandLine) Places(args []string, out io.Writer) ([]string, error) {
	var places []string
	for {
		err := c.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprint(out, c.usage+layout.Flags(c.FlagSet))
			return nil, flag.ErrHelp
		case err != nil:
			return nil, Errorf("%w; \"heddle help %s\" shows how to call it", layout.FlagError(c.FlagSet, err), c.Name())
		}
		args = c.Args()
		if len(args) == 0 {
			break
		}
		places = append(places, args[0])
		args = args[1:]
	}
	if len(places) == 0 {
		return nil, Errorf("name an export, or a folder with annotated logs; \"heddle help %s\" shows how to call it", c.Name())
	}
	return places, nil
}
