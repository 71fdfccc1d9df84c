package config_test

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"heddle/config"
	"heddle/internal/errtest"
	"heddle/internal/golden"
	"heddle/internal/terminal"
)

const (
	readmeFile   = "../README.md"
	documentFile = "../docs/settings.md"
	exampleFile  = "../.env.example"
	begin        = "<!-- variables: made by go generate ./config -->\n"
	end          = "<!-- variables end -->"
)

func TestGeneratedTexts(t *testing.T) {
	text := read(t, readmeFile)
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table: a line %q and a line %q", readmeFile, begin, end)
	}
	hold(t, readmeFile, text, before+begin+"\n"+essentials()+"\n"+end+after)
	hold(t, documentFile, read(t, documentFile), document())
	hold(t, exampleFile, read(t, exampleFile), example())
}

// described is a variable with what only the documents use of its field's tags.
type described struct {
	config.Variable
	section string // the heading that it stands under
	readme  bool   // most who run heddle set it
}

// documented returns all variables in the order in which they are shown.
func documented() (all []described) {
	section, variables := "", config.Variables()
	for field := range reflect.TypeFor[config.Config]().Fields() {
		section = cmp.Or(field.Tag.Get("section"), section)
		if field.IsExported() {
			all = append(all, described{variables[len(all)], section, field.Tag.Get("readme") == "true"})
		}
	}
	return all
}

// document returns docs/settings.md: every variable, section by section.
func document() string {
	var b strings.Builder
	b.WriteString("<!-- made by go generate ./config -->\n# Settings\n\n" +
		"Settings are environment variables, or lines in a file `.env`; the environment comes first. " +
		"For a secret and for `SYSTEM_PROMPT`, the same name with `_FILE` may name a file that contains it. " +
		"`heddle config` shows the settings in effect, and everything that is wrong with them.\n\n" +
		"Times are written as `1500ms`, `90s`, `10m` or `24h`. Ids are the numbers that *Copy ID* gives in Discord, once Developer Mode is on in its settings.\n\n")
	section := ""
	for _, v := range documented() {
		if v.section != section {
			section = v.section
			fmt.Fprintf(&b, "- [%s](#%s)\n", section, strings.ReplaceAll(strings.ToLower(section), " ", "-"))
		}
	}
	section = ""
	for _, v := range documented() {
		if v.section != section {
			section = v.section
			b.WriteString("\n## " + section + "\n\n" + tableHead)
		}
		b.WriteString(v.row(v.Default))
	}
	return b.String()
}

// essentials returns the README's table: the variables that most people set.
func essentials() string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, v := range documented() {
		if v.readme {
			b.WriteString(v.row(clipped(v.Default)))
		}
	}
	return b.String()
}

const tableHead = "| variable | default | meaning |\n|---|---|---|\n"

