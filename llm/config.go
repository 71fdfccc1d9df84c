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
	defaultRetries   = 2
	defaultBackoff   = 500 * time.Millisecond
	defaultMaxWait   = 30 * time.Second
)

// Config is what a Client needs to know. BaseURL and Model are required.
type Config struct {
	BaseURL string // of the API, up to and with its version: https://api.openai.com/v1
	APIKey  string // "" sends none
	Model   string

	// HTTP makes the requests; nil is a client of its own. It must have no Timeout,
	// which would cut long answers.
	HTTP *http.Client

	FirstByte time.Duration // longest wait for an answer to begin; 0: 2 minutes
	Idle      time.Duration // longest silence within an answer; 0: 1 minute

	Retries int           // attempts after the first; 0: 2, negative: none
	Backoff time.Duration // before the first retry, then doubled; 0: 0.5 seconds
	// MaxWait is the longest wait before a retry; a server that asks for more is not
	// asked again. 0: 30 seconds.
	MaxWait time.Duration
}

func (c Config) withDefaults() Config {
	orDefault := func(value *time.Duration, otherwise time.Duration) {
		if *value == 0 {
			*value = otherwise
		}
	}
	orDefault(&c.FirstByte, defaultFirstByte)
	orDefault(&c.Idle, defaultIdle)
	orDefault(&c.Backoff, defaultBackoff)
	orDefault(&c.MaxWait, defaultMaxWait)
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	return c
}

// validate names everything that is wrong at once, and never the key.
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
	if c.FirstByte < 0 || c.Idle < 0 || c.Backoff < 0 || c.MaxWait < 0 {
		fault("a waiting time is negative")
	}
	return errors.Join(faults...)
}
