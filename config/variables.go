package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/terminal"
)

// Variable describes one environment variable.
type Variable struct {
	Name    string
	Default string // "" for none
	Usage   string // what it is for, one clause without a full stop
	Want    string // what a right value is, "" if any is
	Secret  bool   // its value is never shown
	File    bool   // NAME_FILE may name a file that holds it

	field    reflect.StructField // in Config
	min, max string
	oneof    []string // names of which a value is one, or several of Names
}

// Variables returns all variables in the order in which they are shown.
func Variables() []Variable {
	var all []Variable
	for field := range reflect.TypeFor[Config]().Fields() {
		if !field.IsExported() {
			continue
		}
		tag := field.Tag.Get
		v := Variable{
			Name: tag("env"), Default: tag("envDefault"), Usage: tag("usage"),
			Secret: tag("secret") == "true", File: tag("secret") == "true" || tag("file") == "true",
			field: field, min: tag("min"), max: tag("max"), oneof: listed(tag("oneof")),
		}
		v.Want = v.want()
		all = append(all, v)
	}
	return all
}

// want describes the values of v, "" if any value is right.
func (v Variable) want() string {
	several := v.field.Type == reflect.TypeFor[Names]()
	switch last := len(v.oneof) - 1; {
	case last > 0 && several:
		return "any of " + strings.Join(v.oneof, ", ") + " with commas between, or off"
	case last > 0:
		return strings.Join(v.oneof[:last], ", ") + " or " + v.oneof[last]
	}
	switch v.field.Type {
	case reflect.TypeFor[int]():
		return fmt.Sprintf("a whole number from %s to %s", v.min, v.max)
	case reflect.TypeFor[*float64]():
		return fmt.Sprintf("a number from %s to %s", v.min, v.max)
	case reflect.TypeFor[time.Duration]():
		return fmt.Sprintf("a duration from %s to %s, like 90s, 10m or 24h", v.min, v.max)
	case reflect.TypeFor[slog.Level]():
		return "debug, info, warn or error"
	}
	if v.max != "" {
		return "one line of at most " + v.max + " characters"
	}
	return kinds()[v.field.Type].want
}

// Table returns every variable with its effective value and, below, its meaning. A star
// marks those that differ from their defaults, which then stand beside them. Of a secret
// it shows only whether it is set.
func (c Config) Table() string {
	const most = 36 // characters in a column
	var b strings.Builder
	b.WriteString("What is in effect. A * marks what differs from its default.\n\n")
	for _, v := range Variables() {
		text := c.texts[v.Name]
		mark, instead := " ", ""
		if text != v.Default && text != "(unset)" {
			mark = "*"
			if v.Default != "" {
				instead = ", by default " + graph.OneLine(v.Default, most)
			}
		}
		line := fmt.Sprintf("%s %-22s %s%s", mark, v.Name, graph.OneLine(text, most), instead)
		b.WriteString(strings.TrimRight(line, " ") + "\n" + terminal.Wrap(v.Usage, 6))
	}
	return b.String()
}

// Text returns the value of a variable as it is written.
func (c Config) Text(variable string) string { return c.texts[variable] }
