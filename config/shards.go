package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Shards is a choice of the shards that a process runs.
type Shards string

// The kinds of Shards besides a list.
const (
	shardsAll    Shards = "all"
	shardsLeased Shards = "leased"
)

// mostShards bounds the number of a shard.
const mostShards = 100_000

// UnmarshalText reads all, leased and a list of numbers and ranges.
func (s *Shards) UnmarshalText(text []byte) error {
	*s = Shards(text)
	if *s != shardsAll && *s != shardsLeased && s.Only() == nil {
		return errors.New("is neither all nor leased nor a list of shards")
	}
	return nil
}

// Leased reports whether the shards are divided with other processes.
func (s Shards) Leased() bool { return s == shardsLeased }

// Only returns the numbers of a list, and nil for anything else.
func (s Shards) Only() []int {
	var only []int
	for part := range strings.SplitSeq(string(s), ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.Atoi(low)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last >= mostShards {
			return nil
		}
		for id := first; id <= last; id++ {
			only = append(only, id)
		}
	}
	slices.Sort(only)
	return slices.Compact(only)
}
