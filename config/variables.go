package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"
)

// Variable describes one environment variable.
type Variable struct {
	Name    string
	Section string // the heading that it stands under
	Default string // "" for none
	Usage   string // what it is for, one clause without a full stop
	Want    string // what a right value is, "" if any is
	Secret  bool   // its value is never shown
	File    bool   // NAME_FILE may name a file that holds it

	field    int    // index in Config
	goName   string // name in Config
	isURL    bool
	readme   bool // most who run heddle set it
	min, max string
}

// Variables returns all variables in the order in which they are shown.
func Variables() []Variable {
	t := reflect.TypeFor[Config]()
	variables := make([]Variable, t.NumField())
	section := ""
	for i := range variables {
		field := t.Field(i)
		if begun, ok := field.Tag.Lookup("section"); ok {
			section = begun
		}
		secret := field.Tag.Get("secret") == "true"
		v := Variable{
			Name:    field.Tag.Get("env"),
			Section: section,
			Default: field.Tag.Get("envDefault"),
			Usage:   field.Tag.Get("usage"),
			Secret:  secret,
			File:    secret || field.Tag.Get("file") == "true",
			field:   i,
			goName:  field.Name,
			readme:  field.Tag.Get("readme") == "true",
			isURL:   field.Type == reflect.TypeFor[URL](),
			min:     field.Tag.Get("min"),
			max:     field.Tag.Get("max"),
		}
		v.Want = want(field.Type, v.min, v.max)
		variables[i] = v
	}
	return variables
}

// want describes the values of type t within bounds, "" if any value is right.
func want(t reflect.Type, low, high string) string {
	switch t {
	case reflect.TypeFor[int]():
		return fmt.Sprintf("a whole number from %s to %s", low, high)
	case reflect.TypeFor[float64](), reflect.TypeFor[*float64]():
		return fmt.Sprintf("a number from %s to %s", low, high)
	case reflect.TypeFor[time.Duration]():
		return fmt.Sprintf("a duration from %s to %s, like 90s, 10m or 24h", low, high)
	}
	return wants()[t]
}

// wants describes the values of types whose values have no bounds.
func wants() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[Threshold]():  "a duration like 90s, 10m or 24h, or auto",
		reflect.TypeFor[Address]():    "a host and a port like 127.0.0.1:8086, or :8086 for all of the machine's addresses",
		reflect.TypeFor[Shards]():     "all, leased, or numbers like 0-3,7",
		reflect.TypeFor[Loopback]():   "an address of this machine like 127.0.0.1:6060 or localhost:6060",
		reflect.TypeFor[Contact]():    "one line of at most 200 characters",
		reflect.TypeFor[Prices]():     "three prices with slashes between, like 0.40/0.10/1.60, or several with models, like gpt-4.1=2/0.5/8, gpt-4.1-mini=0.40/0.10/1.60",
		reflect.TypeFor[Provider]():   "a model, an address and a key, like gpt-4.1-mini https://api.openai.com/v1 sk-key",
		reflect.TypeFor[Choices]():    "any of " + strings.Join(choiceNames(), ", ") + " with commas between, or off",
		reflect.TypeFor[Names]():      "names with commas between, like gpt-4.1,gpt-4.1-mini",
		reflect.TypeFor[URL]():        "an address like https://example.com/v1",
		reflect.TypeFor[Tools]():      "any of " + strings.Join(toolNames(), ", ") + " with commas between, or off",
		reflect.TypeFor[Vision]():     "auto, on or off",
		reflect.TypeFor[Confidence](): "raw, rank or calibrated",
		reflect.TypeFor[EditAnswer](): "on, offer or off",
		reflect.TypeFor[Buttons]():    "on, alternatives or off",
		reflect.TypeFor[Hosts]():      "hosts with commas between, like files.example.com,localhost:8080",
		reflect.TypeFor[IDs]():        "ids of Discord with commas between, like 80351110224678912,80351110224678913",
		reflect.TypeFor[Limits]():     "numbers of requests or tokens for each hour or day, like 20 requests/hour, 100000 tokens/day, or off",
		reflect.TypeFor[RoleLimits](): "roles' ids with limits, like 80351110224678912: 100 requests/hour, 500 requests/day; 80351110224678913: off",
		reflect.TypeFor[Switch]():     "on or off",
		reflect.TypeFor[slog.Level](): "debug, info, warn or error",
		reflect.TypeFor[Format]():     "text or json",
	}
}
