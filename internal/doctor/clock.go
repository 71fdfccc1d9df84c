package doctor

import (
	"time"
)

// mostSkew is the largest difference between clocks that is not reported.
const mostSkew = 10 * time.Second

// Clock compares this machine's clock with Discord's; discord.Clock is one.
type Clock interface {
	// Ahead returns how far this machine's clock is ahead of Discord's. It reports
	// false if that is unknown.
	Ahead() (time.Duration, bool)
}

// reportClock adds a finding about the clock.
func reportClock(c Clock, to *Report) {
	ahead, known := c.Ahead()
	switch {
	case !known:
		to.Fine("clock", "not compared, as this server's responses carry no time")
	case ahead.Abs() <= mostSkew:
		to.Fine("clock", "agrees with Discord's")
	default:
		side := "ahead of"
		if ahead < 0 {
			side = "behind"
		}
		to.Add(Finding{
			Warning, "clock", "this machine's clock is about " + rounded(ahead.Abs()) + " " + side + " Discord's",
			"let it be set over the network, such as by chrony or systemd-timesyncd; leases and expiry go by it",
		})
	}
}

// rounded returns a duration in whole hours, in minutes if it is shorter, or in
// seconds.
func rounded(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= 2*unit.length {
			return plural(int(d.Round(unit.length)/unit.length), unit.name)
		}
	}
	return plural(int(d.Round(time.Second)/time.Second), "second")
}
