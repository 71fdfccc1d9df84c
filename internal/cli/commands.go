package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"

	"heddle/internal/nearest"
)

// serveCommand is the command that runs if none is named.
const serveCommand = "serve"

// command is something that heddle does, named by the first argument.
type command struct {
	name    string
	args    string // what may follow the name
	about   string // one clause
	example string // what may follow the name, in one typical call
	run     func(ctx context.Context, args []string, p Process) error
}

// commands returns the commands in the order in which help shows them.
func commands() []command {
	return []command{
		{"try", "[-address HOST:PORT]", "play with heddle on this machine: nothing to sign up for", "-address 127.0.0.1:8080", try},
		{"eval", "DIR… [flags]", "measure how well contexts are chosen in annotated logs", "logs/irc -strategy heddle,last-30", eval},
		{"explain", "EXPORT.json --at MESSAGE [flags]", "show what heddle would answer a message of your own channel from, and why", "general.json --at last --compare last-30", explainChoice},
		{"train", "DIR… -o FILE [flags]", "fit the link model to annotated logs, logs with replies and exports", "logs/irc -o weights.json", train},
		{"calibrate", "[-o FILE] [FILE]", "fit how often people found answers good to how certain the model was of them", "-o curves.json", calibrate},
		{"tree", "[flags]", "show the stored conversations and their answers", "-format dot", showTree},
		{"verify", "[-scope SCOPE]", "recompute every stored hash and report what does not match", "-scope g81384788765712384", verify},
		{"migrate", "", "bring the store of an older version up to date", "", migrate},
		{"backup", "FILE", "copy the store into a file, also while heddle runs", "heddle.backup", backUp},
		{"restore", "FILE", "fill an empty store from a backup, while heddle is stopped", "heddle.backup", restore},
		{"rekey", "[FILE]", "change the key that encrypts the store, while heddle is stopped", "store.key", rekey},
		{"export", "-format FORMAT [-scope SCOPE]", "write answers as training data, of people who consented alone", "-format openai >answers.jsonl", export},
		{"forget", "ID… [-guild] [-yes]", "erase everything stored that was made from people's words, and opt them out", "80351110224678912", forget},
		{"opt-out", "ID…", "let nothing that people write be used from now on", "80351110224678912", optOut},
		{"opt-in", "ID…", "end opt-outs", "80351110224678912", optIn},
		{"doctor", "[-guild ID]", "check everything that heddle needs, and say what to mend; status 0 if nothing, 1 for warnings, 2 if it cannot answer", "-guild 81384788765712384", examine},
		{"health", "", "ask the heddle on this machine whether it answers; status 0 if so", "", askHealth},
		{"config", "", "show every setting, its default and the value in effect", "", showConfig},
		{"help", "[COMMAND]", "show this", "explain", help},
		{"version", "", "show the version, its commit and the commit's date", "", showVersion},
	}
}

// find returns the command called name.
func find(name string) (command, error) {
	switch name {
	case serveCommand:
		return command{name: serveCommand, about: "answer on Discord", run: serve}, nil
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	names := []string{serveCommand}
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

// usage returns how to call the command.
func (c command) usage() string {
	text := fmt.Sprintf("heddle %s\n  %s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	if c.example != "" {
		text += fmt.Sprintf("  for example: heddle %s %s\n", c.name, c.example)
	}
	return text
}

// parseFlags parses the flags of the command called name and returns the arguments
// after them, of which there may be at most most. A misuse comes with the usage. If
// help is asked for, parseFlags shows the usage and returns flag.ErrHelp.
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
	usage.WriteString(c.usage())
	flags.PrintDefaults()
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.Stdout, usage.String())
		return nil, flag.ErrHelp
	}
	return nil, misuseError{fmt.Errorf("%w\nusage: %s", err, strings.TrimRight(usage.String(), "\n"))}
}

// help shows all commands, or how to call one.
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
	fmt.Fprint(p.Stdout, "\nThe flags of a command and an example: \"heddle help explain\".\n"+
		"Settings are environment variables; \"heddle config\" shows them all.\n")
	return nil
}
