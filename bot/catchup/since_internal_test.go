package catchup

import (
	"errors"
	"testing"
	"time"
)

func TestTimesThatPeopleTypeAreRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"3h":                   now.Add(-3 * time.Hour),
		"1d12h":                now.Add(-36 * time.Hour),
		" 2 D ":                now.Add(-48 * time.Hour),
		"90min":                now.Add(-90 * time.Minute),
		"1w":                   now.Add(-7 * 24 * time.Hour),
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"2026-03-01 14:30":     time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC),
		"2026-03-01T14:30:00Z": time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC),
		"09:15":                time.Date(2026, 3, 4, 9, 15, 0, 0, time.UTC),
		"19:15":                time.Date(2026, 3, 3, 19, 15, 0, 0, time.UTC),
		"<t:1700000000:R>":     time.Unix(1700000000, 0),
		"<t:1700000000>":       time.Unix(1700000000, 0),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": errNoTime, "   ": errNoTime, "soon": errNoTime, "2026-02-30": errNoTime, "25:61": errNoTime, "0h": errNoTime, "-3h": errNoTime,
		"3": errNoTime, "h": errNoTime, "<t:x>": errNoTime, "2026-13-01": errNoTime,
		"2026-03-05": errToCome, "<t:99999999999:R>": errToCome,
	} {
		if got, err := parseSince(text, now); !errors.Is(err, want) {
			t.Errorf("%q is %s, %v; want %v", text, got, err, want)
		}
	}
}
