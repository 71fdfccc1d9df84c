package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"heddle/internal/nearest"
)

// serveCommand is what "heddle" alone does.
const serveCommand = "serve"

// command is one thing that heddle does, named by the first argument.
type command struct {
	name  string
	args  string // what may follow the name
	about string // one clause
	run   func(ctx context.Context, args []string, p Process) error
}

// commands are all commands, in the order that help shows them.
func commands() []command {
	return []command{
		{"try", "[-address HOST:PORT]", "play with heddle on this machine: nothing to sign up for", try},
		{"eval", "DIR… [flags]", "measure how well contexts are chosen in annotated logs", eval},
		{"explain", "EXPORT.json --at MESSAGE [flags]", "show what heddle would answer a message of your own channel from, and why", explainChoice},
		{"train", "DIR… -o FILE [flags]", "fit the weights of the link model to annotated logs", train},
		{"calibrate", "[-o FILE] [FILE]", "fit how often people found answers good to how certain the model was of them", calibrate},
		{"tree", "[flags]", "show the stored conversations and their answers", showTree},
		{"verify", "[-scope SCOPE]", "work out every stored hash anew and say what does not fit", verify},
		{"migrate", "", "bring a store that an older version wrote forward", migrate},
		{"export", "-format FORMAT [-scope SCOPE]", "write answers as data to train on, of people who consented alone", export},
		{"forget", "-author ID", "erase all that was stored of a person's words", forget},
		{"health", "", "ask the heddle that runs on this machine whether it answers; status 0 if so", askHealth},
		{"config", "", "show every setting, its default and what is in effect", showConfig},
		{"help", "[COMMAND]", "show this", help},
		{"version", "", "show which version this is", showVersion},
	}
}

// find gives the command called name.
func find(name string) (command, error) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	var names []string
	if name == serveCommand {
		return command{serveCommand, "", "answer on Discord", serve}, nil
	}
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	hint := `"heddle help" lists all commands`
	if meant := nearest.Of(name, names); meant != "" {
		hint = fmt.Sprintf("did you mean %q?", meant)
	}
	return command{}, misuseError{fmt.Errorf("there is no command %q; %s", name, hint)}
}

// parseFlags reads the flags of the command called name and gives what follows
// them, at most so many arguments. A misuse is told as a sentence and what would
// be right; asked for help, it shows that alone and returns flag.ErrHelp.
func parseFlags(flags *flag.FlagSet, name string, args []string, most int, p Process) ([]string, error) {
	var usage strings.Builder
	flags.Init(name, flag.ContinueOnError)
	flags.SetOutput(&usage)
	flags.Usage = func() {}
	err := flags.Parse(args)
	if err == nil && flags.NArg() > most {
		err = fmt.Errorf("%q is one argument too many", flags.Arg(most))
	}
	if err == nil {
		return flags.Args(), nil
	}
	c, findErr := find(name)
	if findErr != nil {
		return nil, findErr
	}
	usage.Reset()
	fmt.Fprintf(&usage, "heddle %s\n  %s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	flags.PrintDefaults()
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.Stdout, usage.String())
		return nil, flag.ErrHelp
	}
	return nil, misuseError{fmt.Errorf("%w\nusage: %s", err, strings.TrimRight(usage.String(), "\n"))}
}

// help shows all commands, or how one is used.
func help(ctx context.Context, args []string, p Process) error {
	rest, err := parseFlags(new(flag.FlagSet), "help", args, 1, p)
	if err != nil {
		return err
	}
	if len(rest) == 1 && rest[0] != "help" {
		c, err := find(rest[0])
		if err != nil {
			return err
		}
		return c.run(ctx, []string{"-help"}, p)
	}
	fmt.Fprint(p.Stdout, "heddle parts the threads of a busy Discord channel before it answers.\n\n")
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprint(table, "  heddle\tanswer on Discord\n")
	for _, c := range commands() {
		fmt.Fprintf(table, "  heddle %s\t%s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write help: %w", err)
	}
	fmt.Fprint(p.Stdout, "\nSettings are environment variables; \"heddle config\" shows them all.\n")
	return nil
}

// showVersion prints the module's version, where it was built with one, and Go's.
func showVersion(_ context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), "version", args, 0, p); err != nil {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this binary was built without its version")
	}
	version := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && version == "(devel)" {
			version = setting.Value
		}
	}
	fmt.Fprintf(p.Stdout, "heddle %s %s\n", version, info.GoVersion)
	return nil
}
