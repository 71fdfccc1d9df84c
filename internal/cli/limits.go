package cli

import (
	"heddle/bot/limits"
	"heddle/config"
	"heddle/graph"
	"heddle/llm"
)

// toolTokens is how many tokens the tools of one answer may take, beside the
// conversation, which every request repeats.
const toolTokens = 100_000

// repeats is how often the conversation of an answer may be sent in full.
const repeats = 8

// limitsOf returns what c allows people to use.
func limitsOf(c config.Config) limits.Settings {
	chosen := limits.Settings{
		Person: limitsIn(c.LimitPerson.All()), Channel: limitsIn(c.LimitChannel.All()), Guild: limitsIn(c.LimitGuild.All()),
		All: limitsIn(c.LimitAll.All()), Roles: make(map[graph.RoleID][]limits.Limit),
		Answer: toolTokens + repeats*c.TokenBudget, AtMost: llm.NewCounter(c.LLMModel).RequestAtMost,
	}
	for role, of := range c.LimitRoles.All() {
		chosen.Roles[graph.RoleID(role)] = limitsIn(of)
	}
	return chosen
}

func limitsIn(configured []config.Limit) []limits.Limit {
	all := make([]limits.Limit, len(configured))
	for i, l := range configured {
		all[i] = limits.Limit{Most: l.Most, Per: l.Per}
		if l.Tokens {
			all[i].Of = limits.Tokens
		}
	}
	return all
}
