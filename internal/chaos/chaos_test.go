package chaos_test

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestEachMentionHasOneWholeAnswer asks few mentions by default. CHAOS_MENTIONS sets
// their number: 5,000 take about a quarter of an hour, with one process and with three at the same
// time. Many are asked in more channels, as a channel's questions are answered one after the other.
func TestEachMentionHasOneWholeAnswer(t *testing.T) {
	t.Parallel()
	runs := map[string]int{"one process": 1, "three processes": 3}
	for name, processes := range runs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mentions := 60
			if text := os.Getenv("CHAOS_MENTIONS"); text != "" {
				var err error
				if mentions, err = strconv.Atoi(text); err != nil {
					t.Fatal(err)
				}
			}
			newRun(t, plan{mentions: mentions, channels: 12 + mentions/100, processes: processes, every: 150 * time.Millisecond, open: 40, settle: 2 * time.Minute, lives: true}).goes()
		})
	}
}
