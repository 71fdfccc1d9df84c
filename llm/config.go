package llm

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

const (
	defaultFirstByte = 2 * time.Minute
	defaultIdle      = time.Minute
	defaultPatience  = 15 * time.Second
	defaultParallel  = 128
	defaultRetries   = 2
	defaultBackoff   = 500 * time.Millisecond
	defaultMaxWait   = 30 * time.Second
)

// Config configures New. BaseURL and Model are required.
type Config struct {
	BaseURL string // of the API, including its version: https://api.openai.com/v1
	APIKey  string // "" sends none
	Model   string

	// HTTP makes the requests; nil means a new client. It must have no Timeout, which
	// would cut long answers. Its CheckRedirect is not used.
	HTTP *http.Client

	// Ended, which may be nil, is called after each request with what it took, as far as
	// the provider says, and with the kind of its error, 0 for none. It may be called
	// from several goroutines at once.
	Ended func(Usage, Kind)
	// Meter keeps account of every request, retries included; nil: nobody does.
	Meter Meter

	FirstByte time.Duration // longest wait for the first byte; 0: 2 minutes
	Idle      time.Duration // longest silence within an answer; 0: 1 minute

	// Patience is how long to wait for the beginning of an answer before Request.Late is
	// called. If seven requests in a row are late or fail, further ones fail at once; one
	// is tried after half of Patience, or after 5 seconds if that is less. 0: 15 seconds.
	Patience time.Duration
	// KeepTokens keeps every token of an answer with its log-probability.
	KeepTokens bool
	// Parallel is the number of requests at a time; others wait for at most Patience.
	// 0: 128.
	Parallel int

	Retries int           // attempts after the first; 0: 2, negative: none
	Backoff time.Duration // before the first retry, then doubled; 0: 0.5 seconds
	// MaxWait is the longest wait before a retry. If the server asks for more there is
	// no retry. 0: 30 seconds.
	MaxWait time.Duration
}

// withDefaults returns the Config with defaults for the fields that are zero.
func (c Config) withDefaults() Config {
	orDefault := func(value *time.Duration, otherwise time.Duration) {
		if *value == 0 {
			*value = otherwise
		}
	}
	orDefault(&c.FirstByte, defaultFirstByte)
	orDefault(&c.Idle, defaultIdle)
	orDefault(&c.Patience, defaultPatience)
	orDefault(&c.Backoff, defaultBackoff)
	orDefault(&c.MaxWait, defaultMaxWait)
	if c.Meter == nil {
		c.Meter = unmetered{}
	}
	if c.Parallel == 0 {
		c.Parallel = defaultParallel
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
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
	if c.HTTP != nil && c.HTTP.Timeout != 0 {
		fault("the HTTP client has a timeout, which would cut long answers")
	}
	if c.FirstByte < 0 || c.Idle < 0 || c.Patience < 0 || c.Backoff < 0 || c.MaxWait < 0 {
		fault("a waiting time is negative")
	}
	return errors.Join(faults...)
}
