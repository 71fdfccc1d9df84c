package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/limits"
	"heddle/graph"
)

// RoleLimits are the limits of each person, and in their place those of people with a role.
// A role whose list is empty has no limits.
type RoleLimits struct {
	Anybody []limits.Limit
	Roles   map[graph.RoleID][]limits.Limit
}

// readRoleLimits reads limits such as "20 requests/hour; 80351110224678912: off".
func readRoleLimits(text string) (RoleLimits, error) {
	named, err := readNamedLimits(text)
	if err != nil {
		return RoleLimits{}, err
	}
	all := RoleLimits{Anybody: named[""], Roles: make(map[graph.RoleID][]limits.Limit)}
	delete(named, "")
	for name, list := range named {
		id, err := strconv.ParseUint(name, 10, 64)
		if err != nil || id == 0 {
			return RoleLimits{}, errWrong
		}
		all.Roles[graph.RoleID(id)] = list
	}
	return all, nil
}

// SharedLimits are the limits of each channel, of each server, and of everybody together.
type SharedLimits struct{ Channel, Server, All []limits.Limit }

// readSharedLimits reads limits such as "channel: 20 requests/hour; all: 5000 requests/day".
func readSharedLimits(text string) (SharedLimits, error) {
	named, err := readNamedLimits(text)
	if err != nil {
		return SharedLimits{}, err
	}
	all := SharedLimits{named["channel"], named["server"], named["all"]}
	for name, list := range named {
		if name != "channel" && name != "server" && name != "all" && len(list) > 0 {
			return SharedLimits{}, errWrong
		}
	}
	return all, nil
}

// readNamedLimits reads limits with semicolons between, each after a name and a colon or
// without a name.
func readNamedLimits(text string) (map[string][]limits.Limit, error) {
	all := make(map[string][]limits.Limit)
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, list, named := strings.Cut(part, ":")
		if !named {
			name, list = "", part
		}
		read, err := readLimits(list)
		if err != nil {
			return nil, err
		}
		name = strings.TrimSpace(name)
		if _, twice := all[name]; twice || named && name == "" {
			return nil, errWrong
		}
		all[name] = read
	}
	return all, nil
}

// readLimits reads limits with commas between; off is none.
func readLimits(text string) ([]limits.Limit, error) {
	if strings.TrimSpace(text) == "off" {
		return nil, nil
	}
	var all []limits.Limit
	for part := range strings.SplitSeq(text, ",") {
		limit, err := readLimit(part)
		if err != nil || slices.ContainsFunc(all, func(l limits.Limit) bool { return l.Of == limit.Of && l.Per == limit.Per }) {
			return nil, errWrong
		}
		all = append(all, limit)
	}
	return all, nil
}

// readLimit reads one limit, such as 20 requests/hour.
func readLimit(text string) (limits.Limit, error) {
	most, rate, _ := strings.Cut(strings.TrimSpace(text), " ")
	unit, per, _ := strings.Cut(strings.ReplaceAll(rate, " ", ""), "/")
	of, counted := map[string]limits.Unit{"request": limits.Requests, "token": limits.Tokens}[strings.TrimSuffix(unit, "s")]
	length, known := map[string]time.Duration{"hour": limits.Hourly, "day": limits.Daily}[per]
	n, err := strconv.ParseInt(most, 10, 64)
	if err != nil || n <= 0 || n > 1e15 || !known || !counted {
		return limits.Limit{}, errWrong
	}
	return limits.Limit{Most: n, Of: of, Per: length}, nil
}
