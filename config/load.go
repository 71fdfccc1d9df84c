package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/caarlos0/env/v11"

	"heddle/store/redis"
	"heddle/store/seal"
)

// Fault is one thing that is wrong with a configuration: the variable, the problem
// and the remedy. It never holds the value of a secret.
type Fault struct {
	Variable string
	Problem  string
	Remedy   string
}

// String returns the fault as one line.
func (f Fault) String() string { return f.Variable + " " + f.Problem + "; " + f.Remedy }

// InvalidError is everything that is wrong with a configuration, in the order of the
// variables.
type InvalidError struct{ Faults []Fault }

// Error names all faults: one in the same line, several in a line each.
func (e InvalidError) Error() string {
	if len(e.Faults) == 1 {
		return "the configuration has a fault: " + e.Faults[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the configuration has %d faults:", len(e.Faults))
	for _, fault := range e.Faults {
		b.WriteString("\n  " + fault.String())
	}
	return b.String()
}

// Load reads the configuration from environ ("NAME=value" each, as os.Environ returns
// it), .env and the files that NAME_FILE variables name. The warnings name settings
// that work, or do nothing, but should be put right. The error is nil or an
// InvalidError, which names everything that is wrong; the Config then holds what is
// right, so that it can be shown.
func Load(environ []string, read ReadFile) (Config, []Fault, error) {
	c, s := load(environ, read)
	return c, s.warnings, ordered(s.faults)
}

// LoadBot is Load for the bot on Discord. It also requires the settings that the bot
// cannot work without.
func LoadBot(environ []string, read ReadFile) (Config, []Fault, error) {
	c, s := load(environ, read)
	return c, s.warnings, ordered(append(s.faults, missing(&c, s.faults)...))
}

func load(environ []string, read ReadFile) (Config, settings) {
	s := gather(environ, read)
	c, faults := parse(s.values)
	s.faults = append(s.faults, faults...)
	return c, s
}

// names reports whether one of faults is about a variable.
func names(faults []Fault, variable string) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return f.Variable == variable || f.Variable == variable+fileSuffix })
}

// missing returns a fault for each setting that a bot needs and c lacks, unless faults
// mention it already.
func missing(c *Config, faults []Fault) []Fault {
	var found []Fault
	if c.DiscordToken == "" && !names(faults, "DISCORD_TOKEN") {
		found = append(found, Fault{
			"DISCORD_TOKEN", "is not set",
			`copy it from the "Bot" page of your application at discord.com/developers, or use "heddle try", which needs none`,
		})
	}
	if !c.HasModel() && !names(faults, "OPENAI_API_KEY") && !names(faults, "OPENAI_BASE_URL") {
		found = append(found, Fault{
			"OPENAI_API_KEY", "is not set",
			"set it, or let OPENAI_BASE_URL name a server that needs none",
		})
	}
	return found
}

// parse turns values into a Config. It checks bounds, and variables against each other.
func parse(values map[string]string) (Config, []Fault) {
	c := Config{texts: make(map[string]string)}
	unread := make(map[string]error) // by field
	err := env.ParseWithOptions(&c, env.Options{Environment: values, FuncMap: readers()})
	if all, ok := errors.AsType[env.AggregateError](err); ok {
		for _, err := range all.Errors {
			if failed, ok := errors.AsType[env.ParseError](err); ok {
				unread[failed.Name] = failed.Err
			}
		}
	}
	var faults []Fault
	for _, v := range Variables() {
		c.texts[v.Name] = v.Default
		value := reflect.ValueOf(&c).Elem().FieldByIndex(v.field.Index)
		several, _ := errors.AsType[severalError](unread[v.field.Name])
		for _, problem := range several {
			faults = append(faults, Fault{v.Name, problem, "correct the file"})
		}
		switch text, err := values[v.Name], unread[v.field.Name]; {
		case several != nil:
		case err != nil && (v.Secret || v.field.Type == reflect.TypeFor[URL]()): // either may hold a password
			faults = append(faults, Fault{v.Name, err.Error(), "use " + v.Want})
		case err != nil || !v.fits(value):
			faults = append(faults, Fault{v.Name, "is " + strconv.Quote(text), "use " + v.Want})
		case v.Secret:
			c.texts[v.Name] = cmp.Or(Secret(text).shown(), "(unset)")
		case text != "":
			c.texts[v.Name] = text
		}
	}
	if !names(faults, "MIN_LINEAR") && !names(faults, "MAX_TOTAL") && c.MinLinear > c.MaxTotal {
		faults = append(faults, Fault{
			"MIN_LINEAR", fmt.Sprintf("is %d, more than MAX_TOTAL, which is %d", c.MinLinear, c.MaxTotal),
			"lower it or raise MAX_TOTAL",
		})
	}
	if c.Shards == "leased" && c.RedisURL == "" {
		faults = append(faults, Fault{"SHARDS", "is leased, and REDIS_URL is not set", "set it, as processes divide the shards through Redis, or use all"})
	}
	if _, err := seal.ParseKey(c.StoreKey.Reveal()); c.StoreKey != "" && err != nil {
		faults = append(faults, Fault{"STORE_KEY", "cannot be used", err.Error()})
	}
	if err := redis.Check(c.RedisURL.Reveal()); c.RedisURL != "" && err != nil {
		faults = append(faults, Fault{"REDIS_URL", "cannot be used", err.Error()})
	}
	return c, faults
}

// fits reports whether a value that could be read is within v's bounds and one of its names.
// The name off stands for an empty list.
func (v Variable) fits(value reflect.Value) bool {
	switch x := value.Interface().(type) {
	case time.Duration:
		return between(x, v.min, v.max, time.ParseDuration)
	case int:
		return between(x, v.min, v.max, strconv.Atoi)
	case *float64:
		return x == nil || between(*x, v.min, v.max, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	case string:
		most, err := strconv.Atoi(v.max)
		oneLine := !strings.ContainsAny(x, "\r\n") && utf8.RuneCountInString(x) <= most
		return (err != nil || oneLine) && (len(v.oneof) == 0 || slices.Contains(v.oneof, x))
	case Names:
		if len(v.oneof) == 0 {
			return true
		}
		if slices.Equal(x, Names{"off"}) {
			value.SetZero()
			return true
		}
		return len(x) > 0 && !slices.ContainsFunc(x, func(name string) bool { return !slices.Contains(v.oneof, name) })
	default:
		return true
	}
}

// between reports whether x lies between low and high. NaN does not.
func between[T cmp.Ordered](x T, low, high string, parse func(string) (T, error)) bool {
	lowest, err := parse(low)
	if err != nil {
		return false
	}
	highest, err := parse(high)
	return err == nil && x >= lowest && x <= highest
}

// ordered returns an error with faults in the order of the variables, .env first, or
// nil if there are none.
func ordered(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	place := make(map[string]int)
	for i, v := range Variables() {
		place[v.Name], place[v.Name+fileSuffix] = i+1, i+1
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(place[a.Variable], place[b.Variable]) })
	return InvalidError{Faults: faults}
}
