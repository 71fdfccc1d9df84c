package archtest_test

import "testing"

// floors orders the packages of bot from the one that starts work to the one that
// everything asks. A package may import those on higher floors only, so that a
// mention takes one way through and each package can be tested without its callers.
func floors() map[string]int {
	return map[string]int{
		"bot":              0, // routes events
		"bot/dispatch":     1, // starts work, once
		"bot/catchup":      1, // tells what was said, talk by talk
		"bot/commands":     2, // answers commands
		"bot/alternatives": 2, // decides what a message shows
		"bot/answer":       3, // makes one answer
		"bot/gate":         3, // decides who is answered
		"bot/conversation": 4, // prepares what an answer is made from
		"bot/shards":       4, // divides the shards of the gateway among processes
		"bot/phrases":      5, // holds what people and the model read
		"bot/gateway":      5, // stays connected
		"bot/limits":       5, // bounds what people may use
		"bot/outbox":       6, // sends
		"bot/outbox/split": 8, // makes messages of what a model wrote
		"bot/tools":        6, // does what the model calls for
		"bot/work":         6, // leases, and what ends work early
		"bot/sources":      7, // decides what becomes of what was made from messages
		"bot/guilds":       7, // knows guilds, permissions and scopes
	}
}

func TestNothingInBotRunsUpward(t *testing.T) {
	for _, s := range program(t) {
		if !below(s.dir, "bot") {
			continue
		}
		from, placed := floors()[s.dir]
		if !placed {
			t.Errorf("%s: %s has no floor in the order of bot's packages", s.name, s.dir)
			continue
		}
		for _, imported := range s.imports {
			folder, ours := inModule(imported)
			if to, inBot := floors()[folder]; ours && inBot && to <= from {
				t.Errorf("%s imports %s, which is on no higher floor of bot: dispatch → alternatives → answer → conversation → guilds", s.name, folder)
			}
		}
	}
}
