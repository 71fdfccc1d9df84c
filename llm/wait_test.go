package llm_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"heddle/internal/errtest"
	"heddle/llm"
)

func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	now := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		`{"error":{"message":"x","details":[{"@type":"y.RetryInfo","retryDelay":"34s"}]}}`: 34 * time.Second, // python-genai#2114
		`{"error":{"message":"Please retry in 34.5s."}}`:                                   34500 * time.Millisecond,
		`{"error":{"message":"Please try again in 1m26.4s. Visit x"}}`:                     86400 * time.Millisecond,
		`{"error":{"message":"Please try again in 20ms."}}`:                                20 * time.Millisecond,
		`{"error":{"message":"Rate limited","retry_after":5}}`:                             5 * time.Second,
		`{"error":{"message":"Rate limited","retry_after_ms":2500}}`:                       2500 * time.Millisecond,
		`{"message":"Too many requests, please wait 12 seconds."}`:                         12 * time.Second,
		`{"message":"Retry after 2 minutes"}`:                                              2 * time.Minute,
		`{"message":"Try again later (2024)"}`:                                             0,
		`{"message":"Limit 3, retry"}`:                                                     0,
		"slow down":                                                                        0,
	} {
		if got := llm.WaitIn(said); got != want {
			t.Errorf("%s: the wait is %s, want %s", said, got, want)
		}
	}
	for _, test := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", " 1.5 ", 1500 * time.Millisecond},
		{"Retry-After", "Sat, 21 Nov 2026 07:01:00 GMT", time.Minute},
		{"Retry-After", "Sat, 21 Nov 2026 06:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "soon", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "3", 0},
	} {
		header := http.Header{}
		header.Set(test.name, test.value)
		if got := llm.RetryAfter(header, now); got != test.want {
			t.Errorf("%s: %s is %s, want %s", test.name, test.value, got, test.want)
		}
	}
}

func TestWaitsDoubleUpToTheirBound(t *testing.T) {
	client := errtest.Must(llm.New(llm.Config{BaseURL: "http://x", Model: "m", Backoff: 4 * time.Second}))(t)
	for retries, want := range []time.Duration{4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second} {
		if got := client.Backoff(retries, 0); got < want*3/4 || got > min(want*5/4, 30*time.Second) {
			t.Errorf("the wait before retry %d is %s, want at least %s and at most %s", retries, got, want*3/4, min(want*5/4, 30*time.Second))
		}
	}
	if got := client.Backoff(60, 0); got > 30*time.Second || got <= 0 {
		t.Errorf("the wait before retry 60 is %s, want at most %s and more than 0", got, 30*time.Second)
	}
	if got := client.Backoff(0, time.Minute); got != time.Minute {
		t.Errorf("asked for a minute, waits %s, want %s", got, time.Minute)
	}
}

func TestConfidenceIsDefinedForWhateverProvidersSend(t *testing.T) {
	if got := llm.Certain(); got != nil {
		t.Errorf("no token gives %+v, want nil", got)
	}
	if got := llm.Certain(math.NaN()); got != nil {
		t.Errorf("no number gives %+v, want nil", got)
	}
	if got := llm.Certain(0); got.Value != 1 || got.Min != 1 {
		t.Errorf("certainty gives %+v, want Value 1 and Min 1", got)
	}
	for _, odd := range []float64{-9999, math.Inf(-1)} {
		if got := llm.Certain(odd); !(got.Value > 0) || got.Value > 0.001 {
			t.Errorf("%g gives %+v, want a value above 0 and at most 0.001", odd, got)
		}
	}
	if got := llm.Certain(math.Inf(1)); got.Value != 1 {
		t.Errorf("more than certain gives %+v, want Value 1", got)
	}
	logprobs := make([]float64, 100)
	for i := range logprobs {
		logprobs[i] = math.Log(float64(i+1) / 100)
	}
	if got := llm.Certain(logprobs...); got.Tokens != 100 || !near(got.Min, 0.01) {
		t.Errorf("a hundred steps give %+v, want Tokens 100 and Min 0.01", got)
	}
}
