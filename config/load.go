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

// missing returns a fault for each setting that a bot needs and c lacks, unless faults
// mention it already.
func missing(c *Config, faults []Fault) []Fault {
	known := func(name string) bool {
		return slices.ContainsFunc(faults, func(f Fault) bool { return f.Variable == name || f.Variable == name+fileSuffix })
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

// parse turns values into a Config. It checks bounds, and variables against each other.
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
	if !broken["SHARDS"] && c.Shards.Leased() && c.RedisURL == "" {
		faults = append(faults, Fault{"SHARDS", "is leased, and REDIS_URL is not set", "set it, as processes divide the shards through Redis, or use all"})
	}
	if only := c.Shards.Only(); !broken["SHARDS"] && !broken["SHARD_COUNT"] && len(only) > 0 && c.ShardCount <= only[len(only)-1] {
		faults = append(faults, Fault{"SHARD_COUNT", fmt.Sprintf("is %d, and SHARDS names shard %d", c.ShardCount, only[len(only)-1]), "set it to the number of all shards, in every process"})
	}
	return c, faults
}

// parseFaults translates the error of env, whose text shows values.
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

// fault returns the fault of a value. It does not repeat addresses, which may hold a
// password.
func (v Variable) fault(err error, value string) Fault {
	problem := "is " + strconv.Quote(value)
	if v.isURL || v.Secret {
		problem = err.Error()
	}
	return Fault{v.Name, problem, "use " + v.Want}
}

// within reports whether value is within v's bounds.
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
	return strconv.ParseFloat(s, 64)
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
