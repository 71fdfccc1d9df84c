package catchup

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	errNoTime  = errors.New("no time")
	errToCome  = errors.New("a time that is yet to come")
	spans      = regexp.MustCompile(`^(?:(\d{1,4})w)?(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m(?:in)?)?$`)
	timestamps = regexp.MustCompile(`^<t:(\d{1,12})(?::[a-zA-Z])?>$`)
)

// layouts returns the forms in which people type a point in time, in UTC.
func layouts() []string {
	return []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}
}

// parseSince parses the time from which somebody wants to catch up: how long ago, such
// as 3h or 1d12h; a day, or a day and a time; a time of the last 24 hours; or a time as
// Discord writes it. It fails with errNoTime or errToCome.
func parseSince(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	since, known := parseMoment(text, now)
	switch {
	case !known:
		return time.Time{}, errNoTime
	case since.After(now):
		return time.Time{}, errToCome
	}
	return since, nil
}

// parseMoment returns the time that text names, which may be to come, and reports
// whether it names one.
func parseMoment(text string, now time.Time) (time.Time, bool) {
	if span := spans.FindStringSubmatch(strings.ToLower(strings.ReplaceAll(text, " ", ""))); span != nil && text != "" {
		ago := time.Duration(0)
		for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute} {
			n, _ := strconv.Atoi(span[i+1]) // "" counts as 0
			ago += time.Duration(n) * unit
		}
		return now.Add(-ago), ago >= time.Minute
	}
	if stamp := timestamps.FindStringSubmatch(text); stamp != nil {
		seconds, err := strconv.ParseInt(stamp[1], 10, 64)
		return time.Unix(seconds, 0), err == nil
	}
	if clock, err := time.Parse("15:04", text); err == nil {
		today := now.UTC().Truncate(24 * time.Hour).Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
		if today.After(now) {
			today = today.Add(-24 * time.Hour)
		}
		return today, true
	}
	for _, layout := range layouts() {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
