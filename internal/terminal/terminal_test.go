package terminal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"heddle/internal/terminal"
)

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	text := strings.Repeat("a bb ccc dddd “eeeee” ", 30) + strings.Repeat("x", 100) + " end"
	for indent := range 12 {
		wrapped := terminal.Wrap(text, indent)
		if got, want := strings.Join(strings.Fields(wrapped), " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("indent %d: words are lost: %s, want %s", indent, got, want)
		}
		for line := range strings.Lines(wrapped) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > terminal.Width && !strings.Contains(line, "xxxx") {
				t.Errorf("indent %d: the line %q is too wide, want at most %d columns", indent, line, terminal.Width)
			}
			if !strings.HasPrefix(line, strings.Repeat(" ", indent)) || strings.HasSuffix(line, " ") {
				t.Errorf("indent %d: %q, want %q at its start and no %q at its end", indent, line, strings.Repeat(" ", indent), " ")
			}
		}
	}
	if got := terminal.Wrap(" \n", 4); got != "" {
		t.Errorf("nothing is wrapped to %q, want none", got)
	}
}

func TestAWrongFlagIsNamedAsPeopleTypeIt(t *testing.T) {
	flags := pflag.NewFlagSet("tree", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.String("format", "text", "text or json")
	flags.Int("rounds", 3, "how often")
	flags.Bool("yes", false, "do not ask")
	for args, want := range map[string]string{
		"--formt":    "there is no flag --formt (did you mean --format?)",
		"-format":    "there is no flag -format (did you mean --format?)",
		"-x":         "there is no flag -x",
		"--rounds=a": `--rounds cannot be "a"`,
		"--rounds":   "flag needs an argument: --rounds",
		"--yes=a":    `--yes cannot be "a"`,
	} {
		if got := terminal.FlagError(flags, flags.Parse([]string{args})); got == nil || got.Error() != want {
			t.Errorf("%s: %v, want %s", args, got, want)
		}
	}
}

func TestATypingErrorLeadsToTheNearestName(t *testing.T) {
	commands := []string{"try", "config", "eval", "explain", "verify"}
	for word, want := range map[string]string{
		"confg":   "config",
		"CONFIG":  "config",
		"exlpain": "explain",
		"tri":     "try",
		"evaluat": "",
		"evall":   "eval",
		"xyz":     "",
		"":        "",
		"ünïcode": "",
	} {
		if got := terminal.Nearest(word, commands); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
