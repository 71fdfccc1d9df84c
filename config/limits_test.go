package config_test

import (
	"reflect"
	"testing"
	"time"

	"heddle/bot/limits"
	"heddle/config"
	"heddle/graph"
)

func TestLimitsAreReadAsTheyAreSaid(t *testing.T) {
	const day = 24 * time.Hour
	hourly := []limits.Limit{{Most: 20, Of: limits.Requests, Per: time.Hour}}
	for text, want := range map[string]config.RoleLimits{
		"":                 {Roles: map[graph.RoleID][]limits.Limit{}},
		"20 requests/hour": {Anybody: hourly, Roles: map[graph.RoleID][]limits.Limit{}},
		" 1 request / hour ,  100000 tokens/day": {
			Anybody: []limits.Limit{{Most: 1, Of: limits.Requests, Per: time.Hour}, {Most: 100000, Of: limits.Tokens, Per: day}}, Roles: map[graph.RoleID][]limits.Limit{},
		},
		"20 requests/hour; 80351110224678912: 5 tokens/day; 7:off;": {
			Anybody: hourly, Roles: map[graph.RoleID][]limits.Limit{80351110224678912: {{Most: 5, Of: limits.Tokens, Per: day}}, 7: nil},
		},
	} {
		c, _, err := config.Load([]string{"LIMIT_PERSON=" + text}, noFiles)
		if err != nil || !reflect.DeepEqual(c.LimitPerson, want) {
			t.Errorf("%q is read as %v, %v, want %v and no error", text, c.LimitPerson, err, want)
		}
	}
	c, _, err := config.Load([]string{"LIMIT_SHARED=channel: 20 requests/hour; all: 5 tokens/day"}, noFiles)
	if want := (config.SharedLimits{Channel: hourly, All: []limits.Limit{{Most: 5, Of: limits.Tokens, Per: day}}}); err != nil || !reflect.DeepEqual(c.LimitShared, want) {
		t.Errorf("shared limits are read as %v, %v, want %v and no error", c.LimitShared, err, want)
	}
}

func TestLimitsThatAreNoneAreFaults(t *testing.T) {
	for _, environ := range []string{
		"LIMIT_PERSON=20", "LIMIT_PERSON=requests/hour", "LIMIT_PERSON=0 requests/hour", "LIMIT_PERSON=-1 requests/hour", "LIMIT_PERSON=2.5 requests/hour",
		"LIMIT_PERSON=20 questions/hour", "LIMIT_PERSON=20 requests/week", "LIMIT_PERSON=20 requests", "LIMIT_PERSON=20 requests/hour, 30 requests/hour",
		"LIMIT_PERSON=20 requests/hour,", "LIMIT_PERSON=9999999999999999999 tokens/day", "LIMIT_PERSON=members: 20 requests/hour", "LIMIT_PERSON=0: off",
		"LIMIT_PERSON=7", "LIMIT_PERSON=7: 20", "LIMIT_PERSON=7: off, 8: off", "LIMIT_PERSON=7: off; 7: off",
		"LIMIT_SHARED=20 requests/hour", "LIMIT_SHARED=guild: 20 requests/hour", "LIMIT_SHARED=: 20 requests/hour",
	} {
		if c, _, err := config.Load([]string{environ}, noFiles); err == nil {
			t.Errorf("%q is read as %v and %v, want an error", environ, c.LimitPerson, c.LimitShared)
		}
	}
}
