package catchup

import (
	"errors"
	"testing"
	"time"

	"heddle/bot/phrases"
)

func TestTimesThatPeopleTypeAreRead(t *testing.T) {
	now := time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"3h":               now.Add(-3 * time.Hour),
		"1d12h":            now.Add(-36 * time.Hour),
		" 2 D ":            now.Add(-48 * time.Hour),
		"90min":            now.Add(-90 * time.Minute),
		"1w":               now.Add(-7 * 24 * time.Hour),
		"2026-03-01":       time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"2026-03-01 14:30": time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC),
		"09:15":            time.Date(2026, 3, 4, 9, 15, 0, 0, time.UTC),
		"19:15":            time.Date(2026, 3, 3, 19, 15, 0, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]phrases.ID{
		"": phrases.CatchUpNoTime, "   ": phrases.CatchUpNoTime, "soon": phrases.CatchUpNoTime, "2026-02-30": phrases.CatchUpNoTime,
		"25:61": phrases.CatchUpNoTime, "0h": phrases.CatchUpNoTime, "-3h": phrases.CatchUpNoTime, "3": phrases.CatchUpNoTime,
		"2026-03-05": phrases.CatchUpToCome,
	} {
		got, err := parseSince(text, now)
		if refused, ok := errors.AsType[*refusalError](err); !ok || refused.why != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}
