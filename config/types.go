package config

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Secret is a value that no log, table or error shows.
type Secret string

// Reveal returns the value itself, for the code that needs it and nothing else.
func (s Secret) Reveal() string { return string(s) }

// String returns "(set)" or nothing, as do all other ways to print a Secret.
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
		return errors.New("holds a name or password, which belongs in another variable")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return errors.New("has a ? or # part, which a base cannot have")
	}
	*u = URL(strings.TrimRight(string(text), "/"))
	return nil
}

// Address is a host and a port to listen on. Without a host it is every address of
// the machine.
type Address string

// UnmarshalText accepts host:port and :port.
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

// Loopback is an address to listen on that only this machine reaches.
type Loopback string

// UnmarshalText accepts host:port with a host that is this machine.
func (l *Loopback) UnmarshalText(text []byte) error {
	var address Address
	if err := address.UnmarshalText(text); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(string(text))
	if err != nil {
		return errors.New("is not host:port")
	}
	if at, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !at.IsLoopback()) {
		return errors.New("can be reached from other machines")
	}
	*l = Loopback(text)
	return nil
}

// Contact is whom people can ask about heddle. It is quoted in sentences on Discord.
type Contact string

// longestContact leaves room for the sentences around it in one message on Discord.
const longestContact = 200

// UnmarshalText accepts one line of at most longestContact characters.
func (c *Contact) UnmarshalText(text []byte) error {
	switch {
	case strings.ContainsAny(string(text), "\r\n"):
		return errors.New("has several lines")
	case utf8.RuneCount(text) > longestContact:
		return errors.New("is too long")
	}
	*c = Contact(strings.TrimSpace(string(text)))
	return nil
}

// Threshold is the pause that ends a stretch of talk: fixed, or derived from the
// channel's pace.
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

// String returns the form that UnmarshalText reads.
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

// String returns on or off.
func (s Switch) String() string {
	if s {
		return "on"
	}
	return "off"
}

// shortDuration formats d without trailing zero units: 10m rather than 10m0s.
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
