package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"heddle/internal/terminal"
)

// serveCommand is the command that runs if none is named.
const serveCommand = "serve"

// command is something that heddle does, named by the first argument.
type command struct {
	name    string
	args    string // what may follow the name
	about   string // one clause
	example string // what may follow the name, in one typical call
	needs   string // what its arguments name; empty if it needs none
	most    int    // how many arguments it takes beside flags
	begin   func(flags *pflag.FlagSet) action
}

// action carries out a command whose flags are read, with the other arguments.
type action func(ctx context.Context, args []string, p Process) error

// flagless returns what begins a command without flags.
func flagless(do action) func(*pflag.FlagSet) action {
	return func(*pflag.FlagSet) action { return do }
}

// many is more arguments than anybody types.
const many = 1000

// somebody is what the arguments of commands about people name.
const somebody = "somebody by their id on Discord, which Discord shows with Developer Mode on"

// group is commands for one purpose.
type group struct {
	purpose  string
	commands []command
}

// groups returns the commands in the order in which help shows them.
func groups() []group {
	return []group{
		{"Try it, without an account", []command{
			{"try", "[--address HOST:PORT] [EXPORT.json…]", "play with heddle on this machine, also in an export of your own channel: nothing to sign up for", "general.json", "", many, try},
			{"explain", "EXPORT.json [flags]", "show what heddle would answer a message of your own channel from, and why", "general.json --at last --compare last-30", "an export that DiscordChatExporter wrote with --format Json", many, explainChoice},
			{"eval", "EXPORT.json… [flags]", "measure which settings suit your own channel, by replies that are hidden", "general.json", "an export", many, eval},
		}},
		{"Run it", []command{
			{serveCommand, "", "answer on Discord; so does heddle alone", "", "", 0, flagless(serve)},
			{"config", "", "show every setting, what is in effect and what is wrong", "", "", 0, flagless(showConfig)},
			{"doctor", "[--guild ID] [--live CHANNEL]", "check everything that heddle needs, and say what to mend; status 0 if nothing, 1 for warnings, 2 if it cannot answer", "--guild 81384788765712384", "", 0, examine},
			{"health", "", "ask the heddle on this machine whether it answers; status 0 if so", "", "", 0, flagless(askHealth)},
		}},
		{"Look into what is stored", []command{
			{"tree", "[flags]", "show the stored conversations and their answers", "--format json", "", 0, showTree},
			{"verify", "[--scope SCOPE]", "recompute every stored hash and report what does not match", "--scope g81384788765712384", "", 0, verify},
			{"export", "[--scope SCOPE]", "write answers as on-policy training data, only of people who consented", ">answers.jsonl", "", 0, export},
		}},
		{"Let people be forgotten", []command{
			{"forget", "ID… [--guild] [--yes]", "show what is stored that was made from people's words; with --yes erase all of it, and opt them out", "80351110224678912", somebody, many, forget},
			{"opt-out", "ID…", "let nothing that people write be used from now on", "80351110224678912", somebody, many, flagless(optOut)},
			{"opt-in", "ID…", "end opt-outs", "80351110224678912", somebody, many, flagless(optIn)},
		}},
		{"Keep the store", []command{
			{"backup", "FILE", "copy the store into a file, also while heddle runs", "heddle.backup", "the file of the backup", 1, flagless(backUp)},
			{"restore", "FILE [--key FILE]", "fill an empty store from a backup, while heddle is stopped, also under another key", "heddle.backup", "the file of the backup", 1, restore},
		}},
		{"Help", []command{
			{"help", "[COMMAND]", "show this, or the flags of a command", "explain", "", 1, flagless(help)},
			{"version", "", "show the version, its commit and the commit's date", "", "", 0, flagless(showVersion)},
		}},
	}
}

// commands returns all commands.
func commands() []command {
	var all []command
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
}

// find returns the command called name.
func find(name string) (command, error) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	hint := `"heddle help" lists all commands`
	if meant := terminal.Nearest(name, names); meant != "" {
		hint = fmt.Sprintf("did you mean %q?", meant)
	}
	return command{}, terminal.Errorf("there is no command %q; %s", name, hint)
}

// usage returns how to call the command.
func (c command) usage() string {
	text := fmt.Sprintf("heddle %s\n", strings.TrimSpace(c.name+" "+c.args)) + terminal.Wrap(c.about, 2)
	if c.example != "" {
		text += fmt.Sprintf("  for example: heddle %s %s\n", c.name, c.example)
	}
	return text
}

// run runs the command, or shows how to call it.
func (c command) run(ctx context.Context, args []string, p Process) error {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.Usage = func() {} // it is shown below
	do := c.begin(flags)
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(p.Stdout, c.usage()+flags.FlagUsagesWrapped(terminal.Width))
		return nil
	}
	switch {
	case err == nil && flags.NArg() > c.most:
		err = fmt.Errorf("%q is one argument too many", flags.Arg(c.most))
	case err == nil && flags.NArg() == 0 && c.needs != "":
		err = errors.New("name " + c.needs)
	}
	if err != nil {
		return terminal.Errorf("%w; \"heddle help %s\" shows how to call it", terminal.FlagError(flags, err), c.name)
	}
	return do(ctx, flags.Args(), p)
}

// help shows all commands, or how to call one.
func help(ctx context.Context, args []string, p Process) error {
	if len(args) == 1 && args[0] != "help" {
		c, err := find(args[0])
		if err != nil {
			return err
		}
		return c.run(ctx, []string{"--help"}, p)
	}
	fmt.Fprint(p.Stdout, "heddle untangles the talks of a busy Discord channel before it answers.\n")
	for _, g := range groups() {
		fmt.Fprintf(p.Stdout, "\n%s\n", g.purpose)
		for _, c := range g.commands {
			fmt.Fprintf(p.Stdout, "  heddle %s\n%s", strings.TrimSpace(c.name+" "+c.args), terminal.Wrap(c.about, 6))
		}
	}
	fmt.Fprint(p.Stdout, "\nThe flags of a command and an example: \"heddle help explain\".\n"+
		"Settings are environment variables; \"heddle config\" shows them all.\n")
	return nil
}

// Build is what a release build knows of itself. The linker writes it; a build without
// it is described by what Go's linker notes of the working copy.
type Build struct {
	Version string // v1.2.3
	Commit  string
	Date    string // of the commit, in RFC 3339
}

// unknown stands for what neither a release build nor a working copy says.
const unknown = "unknown"

// described returns b, completed by what Go noted in the binary.
func (b Build) described() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	noted := make(map[string]string)
	for _, setting := range info.Settings {
		noted[setting.Key] = setting.Value
	}
	if b.Commit == "" && noted["vcs.modified"] == "true" {
		noted["vcs.revision"] += ", with changes"
	}
	return Build{
		Version: cmp.Or(b.Version, info.Main.Version, unknown),
		Commit:  cmp.Or(b.Commit, noted["vcs.revision"], unknown),
		Date:    cmp.Or(b.Date, noted["vcs.time"], unknown),
	}
}

// showVersion prints which heddle this is, and what it was built from and with.
func showVersion(_ context.Context, _ []string, p Process) error {
	b := p.Build.described()
	fmt.Fprintf(p.Stdout, "heddle  %s\ncommit  %s\ndate    %s\ngo      %s %s/%s\n", b.Version, b.Commit, b.Date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
