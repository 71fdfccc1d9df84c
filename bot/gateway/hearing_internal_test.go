package gateway

import (
	"testing"
	"time"
)

// TestSilenceIsSuspiciousOnceItIsLongerThanEver follows a shard over hours.
func TestSilenceIsSuspiciousOnceItIsLongerThanEver(t *testing.T) {
	const least = 10 * time.Minute
	began := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	var h hearing
	h.begin(at(0))
	for _, step := range []struct {
		minute int
		event  string // "" asks
		want   bool
	}{
		{minute: 10},
		{minute: 11, want: true},
		{minute: 12},
		{minute: 20},
		{minute: 21, want: true},
		{minute: 30, event: "hears"},
		{minute: 55},
		{minute: 60},
		{minute: 61, want: true},
		{minute: 100, event: "begin"},
		{minute: 130},
		{minute: 131, want: true},
	} {
		switch step.event {
		case "hears":
			h.hears(at(step.minute))
		case "begin":
			h.begin(at(step.minute))
		default:
			if got := h.isSuspicious(at(step.minute), least); got != step.want {
				t.Errorf("in minute %d the shard is suspicious: %t, want %t", step.minute, got, step.want)
			}
		}
	}
}
