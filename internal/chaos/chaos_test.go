package chaos_test

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestEachMentionHasOneWholeAnswer asks few mentions by default. CHAOS_MENTIONS sets
// their number.
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
			newRun(t, plan{mentions: mentions, channels: 12, processes: processes, every: 150 * time.Millisecond, open: 40, settle: 2 * time.Minute, lives: true}).goes()
		})
	}
}
