package config

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
)

// Provider is a model that can be asked for answers: its name, its address and its key.
// No log, table or error shows the key.
type Provider struct {
	Model   string
	BaseURL URL
	Key     Secret
}

// UnmarshalText reads a model, an address and, unless none is needed, a key, with spaces
// between. Its errors repeat nothing.
func (p *Provider) UnmarshalText(text []byte) error {
	parts := strings.Fields(string(text))
	if len(parts) != 2 && len(parts) != 3 {
		return errors.New("is not a model, an address and a key with spaces between")
	}
	read := Provider{Model: parts[0]}
	if err := read.BaseURL.UnmarshalText([]byte(parts[1])); err != nil {
		return errors.New("has an address that " + err.Error())
	}
	if len(parts) == 3 {
		read.Key = Secret(parts[2])
	}
	*p = read
	return nil
}

// String returns the provider without its key.
func (p Provider) String() string {
	if p.Model == "" {
		return ""
	}
	return p.Model + " " + string(p.BaseURL)
}

// GoString hides the key from %#v.
func (p Provider) GoString() string { return p.String() }

// MarshalText hides the key from encoders.
func (p Provider) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// LogValue hides the key from logs.
func (p Provider) LogValue() slog.Value { return slog.StringValue(p.String()) }

// Fallbacks returns the providers to ask, in this order, when the first provider fails.
func (c Config) Fallbacks() []Provider {
	return slices.DeleteFunc([]Provider{c.LLMFallback1, c.LLMFallback2, c.LLMFallback3}, func(p Provider) bool { return p.Model == "" })
}
