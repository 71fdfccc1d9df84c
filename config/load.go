package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/caarlos0/env/v11"
)

// Load reads the configuration from environ ("NAME=value" each, as os.Environ
// gives it), .env and the files that NAME_FILE variables name. The error is nil or
// an InvalidError, which names everything that is wrong at once; what was right is in the
// Config even then, so that it can be shown.
func Load(environ []string, read ReadFile) (Config, error) {
	values, faults := gather(environ, read)
	c, more := parse(values)
	return c, ordered(append(faults, more...))
}

// LoadBot is Load for the bot on Discord: it also demands what that cannot be without.
func LoadBot(environ []string, read ReadFile) (Config, error) {
	values, faults := gather(environ, read)
	c, more := parse(values)
	faults = append(faults, more...)
	return c, ordered(append(faults, missing(&c, faults)...))
}

// missing names what a bot needs and c lacks, where faults do not speak of it already.
func missing(c *Config, faults []Fault) []Fault {
	known := func(name string) bool {
		return slices.ContainsFunc(faults, func(f Fault) bool { return f.Variable == name || f.Variable == name+"_FILE" })
	}
	var found []Fault
	if c.DiscordToken == "" && !known("DISCORD_TOKEN") {
		found = append(found, Fault{
			"DISCORD_TOKEN", "is not set",
			`copy it from the "Bot" page of your application at discord.com/developers, or use "heddle try", which needs none`,
		})
	}
	if !c.HasModel() && !known("OPENAI_API_KEY") && !known("OPENAI_BASE_URL") {
		found = append(found, Fault{
			"OPENAI_API_KEY", "is not set",
			"set it, or let OPENAI_BASE_URL name a server that needs none",
		})
	}
	return found
}

// parse turns values into a Config and checks bounds and what variables mean together.
func parse(values map[string]string) (Config, []Fault) {
	var c Config
	variables := Variables()
	err := env.ParseWithOptions(&c, env.Options{Environment: values})
	faults := parseFaults(err, variables, values)
	broken := make(map[string]bool, len(faults))
	for _, f := range faults {
		broken[f.Variable] = true
	}
	for _, v := range variables {
		if !broken[v.Name] && !v.within(reflect.ValueOf(c).Field(v.field)) {
			faults = append(faults, Fault{v.Name, "is " + strconv.Quote(values[v.Name]), "use " + v.Want})
			broken[v.Name] = true
		}
	}
	if !broken["MIN_LINEAR"] && !broken["MAX_TOTAL"] && c.MinLinear > c.MaxTotal {
		faults = append(faults, Fault{
			"MIN_LINEAR", fmt.Sprintf("is %d, more than MAX_TOTAL, which is %d", c.MinLinear, c.MaxTotal),
			"lower it or raise MAX_TOTAL",
		})
	}
	return c, faults
}

// parseFaults says what env found in our own words, as its words show values.
func parseFaults(err error, variables []Variable, values map[string]string) []Fault {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return nil
	}
	var faults []Fault
	for _, err := range all.Errors {
		var parseError env.ParseError
		if !errors.As(err, &parseError) {
			continue
		}
		for _, v := range variables {
			if v.goName == parseError.Name {
				faults = append(faults, v.fault(parseError.Err, values[v.Name]))
			}
		}
	}
	return faults
}

// fault says what is wrong with value. Addresses are not repeated: they may hold
// a password, which is the very fault.
func (v Variable) fault(err error, value string) Fault {
	problem := "is " + strconv.Quote(value)
	if v.isURL {
		problem = err.Error()
	}
	return Fault{v.Name, problem, "use " + v.Want}
}

// within reports whether value keeps the variable's bounds.
func (v Variable) within(value reflect.Value) bool {
	if v.max == "" {
		return true
	}
	switch x := value.Interface().(type) {
	case time.Duration:
		return between(x, v.min, v.max, time.ParseDuration)
	case int:
		return between(x, v.min, v.max, strconv.Atoi)
	case float64:
		return between(x, v.min, v.max, parseFloat)
	case *float64:
		return x == nil || between(*x, v.min, v.max, parseFloat)
	}
	return false
}

func parseFloat(s string) (float64, error) {
	return strconv.ParseFloat(s, 64) //nolint:wrapcheck // of a bound: a test would see it
}

// between is false of NaN, and of bounds that do not parse, which a test would see.
func between[T cmp.Ordered](x T, low, high string, parse func(string) (T, error)) bool {
	lowest, err := parse(low)
	if err != nil {
		return false
	}
	highest, err := parse(high)
	return err == nil && x >= lowest && x <= highest
}

// ordered sorts faults as the variables are shown, .env first. No faults are no error.
func ordered(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	place := make(map[string]int)
	for i, v := range Variables() {
		place[v.Name], place[v.Name+"_FILE"] = i+1, i+1
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(place[a.Variable], place[b.Variable]) })
	return InvalidError{Faults: faults}
}
