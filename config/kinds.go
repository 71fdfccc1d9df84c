package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the image has no time zones of its own

	"github.com/caarlos0/env/v11"

	"heddle/graph"
)

// kind is how the values of a type are read and explained.
type kind struct {
	want string // what a right value is
	read env.ParserFunc
}

// reads returns a kind whose values are read by a function. The texts of its errors are
// shown only for addresses and secrets, as a clause about the variable, and repeat nothing.
func reads[T any](want string, read func(string) (T, error)) kind {
	return kind{want, func(text string) (any, error) { return read(text) }}
}

// kinds returns all types of values that package env cannot read by itself.
func kinds() map[reflect.Type]kind {
	return map[reflect.Type]kind{
		reflect.TypeFor[Address]():        reads("a host and a port like 127.0.0.1:8086, or :8086 for all of the machine's addresses", readAddress),
		reflect.TypeFor[IDs]():            reads(wantIDs, readIDs[uint64]),
		reflect.TypeFor[[]graph.UserID](): reads(wantIDs, readIDs[graph.UserID]),
		reflect.TypeFor[Names]():          reads("names with commas between, like gpt-4.1,gpt-4.1-mini", readNames),
		reflect.TypeFor[Prices]():         reads("three prices with slashes between, like 0.40/0.10/1.60, or several with models, like gpt-4.1=2/0.5/8, gpt-4.1-mini=0.40/0.10/1.60", readPrices),
		reflect.TypeFor[[]Provider]():     reads("a model, an address and a key, like gpt-4.1-mini https://api.openai.com/v1 sk-key", readProviders),
		reflect.TypeFor[Provider]():       reads("a model, an address and a key, like whisper-1 https://api.openai.com/v1 sk-key", readTranscriber),
		reflect.TypeFor[[]Server]():       reads("a path like mcp.json, or names and addresses or commands, like docs: https://mcp.example.com/mcp key; notes for 80351110224678912: npx -y notes-server", readServers),
		reflect.TypeFor[RoleLimits]():     reads("numbers of requests or tokens for each hour or day, like 20 requests/hour, 100000 tokens/day; 80351110224678912: 100 requests/hour; 80351110224678913: off", readRoleLimits),
		reflect.TypeFor[SharedLimits]():   reads("limits of channel, server and all, like channel: 20 requests/hour; all: 5000 requests/day, 5000000 tokens/day", readSharedLimits),
		reflect.TypeFor[Switch]():         reads("on or off", readSwitch),
		reflect.TypeFor[Threshold]():      reads("a duration like 90s, 10m or 24h, or auto", readThreshold),
		reflect.TypeFor[URL]():            reads("an address like https://example.com/v1", readURL),
		reflect.TypeFor[Zone]():           reads("a time zone like Europe/Berlin or UTC", readZone),
	}
}

const wantIDs = "ids of Discord with commas between, like 80351110224678912,80351110224678913"

// readers returns the functions that read the values of kinds.
func readers() map[reflect.Type]env.ParserFunc {
	all := make(map[reflect.Type]env.ParserFunc)
	for of, k := range kinds() {
		all[of] = k.read
	}
	return all
}

// errWrong is the error of values that are shown together with what a right one is.
var errWrong = errors.New("cannot be understood")

// Secret is a value that no log, table or error shows.
type Secret string

// Reveal returns the value itself, for the code that needs it and nothing else.
func (s Secret) Reveal() string { return string(s) }

// Format writes "(set)" or nothing, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.shown()) }

// MarshalText hides the value from encoders and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// URL is an absolute http or https address without a trailing slash.
type URL string

// readURL accepts an address that requests can be built on. Its errors never repeat the
// address, which may hold a password.
func readURL(text string) (URL, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("is not a web address")
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", errors.New("does not start with http:// or https://")
	case parsed.Hostname() == "":
		return "", errors.New("names no host")
	case parsed.User != nil:
		return "", errors.New("holds a name or password, which belongs in another variable")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return "", errors.New("has a ? or # part, which a base cannot have")
	}
	return URL(strings.TrimRight(text, "/")), nil
}

// Host returns the host of the address.
func (u URL) Host() string {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return ""
	}
	return parsed.Host
}

// Address is a host and a port to listen on. Without a host it is every address of
// the machine.
type Address string

func readAddress(text string) (Address, error) {
	_, port, err := net.SplitHostPort(text)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return "", errWrong
	}
	return Address(text), nil
}

