package llm

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Config configures New. BaseURL and Model are required.
type Config struct {
	BaseURL string // of the API, including its version: https://api.openai.com/v1
	APIKey  string // "" sends none
	Model   string

	// Ended, which may be nil, is called after each request with what it took, as far as
	// the provider says, and with the kind of its error, 0 for none. It may be called
	// from several goroutines at once.
	Ended func(Usage, Kind)
	// Failed, which may be nil, is called when another model is asked because one failed.
	Failed func(model string, kind Kind, next string)
	// Refused, which may be nil, is called with the names of features that the provider was
	// found to refuse, once for each.
	Refused func(model string, features []string)
	// Count counts the tokens of a request, with its tail word by word; nil: prompts that a
	// server cuts are not noticed.
	Count func(context.Context, *Request) int
	// Cut, which may be nil, is called once if the server cuts prompts: it read far fewer
	// tokens than were sent.
	Cut func(model string, sent, read int)
	// Meter keeps account of every request, retries included; nil: nobody does.
	Meter Meter

	Timeout time.Duration // longest silence before an answer and within it; 0: 1 minute
	// Patience is how long to wait for the beginning of an answer before Request.Late is
	// called; 0: 15 seconds.
	Patience time.Duration
	// KeepTokens keeps every token of an answer with its log-probability.
	KeepTokens bool
	Retries    int           // attempts after the first; 0: 2, negative: none
	Backoff    time.Duration // before the first retry, then doubled; 0: 0.5 seconds
}

// withDefaults returns the Config with defaults for the fields that are zero.
func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.Patience = cmp.Or(c.Patience, 15*time.Second)
	c.Retries = cmp.Or(c.Retries, 2)
	c.Backoff = cmp.Or(c.Backoff, 500*time.Millisecond)
	return c
}

// validate returns all faults at once. The error never contains the key.
func (c Config) validate() error {
	var faults []error
	fault := func(text string) { faults = append(faults, errors.New(text)) }

	switch base, err := url.Parse(c.BaseURL); {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		fault("the base URL must be an http or https address such as https://api.openai.com/v1")
	case strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/chat/completions"):
		fault("the base URL must end before /chat/completions")
	}
	if c.Model == "" {
		fault("no model is named")
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		fault("the API key holds a space, a line break or a control character")
	}
	return errors.Join(faults...)
}

// Meter accounts for requests to a model.
type Meter interface {
	// Reserve reserves the most that one request can take. The Client calls it before
	// each request. If Reserve fails, the request is not made. Otherwise the Client
	// calls settle when the request is over.
	Reserve(ctx context.Context, request *Request) (settle func(Spent), err error)
	// ReserveTokens is Reserve for a request that is no conversation.
	ReserveTokens(ctx context.Context, tokens int) (settle func(Spent), err error)
}

// Spent is what a request took.
type Spent struct {
	Model string
	Usage Usage
	Known bool // otherwise the request may have taken anything up to what was reserved
}
