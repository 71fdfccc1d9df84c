package cli

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// completions holds a template of a script for each shell.
//
//go:embed completion
var completions embed.FS

// completable is a command as a shell completes it.
type completable struct {
	Name, About string
	Flags       []string // with their dashes
}

// completion writes a script that completes heddle's commands and their flags.
func completion(ctx context.Context, args []string, p Process) error {
	shells := []string{"bash", "fish", "zsh"}
	rest, err := parseFlags(new(flag.FlagSet), "completion", args, 1, p)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return misuseError{fmt.Errorf("name a shell: %s", strings.Join(shells, ", "))}
	}
	if !slices.Contains(shells, rest[0]) {
		return misuseError{fmt.Errorf("no completion is known for the shell %q; there are %s", rest[0], strings.Join(shells, ", "))}
	}
	script, err := template.New(rest[0]).Funcs(template.FuncMap{"join": strings.Join, "quote": shellQuote}).
		ParseFS(completions, "completion/"+rest[0])
	if err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	var all []completable
	for _, c := range commands() {
		flags, err := c.flags(ctx)
		if err != nil {
			return err
		}
		all = append(all, completable{c.name, c.about, flags})
	}
	return script.Execute(p.Stdout, all)
}

// flags returns the command's flags as people type them, which its help lists.
func (c command) flags(ctx context.Context) ([]string, error) {
	var text strings.Builder
	if err := c.run(ctx, []string{"--help"}, Process{Stdout: &text, Stderr: &text}); err != nil && !errors.Is(err, flag.ErrHelp) {
		return nil, fmt.Errorf("list the flags of %s: %w", c.name, err)
	}
	var flags []string
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "  -") {
			flags = append(flags, strings.Fields(line)[0])
		}
	}
	return flags, nil
}

// shellQuote quotes text for all three shells. It holds no backslash.
func shellQuote(text string) string { return `'` + strings.ReplaceAll(text, `'`, `’`) + `'` }
