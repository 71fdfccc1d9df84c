package discordtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	discordEpoch  = 1420070400000
	snowflakeBits = 22
)

// snowflakes makes ids. Ids for the present increase. Ids for a time in the past have
// that time, and increase among themselves.
type snowflakes struct {
	last  uint64
	count uint64
}

// at returns an id for a time.
func (f *snowflakes) at(t time.Time) uint64 {
	f.count++
	ms := max(t.UnixMilli()-discordEpoch, 1)
	return uint64(ms)<<snowflakeBits | f.count&(1<<snowflakeBits-1)
}

// next returns an id for the present, greater than those that it returned before.
func (f *snowflakes) next(now time.Time) uint64 {
	f.last = max(f.at(now), f.last+1)
	return f.last
}

// idOf returns the id that text holds; zero if it holds none.
func idOf(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// incoming is an id in a request: a string, or a number as discord.py sends.
type incoming[ID ~uint64] struct{ id ID }

// UnmarshalJSON reads either form.
func (in *incoming[ID]) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if in.id = ID(idOf(strings.Trim(text, `"`))); in.id == 0 {
		return fmt.Errorf("%s is not a snowflake", text)
	}
	return nil
}
