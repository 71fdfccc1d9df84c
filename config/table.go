package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"heddle/internal/layout"
)

// Table returns every variable with its effective value and, below, its meaning. A star
// marks those that differ from their defaults, which then stand beside them. Of a secret
// it shows only whether it is set.
func (c Config) Table() string {
	var b strings.Builder
	b.WriteString("What is in effect. A * marks what differs from its default.\n\n")
	initial := reflect.ValueOf(defaults())
	for _, v := range Variables() {
		value := reflect.ValueOf(c).Field(v.field).Interface()
		mark, instead := " ", ""
		if !reflect.DeepEqual(value, initial.Field(v.field).Interface()) {
			mark = "*"
			if v.Default != "" {
				instead = ", by default " + clip(v.Default)
			}
		}
		line := fmt.Sprintf("%s %-22s %s%s", mark, v.Name, clip(c.show(v)), instead)
		b.WriteString(strings.TrimRight(line, " ") + "\n" + layout.Wrap(v.Usage, 6))
	}
	return b.String()
}

// defaults returns the settings of an empty environment.
func defaults() Config {
	c, _ := parse(nil)
	return c
}

// Differing returns the names of the variables whose values differ between c and other.
func (c Config) Differing(other Config) []string {
	var names []string
	for _, v := range Variables() {
		if !reflect.DeepEqual(reflect.ValueOf(c).Field(v.field).Interface(), reflect.ValueOf(other).Field(v.field).Interface()) {
			names = append(names, v.Name)
		}
	}
	return names
}

// show returns the effective value of v as people write it.
func (c Config) show(v Variable) string {
	value := reflect.ValueOf(c).Field(v.field)
	switch x := value.Interface().(type) {
	case Secret:
		if x == "" {
			return "(unset)"
		}
		return x.String()
	case Provider:
		if x == (Provider{}) {
			return "(unset)"
		}
		return x.String()
	case *float64:
		if x == nil {
			return ""
		}
		return fmt.Sprint(*x)
	case time.Duration:
		return shortDuration(x)
	case slog.Level:
		return strings.ToLower(x.String())
	default:
		return fmt.Sprint(x)
	}
}

// clip shortens s to one line that fits into a column.
func clip(s string) string {
	const most = 36
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// Document returns docs/settings.md: every variable, section by section.
func Document() string {
	var b strings.Builder
	b.WriteString("<!-- made by go generate ./config -->\n# Settings\n\n" +
		"Settings are environment variables, or lines in a file `.env`; the environment comes first. " +
		"For a secret and for `SYSTEM_PROMPT`, the same name with `_FILE` may name a file that contains it. " +
		"`heddle config` shows the settings in effect, and everything that is wrong with them.\n\n" +
		"Times are written as `1500ms`, `90s`, `10m` or `24h`. Ids are the numbers that *Copy ID* gives in Discord, once Developer Mode is on in its settings.\n\n")
	section := ""
	for _, v := range Variables() {
		if v.Section != section {
			section = v.Section
			fmt.Fprintf(&b, "- [%s](#%s)\n", section, strings.ReplaceAll(strings.ToLower(section), " ", "-"))
		}
	}
	section = ""
	for _, v := range Variables() {
		if v.Section != section {
			section = v.Section
			b.WriteString("\n## " + section + "\n\n" + tableHead)
		}
		b.WriteString(v.row(v.Default))
	}
	return b.String()
}

// Essentials returns the README's table: the variables that most people set.
func Essentials() string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, v := range Variables() {
		if v.readme {
			b.WriteString(v.row(clip(v.Default)))
		}
	}
	return b.String()
}

const tableHead = "| variable | default | meaning |\n|---|---|---|\n"

// row returns v's row in a table in Markdown, with its default as it is to be shown there.
func (v Variable) row(byDefault string) string {
	if byDefault != "" {
		byDefault = "`" + byDefault + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", v.Name, byDefault, v.Usage)
}

// Example returns .env.example: every variable at its default, commented out.
func Example() string {
	var b strings.Builder
	b.WriteString("# Settings of heddle. Copy this file to .env and fill in the first two secrets.\n" +
		"# The environment comes before .env. Instead of a secret, NAME_FILE may name a\n" +
		"# file that holds it. \"heddle config\" shows what is in effect.\n")
	section := ""
	for _, v := range Variables() {
		if v.Section != section {
			section = v.Section
			b.WriteString("\n\n# ---- " + section + " ----\n")
		}
		meaning := v.Usage
		if v.Want != "" && v.Want != v.Usage {
			meaning += " (" + v.Want + ")"
		}
		if v.File {
			meaning += "; also as " + v.Name + fileSuffix
		}
		b.WriteByte('\n')
		for line := range strings.Lines(layout.Wrap(meaning, 2)) {
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
