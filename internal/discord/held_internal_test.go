package discord

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfLimits(t *testing.T) {
	heaptest.AtMost(t, "Discord's limits of channels", func() any {
		p, now := newPacer(), time.Now()
		header := http.Header{
			"X-Ratelimit-Bucket": {"abcd1234abcd1234abcd1234abcd1234"}, "X-Ratelimit-Limit": {"5"},
			"X-Ratelimit-Remaining": {"4"}, "X-Ratelimit-Reset-After": {"1"},
		}
		for n := range 3 * mostBuckets {
			l := newLane(http.MethodPost, fmt.Sprintf("/channels/%019d/messages", n))
			now = now.Add(time.Second)
			b, _, err := p.try(l, now)
			if err != nil {
				t.Fatal(err)
			}
			p.release(l, b, header, now)
		}
		if len(p.buckets) > mostBuckets {
			t.Errorf("%d limits are held, want %d at most", len(p.buckets), mostBuckets)
		}
		return p
	})
}
