package config

import (
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Secret is a value that no log, table or error shows. Reveal gives it out.
type Secret string

// Reveal gives the value itself, to be handed to what needs it and nowhere else.
func (s Secret) Reveal() string { return string(s) }

// String says only whether the secret is set, as do all other ways to print it.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString hides the value from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the value from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// URL is an absolute http or https address without a trailing slash.
type URL string

// UnmarshalText accepts an address that requests can be built on. Its errors
// never repeat the address, which may hold a password.
func (u *URL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil {
		return errors.New("is not a web address")
	}
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return errors.New("does not start with http:// or https://")
	case parsed.Hostname() == "":
		return errors.New("names no host")
	case parsed.User != nil:
		return errors.New("holds a name or password, which belong into another variable")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return errors.New("has a ? or # part, which a base cannot have")
	}
	*u = URL(strings.TrimRight(string(text), "/"))
	return nil
}

// Address is a host and a port to listen on; without a host, everywhere.
type Address string

// UnmarshalText accepts what can be listened on.
func (a *Address) UnmarshalText(text []byte) error {
	_, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return errors.New("is not host:port")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("does not end in a port from 0 to 65535")
	}
	*a = Address(text)
	return nil
}

// Threshold is the pause that ends a stretch of talk: a fixed one, or one that
// follows the channel's own pace.
type Threshold struct {
	Auto bool
	Gap  time.Duration // positive unless Auto
}

// UnmarshalText reads "auto" or a positive Go duration.
func (t *Threshold) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*t = Threshold{Auto: true}
		return nil
	}
	gap, err := time.ParseDuration(string(text))
	if err != nil || gap <= 0 {
		return errors.New("is neither a positive duration nor auto")
	}
	*t = Threshold{Gap: gap}
	return nil
}

// String is the form that UnmarshalText reads.
func (t Threshold) String() string {
	if t.Auto {
		return "auto"
	}
	return shortDuration(t.Gap)
}

// Switch is on or off.
type Switch bool

// UnmarshalText reads on and off.
func (s *Switch) UnmarshalText(text []byte) error {
	switch string(text) {
	case "on":
		*s = true
	case "off":
		*s = false
	default:
		return errors.New("is neither on nor off")
	}
	return nil
}

// String is on or off.
func (s Switch) String() string {
	if s {
		return "on"
	}
	return "off"
}

// IDs are ids of Discord's, with commas between them.
type IDs string

// UnmarshalText reads a list of ids.
func (ids *IDs) UnmarshalText(text []byte) error {
	*ids = IDs(text)
	for _, part := range ids.parts() {
		if id, err := strconv.ParseUint(part, 10, 64); err != nil || id == 0 {
			return errors.New("is no list of ids with commas between")
		}
	}
	return nil
}

// All gives the ids.
func (ids IDs) All() []uint64 {
	var all []uint64
	for _, part := range ids.parts() {
		if id, err := strconv.ParseUint(part, 10, 64); err == nil { // UnmarshalText saw to it
			all = append(all, id)
		}
	}
	return all
}

func (ids IDs) parts() []string {
	return strings.FieldsFunc(string(ids), func(r rune) bool { return r == ',' || r == ' ' })
}

// Format is how log lines are written.
type Format string

// The formats of log lines.
const (
	FormatText Format = "text"
	FormatJSON Format = "json"
)

// UnmarshalText reads text and json.
func (f *Format) UnmarshalText(text []byte) error {
	switch Format(text) {
	case FormatText, FormatJSON:
		*f = Format(text)
		return nil
	}
	return errors.New("is neither text nor json")
}

// shortDuration writes 10m0s as 10m and 720h0m0s as 720h.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
