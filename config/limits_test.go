package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/config"
)

func TestLimitsAreReadAsTheyAreSaid(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string][]config.Limit{
		"":                                       nil,
		"off":                                    nil,
		"20 requests/hour":                       {{20, false, time.Hour}},
		" 1 request / hour ,  100000 tokens/day": {{1, false, time.Hour}, {100000, true, day}},
		"5 tokens/hour,5 requests/day,6 tokens/day": {{5, true, time.Hour}, {5, false, day}, {6, true, day}},
	} {
		var limits config.Limits
		if err := limits.UnmarshalText([]byte(text)); err != nil || !slices.Equal(limits.All(), want) {
			t.Errorf("%q is read as %v, %v, want %v and no error", text, limits.All(), err, want)
		}
	}
	for _, text := range []string{
		"20", "requests/hour", "0 requests/hour", "-1 requests/hour", "2.5 requests/hour", "20 questions/hour", "20 requests/week",
		"20 requests", "20 requests/hour;", "20 requests/hour, 30 requests/hour", "20 requests/hour,", "9999999999999999999 tokens/day",
	} {
		var limits config.Limits
		if err := limits.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v, want an error", text, limits.All())
		}
	}
}

func TestRolesHaveLimitsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var limits config.RoleLimits
	if err := limits.UnmarshalText([]byte("80351110224678912: 100 requests/hour, 5 tokens/day; 7:off;")); err != nil {
		t.Fatal(err)
	}
	all := limits.All()
	if free, known := all[7]; len(all) != 2 || len(all[80351110224678912]) != 2 || len(free) != 0 || !known {
		t.Errorf("the roles have the limits %v, want two of 80351110224678912 and none of 7", all)
	}
	for _, text := range []string{"20 requests/hour", "members: 20 requests/hour", "0: off", "7", "7: 20", "7: off, 8: off"} {
		if err := limits.UnmarshalText([]byte(text)); err == nil || strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, want an error that does not repeat it", text, err)
		}
	}
}
