package limits

import (
	"context"
	"fmt"
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

// owned is a limit of a person, a channel, a guild, or everybody together.
type owned struct {
	Limit

	whose Whose
	id    uint64
}

// owned returns the limits that apply to an answer.
func (l *Limits) owned(ctx context.Context, who Who) []owned {
	var all []owned
	add := func(whose Whose, id uint64, limits []Limit) {
		for _, limit := range limits {
			all = append(all, owned{limit, whose, id})
		}
	}
	add(OfPerson, uint64(who.Person), l.ofPerson(ctx, who))
	add(OfChannel, uint64(who.Channel), l.settings.Channel)
	add(OfAll, 0, l.settings.All)
	if who.Guild != 0 {
		add(OfGuild, uint64(who.Guild), l.settings.Guild)
	}
	return all
}

// window returns the name of the budget of a limit at some time, and when it ends.
func (o *owned) window(now time.Time) (budget string, until time.Time) {
	begin := now.Truncate(o.Per)
	budget = strconv.Itoa(int(o.whose)) + "." + graph.ID[struct{}](o.id).String()
	return budget + "." + strconv.Itoa(int(o.Of)) + "." + o.Per.String() + "." + strconv.FormatInt(begin.Unix(), 36), begin.Add(o.Per)
}

// ofPerson returns the limits of a person. If one of their roles is configured, its
// limits replace the general ones. Of several roles the most generous limits apply. A
// role that is configured without limits removes them all.
func (l *Limits) ofPerson(ctx context.Context, who Who) []Limit {
	if len(l.settings.Roles) == 0 {
		return l.settings.Person
	}
	roles, err := l.guilds.Roles(ctx, who.Guild, who.Person)
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

// use returns what a number of requests and tokens use of a limit's budget now.
func (o *owned) use(now time.Time, requests, tokens int64) store.Use {
	amount := requests
	if o.Of == Tokens {
		amount = tokens
	}
	budget, until := o.window(now)
	return store.Use{Budget: budget, Amount: amount, Most: o.Most, TTL: until.Sub(now) + time.Minute}
}

// Standing is how much of a limit is used.
type Standing struct {
	Limit

	Whose Whose
	Used  int64
	Until time.Time // when the window ends and the count restarts
}

// Standings returns the use of all limits that apply to an asker.
func (l *Limits) Standings(ctx context.Context, who Who) ([]Standing, error) {
	var all []Standing
	var budgets []string
	for _, o := range l.owned(ctx, who) {
		budget, until := o.window(l.clock.Now())
		all = append(all, Standing{Limit: o.Limit, Whose: o.whose, Until: until})
		budgets = append(budgets, budget)
	}
	used, err := l.budgets.Used(ctx, budgets...)
	if err != nil {
		return nil, fmt.Errorf("read what is used of limits: %w", err)
	}
	for i := range all {
		all[i].Used = min(used[i], all[i].Most)
	}
	return all, nil
}
