package discord_test

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// TestCachedAnswersDoNotTellTheTime has a proxy repeat answers that Discord gave half an
// hour ago, with the date of that time, before and after one that comes from Discord.
func TestCachedAnswersDoNotTellTheTime(t *testing.T) {
	for name, mark := range map[string]string{"nirn-proxy": "X-Cached", "any cache": "Age"} {
		t.Run(name, func(t *testing.T) {
			const tolerance = time.Minute
			rest := serve(t, func(n int32, w http.ResponseWriter, _ *http.Request) {
				if n != 2 {
					w.Header().Set(mark, "1800")
					w.Header().Set("Date", time.Now().Add(-30*time.Minute).UTC().Format(http.TimeFormat))
				}
				_, _ = io.WriteString(w, "{}")
			})
			for n := range 3 {
				must(rest.Get(t.Context(), "/gateway/bot", nil))(t)
				if late := time.Since(rest.Now()); late.Abs() > tolerance {
					t.Errorf("after %d answers Discord's clock is taken to be %s late, want it within %s", n+1, late, tolerance)
				}
			}
		})
	}
}
