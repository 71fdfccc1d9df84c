package config_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/config"
	"heddle/internal/golden"
	"heddle/internal/layout"
)

const (
	readme   = "../README.md"
	document = "../docs/settings.md"
	example  = "../.env.example"
	begin    = "<!-- variables: made by go generate ./config -->\n"
	end      = "<!-- variables end -->"
)

func TestGeneratedTexts(t *testing.T) {
	text := read(t, readme)
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table: a line %q and a line %q", readme, begin, end)
	}
	hold(t, readme, text, before+begin+"\n"+config.Essentials()+"\n"+end+after)
	hold(t, document, read(t, document), config.Document())
	hold(t, example, read(t, example), config.Example())
}

// hold demands that a file is as it would be made, or makes it so with -update.
func hold(t *testing.T, name, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	if !golden.Updating() {
		t.Errorf("%s does not agree with config.Config; run go generate ./config", name)
		return
	}
	golden.Write(t, name, want)
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil && !golden.Updating() {
		t.Fatal(err)
	}
	return string(content)
}

// TestTheExampleIsTheDefaults uncomments every line of .env.example and reads it.
func TestTheExampleIsTheDefaults(t *testing.T) {
	var lines []string
	for line := range strings.Lines(config.Example()) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "# "), "="); ok && name == strings.ToUpper(name) {
			line = strings.TrimPrefix(line, "# ")
		}
		lines = append(lines, line)
	}
	fromExample, warnings, err := config.Load(nil, files(map[string]string{".env": strings.Join(lines, "")}))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("the example brings the warnings %v, want none", warnings)
	}
	defaults, _, err := config.Load(nil, noFiles)
	if err != nil {
		t.Fatal(err)
	}
	if fromExample != defaults {
		t.Errorf("the example gives\n%+v, want the defaults\n%+v", fromExample, defaults)
	}
	for _, v := range config.Variables() {
		if !strings.Contains(config.Example(), "\n# "+v.Name+"=") {
			t.Errorf("%s is not in the example, want every setting", v.Name)
		}
	}
}

func TestEveryVariableSaysWhatItIsFor(t *testing.T) {
	for _, v := range config.Variables() {
		if v.Usage == "" || strings.HasSuffix(v.Usage, ".") || strings.ContainsAny(v.Usage, "|\n") {
			t.Errorf("%s: usage %q, want one line without a full stop", v.Name, v.Usage)
		}
	}
}

func TestTheTableShowsValuesAndDefaults(t *testing.T) {
	c, _, err := config.Load([]string{"MAX_TOTAL=44", "TEMPERATURE=0.5", "DISCORD_TOKEN=t", "MIN_LINEAR=10"}, noFiles)
	if err != nil {
		t.Fatal(err)
	}
	table := c.Table()
	for _, want := range []string{
		"\n* MAX_TOTAL              44, by default 30\n      most messages",
		"\n* TEMPERATURE            0.5\n      sampling",
		"\n* DISCORD_TOKEN          (set)\n      token",
		"\n  OPENAI_API_KEY         (unset)\n      key",
		"\n  TIME_THRESHOLD         auto\n      pause",
		"\n  MIN_LINEAR             10\n      messages",
		"\n  CACHE_TTL              720h\n      how",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q, want it", want)
		}
	}
	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > layout.Width {
			t.Errorf("%d columns wide: %s, want at most %d", n, line, layout.Width)
		}
	}
}
