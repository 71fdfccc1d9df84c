package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// latelyPeriods is the number of periods into which the life of a lately is divided.
// Each period has a set of its own, so that members expire in time.
const latelyPeriods = 8

// lately is a set of members that are remembered for a time after they were last added.
type lately struct {
	base  *base
	scope Scope
	life  time.Duration
	size  int // bytes of a member
}

// period returns the name of the set for the period that a time belongs to.
func (l *lately) period(at time.Time) string {
	return strconv.FormatInt(at.UnixNano()/int64(l.life/latelyPeriods), 10)
}

// add remembers a member, with one write in each period.
func (l *lately) add(ctx context.Context, member string) error {
	l.base.forgetKnown()
	now := l.base.now()
	set := l.period(l.base.clock())
	known := string(l.scope) + set + " " + member
	if l.base.known.has(known, now) {
		return nil
	}
	err := l.base.apply(ctx, "remember a channel", Change{l.scope, []Op{
		{Kind: OpAdd, Name: set, Value: member, TTL: l.life},
	}})
	if err == nil {
		l.base.known.add(known, now)
	}
	return err
}

// list returns the members, roughly the latest first. Some may have expired by up to an
// eighth of the life.
func (l *lately) list(ctx context.Context) ([]string, error) {
	queries := make([]Query, latelyPeriods+1) // one more, because the current period has only begun
	for i := range queries {
		at := l.base.clock().Add(-time.Duration(i) * (l.life / latelyPeriods))
		queries[i] = Query{Set: l.period(at), Names: true}
	}
	periods, err := l.base.members(ctx, l.scope, queries...)
	if err != nil {
		return nil, fmt.Errorf("list channels: %w", err)
	}
	var all []string
	listed := make(map[string]bool)
	for _, members := range periods {
		for _, member := range members {
			switch {
			case len(member.Name) != l.size:
				l.base.reject(ctx, fmt.Errorf("%w: a remembered channel of %d bytes", ErrCorrupt, len(member.Name)))
			case !listed[member.Name]:
				listed[member.Name] = true
				all = append(all, member.Name)
			}
		}
	}
	return all, nil
}
