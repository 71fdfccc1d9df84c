package limits

import (
	"context"
	"slices"
	"strconv"
	"time"

	"heddle/graph"
	"heddle/store"
)

// Whose is the kind of subject that a limit is for.
type Whose uint8

// The subjects of limits.
const (
	OfAnswer Whose = iota // a single answer; waiting does not help
	OfPerson
	OfChannel
	OfGuild
	OfAll
)

// subject is a person, channel, guild or anything else with limits.
type subject struct {
	whose  Whose
	id     uint64
	limits []Limit
}

// subjects returns everybody whose limits apply to an answer.
func (l *Limits) subjects(ctx context.Context, who Who) []subject {
	all := []subject{{OfChannel, uint64(who.Channel), l.settings.Channel}, {OfAll, 0, l.settings.All}}
	if who.Person != 0 {
		all = slices.Insert(all, 0, subject{OfPerson, uint64(who.Person), l.ofPerson(ctx, who)})
	}
	if who.Guild != 0 {
		all = append(all, subject{OfGuild, uint64(who.Guild), l.settings.Guild})
	}
	return all
}

// ofPerson returns the limits of a person. If one of their roles is configured, its
// limits replace the general ones. Of several roles the most generous limits apply. A
// role that is configured without limits removes them all.
func (l *Limits) ofPerson(ctx context.Context, who Who) []Limit {
	if len(l.settings.Roles) == 0 || who.Roles == nil {
		return l.settings.Person
	}
	roles, err := who.Roles(ctx)
	if err != nil {
		l.log.WarnContext(ctx, "a member's roles could not be read, the general limits apply", "error", err)
		return l.settings.Person
	}
	own, found := l.settings.Person, false
	for _, role := range roles {
		limits, has := l.settings.Roles[role]
		switch {
		case !has:
		case !found:
			own, found = limits, true
		default:
			own = generous(own, limits)
		}
	}
	return own
}

// generous returns the more generous of two lists of limits: the higher limit of each
// kind, or none if one list has none.
func generous(a, b []Limit) []Limit {
	var both []Limit
	for _, x := range a {
		for _, y := range b {
			if x.Of == y.Of && x.Per == y.Per {
				both = append(both, Limit{max(x.Most, y.Most), x.Of, x.Per})
			}
		}
	}
	return both
}

// charge is a use of a budget, with the limit to report if it does not fit.
type charge struct {
	use   store.Use
	of    Unit
	whose Whose
	until time.Time
}

// charges returns what to charge subjects for a number of requests and tokens, in the
// windows of now.
func charges(subjects []subject, now time.Time, requests, tokens int64) []charge {
	var all []charge
	for _, s := range subjects {
		for _, limit := range s.limits {
			amount := requests
			if limit.Of == Tokens {
				amount = tokens
			}
			if amount == 0 {
				continue
			}
			begin := now.Truncate(limit.Per)
			until := begin.Add(limit.Per)
			all = append(all, charge{
				store.Use{Budget: s.budget(limit, begin), Amount: amount, Most: limit.Most, TTL: until.Sub(now) + time.Minute},
				limit.Of, s.whose, until,
			})
		}
	}
	return all
}

// budget returns the name of the budget of a limit in the window that starts at begin.
func (s *subject) budget(limit Limit, begin time.Time) string {
	name := strconv.Itoa(int(s.whose)) + "." + graph.ID[struct{}](s.id).String()
	return name + "." + strconv.Itoa(int(limit.Of)) + "." + limit.Per.String() + "." + strconv.FormatInt(begin.Unix(), 36)
}

// uses returns the uses in charges, in the same order.
func uses(charges []charge) []store.Use {
	all := make([]store.Use, len(charges))
	for i := range charges {
		all[i] = charges[i].use
	}
	return all
}
