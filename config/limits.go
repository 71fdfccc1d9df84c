package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limit is how many requests or tokens may be used within an hour or a day.
type Limit struct {
	Most   int64
	Tokens bool // else requests
	Per    time.Duration
}

// Limits is a list of limits such as "20 requests/hour, 100000 tokens/day", or off.
type Limits string

// UnmarshalText reads a list of limits with commas between them, or off.
func (l *Limits) UnmarshalText(text []byte) error {
	if _, err := parseLimits(string(text)); err != nil {
		return err
	}
	*l = Limits(text)
	return nil
}

// All returns the limits.
func (l Limits) All() []Limit {
	all, _ := parseLimits(string(l)) // UnmarshalText has checked them
	return all
}

// RoleLimits are the limits of roles, such as
// "80351110224678912: 100 requests/hour; 80351110224678913: off".
type RoleLimits string

// UnmarshalText reads the limits of roles with semicolons between them.
func (r *RoleLimits) UnmarshalText(text []byte) error {
	if _, err := parseRoleLimits(string(text)); err != nil {
		return err
	}
	*r = RoleLimits(text)
	return nil
}

// All returns the limits of each role. A role whose list is empty has none.
func (r RoleLimits) All() map[uint64][]Limit {
	all, _ := parseRoleLimits(string(r)) // UnmarshalText has checked them
	return all
}

// parseRoleLimits reads the limits of roles, such as 123: 20 requests/hour; 456: off.
func parseRoleLimits(text string) (map[uint64][]Limit, error) {
	all := make(map[uint64][]Limit)
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, list, found := strings.Cut(part, ":")
		id, err := strconv.ParseUint(strings.TrimSpace(name), 10, 64)
		if err != nil || id == 0 || !found {
			return nil, errors.New("is not a list of roles' ids, each with a colon and its limits, with semicolons between")
		}
		if all[id], err = parseLimits(list); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errLimits = errors.New(`is not a list like "20 requests/hour, 100000 tokens/day", and not off`)

// parseLimits reads limits with commas between; empty text and off are none.
func parseLimits(text string) ([]Limit, error) {
	if text = strings.TrimSpace(text); text == "" || text == "off" {
		return nil, nil
	}
	var all []Limit
	for part := range strings.SplitSeq(text, ",") {
		limit, err := parseLimit(part)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(l Limit) bool { return l.Tokens == limit.Tokens && l.Per == limit.Per }) {
			return nil, errors.New("names one limit twice")
		}
		all = append(all, limit)
	}
	return all, nil
}

// parseLimit reads one limit, such as 20 requests/hour.
func parseLimit(text string) (Limit, error) {
	most, rate, _ := strings.Cut(strings.TrimSpace(text), " ")
	unit, per, _ := strings.Cut(strings.ReplaceAll(rate, " ", ""), "/")
	n, err := strconv.ParseInt(most, 10, 64)
	if err != nil || n <= 0 || n > 1e15 {
		return Limit{}, errLimits
	}
	limit := Limit{Most: n}
	switch strings.TrimSuffix(unit, "s") {
	case "request":
	case "token":
		limit.Tokens = true
	default:
		return Limit{}, errLimits
	}
	switch per {
	case "hour":
		limit.Per = time.Hour
	case "day":
		limit.Per = 24 * time.Hour
	default:
		return Limit{}, errLimits
	}
	return limit, nil
}
