package archtest_test

import "testing"

// floors orders the packages of bot from the one that starts work to the one that
// everything asks. A package may import those on higher floors only, so that a
// mention takes one way through and each package can be tested without its callers.
func floors() map[string]int {
	return map[string]int{
		"bot":              0,  // routes events
		"bot/commands":     1,  // answers commands, and presses of buttons
		"bot/questions":    2,  // what a question is, who may ask one, and when it is answered
		"bot/answer":       4,  // makes one answer
		"bot/catchup":      5,  // reads and describes what was said, talk by talk
		"bot/tools":        5,  // does what the model calls for
		"bot/conversation": 6,  // prepares what an answer is made from
		"bot/gateway":      6,  // stays connected, and divides the shards among processes
		"bot/reply":        7,  // sends
		"bot/limits":       8,  // bounds what people may use
		"bot/guilds":       9,  // knows guilds, permissions and scopes, and who opted out
		"bot/phrases":      10, // holds what people and the model read
		"bot/reply/split":  10, // makes messages of what a model wrote
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
				t.Errorf("%s imports %s, which is on no higher floor of bot: commands → questions → answer → conversation → guilds", s.name, folder)
			}
		}
	}
}