// Threshold is the pause that ends a stretch of talk.
type Threshold time.Duration

func readThreshold(text string) (Threshold, error) {
	if text == "auto" {
		return Threshold(graph.AutoThreshold), nil
	}
	gap, err := time.ParseDuration(text)
	if err != nil || gap <= 0 {
		return 0, errWrong
	}
	return Threshold(gap), nil
}

// Switch is on or off.
type Switch bool

func readSwitch(text string) (Switch, error) {
	if text != "on" && text != "off" {
		return false, errWrong
	}
	return text == "on", nil
}

// listed returns the entries of a list, which has commas or spaces between them.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// IDs is a list of ids on Discord, of whatever kinds.
type IDs = []uint64

func readIDs[ID ~uint64](text string) (ids []ID, err error) {
	for _, part := range listed(text) {
		id, err := strconv.ParseUint(part, 10, 64)
		if err != nil || id == 0 {
			return nil, errWrong
		}
		ids = append(ids, ID(id))
	}
	return ids, nil
}

// Names is a list of names. Those of a field with the tag oneof are among the names in the
// tag, and "off" stands for none of them.
type Names []string

func readNames(text string) (Names, error) {
	names := Names(listed(text))
	for i, name := range names {
		if len(name) > 100 || slices.Contains(names[:i], name) { // Discord takes no longer choice
			return nil, errWrong
		}
	}
	return names, nil
}

// Provider is a model that can be asked.
type Provider struct {
	Model   string
	BaseURL URL
	Key     Secret // may be empty
}

// readProviders reads models with commas between: each a name, an address and, if it needs
// one, a key, with spaces between.
func readProviders(text string) ([]Provider, error) {
	var all []Provider
	for part := range strings.SplitSeq(text, ",") {
		named := strings.Fields(part)
		if len(named) != 2 && len(named) != 3 {
			return nil, errors.New("is not a model, an address and a key with spaces between")
		}
		at, err := readURL(named[1])
		if err != nil {
			return nil, errors.New("has an address that " + err.Error())
		}
		p := Provider{Model: named[0], BaseURL: at}
		if len(named) == 3 {
			p.Key = Secret(named[2])
		}
		all = append(all, p)
	}
	return all, nil
}

// readTranscriber reads one model as readProviders does, or off, which is the zero Provider.
func readTranscriber(text string) (Provider, error) {
	if text == "off" {
		return Provider{}, nil
	}
	all, err := readProviders(text)
	switch {
	case err != nil:
		return Provider{}, err
	case len(all) > 1:
		return Provider{}, errors.New("names several models")
	}
	return all[0], nil
}

// Prices are the prices of a million tokens, by model; "" is every model without prices of
// its own. Nil prices are not known.
type Prices struct {
	Of       map[string]Price
	Currency string // empty if none is named
}

// Price is the price of a million tokens of a model.
type Price struct{ Prompt, Cached, Completion float64 }

// readPrices reads three prices with slashes between, or a list of them with models. The
// currency is what follows the last space if it is no price.
func readPrices(text string) (Prices, error) {
	all := Prices{Of: make(map[string]Price)}
	if at := strings.LastIndexByte(text, ' '); at >= 0 && !strings.ContainsAny(text[at:], "0123456789/,=") {
		text, all.Currency = text[:at], text[at+1:]
	}
	for entry := range strings.SplitSeq(text, ",") {
		model, three, named := strings.Cut(entry, "=")
		if !named {
			model, three = "", entry
		}
		var price Price
		into := []*float64{&price.Prompt, &price.Cached, &price.Completion}
		parts := strings.Split(three, "/")
		if model = strings.TrimSpace(model); len(parts) != len(into) || named && model == "" {
			return Prices{}, errWrong
		}
		for i := range into {
			value, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
			if err != nil || !(value >= 0) || value > 1e6 {
				return Prices{}, errWrong
			}
			*into[i] = value
		}
		all.Of[model] = price
	}
	return all, nil
}

// Zone is a time zone; the zero Zone is the machine's.
type Zone struct{ *time.Location }

// readZone reads the name of a time zone as the variable TZ holds it on many systems, where a
// colon may stand before it and a path stands for the machine's own.
func readZone(text string) (Zone, error) {
	text = strings.TrimPrefix(text, ":")
	if text == "" || strings.HasPrefix(text, "/") {
		return Zone{}, nil
	}
	zone, err := time.LoadLocation(text)
	return Zone{zone}, err
}