// row returns v's row in a table in Markdown, with its default as it is to be shown there.
func (v described) row(byDefault string) string {
	if byDefault != "" {
		byDefault = "`" + byDefault + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", v.Name, byDefault, v.Usage)
}

// example returns .env.example: every variable at its default, commented out.
func example() string {
	var b strings.Builder
	b.WriteString("# Settings of heddle. Copy this file to .env and fill in the first two secrets.\n" +
		"# The environment comes before .env. Instead of a secret, NAME_FILE may name a\n" +
		"# file that holds it. \"heddle config\" shows what is in effect.\n")
	section := ""
	for _, v := range documented() {
		if v.section != section {
			section = v.section
			b.WriteString("\n\n# ---- " + section + " ----\n")
		}
		meaning := v.Usage
		if v.Want != "" && v.Want != v.Usage {
			meaning += " (" + v.Want + ")"
		}
		if v.File {
			meaning += "; also as " + v.Name + "_FILE"
		}
		b.WriteByte('\n')
		for line := range strings.Lines(terminal.Wrap(meaning, 2)) {
			b.WriteString("#" + line[1:])
		}
		b.WriteString("# " + v.Name + "=" + quote(v.Default) + "\n")
	}
	return b.String()
}

// quote returns value as it has to be written in a .env file.
func quote(value string) string {
	if strings.ContainsAny(value, " #'") {
		return `"` + value + `"`
	}
	return value
}

// clipped shortens a default to what fits into a column.
func clipped(s string) string {
	const most = 36
	if len(s) <= most {
		return s
	}
	return s[:most-1] + "…"
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
	for line := range strings.Lines(example()) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "# "), "="); ok && name == strings.ToUpper(name) {
			line = strings.TrimPrefix(line, "# ")
		}
		lines = append(lines, line)
	}
	fromExample, warnings, err := config.Load(nil, files(map[string]string{".env": strings.Join(lines, "")}))
	errtest.None(t, err)
	if len(warnings) > 0 {
		t.Errorf("the example brings the warnings %v, want none", warnings)
	}
	defaults := load(t, nil, noFiles)
	if !reflect.DeepEqual(fromExample, defaults) {
		t.Errorf("the example gives\n%+v, want the defaults\n%+v", fromExample, defaults)
	}
	for _, v := range config.Variables() {
		if !strings.Contains(example(), "\n# "+v.Name+"=") {
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
	c := load(t, []string{"MAX_TOTAL=44", "TEMPERATURE=0.5", "DISCORD_TOKEN=t", "MIN_LINEAR=10"}, noFiles)
	table := c.Table()
	for _, want := range []string{
		"\n* MAX_TOTAL              44, by default 30\n      most messages",
		"\n* TEMPERATURE            0.5\n      sampling",
		"\n* DISCORD_TOKEN          (set)\n      token",
		"\n  OPENAI_API_KEY         (unset)\n      key",
		"\n  TIME_THRESHOLD         auto\n      pause",
		"\n  MIN_LINEAR             10\n      how many",
		"\n  CACHE_TTL              720h\n      how",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q, want it", want)
		}
	}
	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > terminal.Width {
			t.Errorf("%d columns wide: %s, want at most %d", n, line, terminal.Width)
		}
	}
}

// compose is what is checked of a compose file.
type compose struct {
	Services map[string]struct {
		Build       any
		Environment map[string]string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck any
	}
}

// TestComposeFilesFitTheSettings checks that each variable that a compose file gives
// heddle is a setting, and that the values are valid. A service that is waited for exists,
// and has a health check if it has to be healthy.
func TestComposeFilesFitTheSettings(t *testing.T) {
	for file, processes := range map[string]int{"../compose.yaml": 1, "../deploy/compose.three.yaml": 3} {
		t.Run(file, func(t *testing.T) {
			raw := errtest.Must(os.ReadFile(file))(t)
			var c compose
			errtest.None(t, yaml.Unmarshal(raw, &c))
			found := 0
			for name, service := range c.Services {
				for other, needs := range service.DependsOn {
					needed, ok := c.Services[other]
					if !ok || needs.Condition == "service_healthy" && needed.Healthcheck == nil {
						t.Errorf("%s waits for %s, which is not there or has no health check, want a service with one", name, other)
					}
				}
				if service.Build != nil {
					found++
					valid(t, service.Environment)
				}
			}
			if found != processes {
				t.Errorf("heddle is started %d times, want %d", found, processes)
			}
		})
	}
}

// valid checks the variables that a compose file gives heddle.
func valid(t *testing.T, environment map[string]string) {
	t.Helper()
	environ := []string{"DISCORD_TOKEN=x", "OPENAI_MODEL=x", "OPENAI_API_KEY=x"}
	for variable, value := range environment {
		if !slices.ContainsFunc(config.Variables(), func(v config.Variable) bool { return v.Name == variable }) {
			t.Errorf("%s is set, want only settings that there are", variable)
		}
		environ = append(environ, variable+"="+value)
	}
	if _, warnings, err := config.LoadBot(environ, noFiles); err != nil || len(warnings) > 0 {
		t.Errorf("the settings give %v with the warnings %v, want valid ones and no warnings", err, warnings)
	}
}
