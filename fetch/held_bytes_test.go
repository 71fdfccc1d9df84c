package fetch_test

import (
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/heaptest"
)

// TestWhatIsHeldOfMessages fills the logs of many channels far over a bound. It is a
// sixteenth of the default, which would take a while.
func TestWhatIsHeldOfMessages(t *testing.T) {
	const part = 16
	most := heaptest.Bounds(t)["what was said in channels"] / part
	held := heaptest.Held(func() any {
		h, err := fetch.NewHistory(noCaller{}, fetch.Options{Bytes: 256 << 20 / part})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 100_000 {
			m := chat(n)
			m.Channel = graph.ChannelID(n%50 + 1)
			h.Create(m)
		}
		if stats := h.Stats(); stats.Bytes > 256<<20/part {
			t.Errorf("the history counts %d bytes, want %d at most", stats.Bytes, 256<<20/part)
		}
		return h
	})
	t.Logf("%.2f MiB", held)
	if most == 0 || held > most {
		t.Errorf("%.2f MiB are held, want %.2f at most", held, most)
	}
}
