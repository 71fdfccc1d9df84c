package terminal_test

import (
	"flag"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/internal/terminal"
)

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	t.Parallel()
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

func TestFlagsAreShownAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	flags := flag.NewFlagSet("tree", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.String("format", "text", "text or json")
	flags.String("o", "", "write to this `FILE`")
	flags.Int("rounds", 3, "how often")
	flags.Bool("yes", false, "do not ask")
	const want = `  --format FORMAT  (default text)
      text or json
  -o FILE
      write to this FILE
  --rounds N  (default 3)
      how often
  --yes
      do not ask
`
	if got := terminal.Flags(flags); got != want {
		t.Errorf("shown as\n%s\nwant\n%s", got, want)
	}
	for args, want := range map[string]string{
		"--formt":    "there is no flag --formt; did you mean --format?",
		"-x":         "there is no flag -x",
		"--rounds=a": `--rounds cannot be "a"`,
		"--rounds":   "--rounds needs a value",
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
