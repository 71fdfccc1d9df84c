package chaos_test

import (
	"encoding/json"
	"testing"

	"heddle/bot/reply"
	"heddle/internal/discordtest"
)

// TestTheOracleKnowsWhatIsWrong judges answers to mention 7, whose message is 70, in heddle's messages
// 71 and 72.
func TestTheOracleKnowsWhatIsWrong(t *testing.T) {
	t.Parallel()
	const heddle, whole, older = 1, "<7.1.4.0> <7.1.4.end>", "<7.0.3.0> <7.0.3.end>"
	says := func(text string) discordtest.Message {
		return discordtest.Message{ID: 71, Author: heddle, Content: text, Reference: &discordtest.Reference{Message: 70}}
	}
	pressable := func(m discordtest.Message) discordtest.Message {
		m.Components = json.RawMessage(`[{"type":1,"components":[{"type":2,"label":"Why?","custom_id":"x"}]}]`)
		return m
	}
	goesOn := pressable(discordtest.Message{ID: 72, Author: heddle, Content: "<7.1.4.1> <7.1.4.end>", Reference: &discordtest.Reference{Message: 71}})
	for name, test := range map[string]struct {
		of   mention
		said []discordtest.Message
		want verdict
	}{
		"a whole answer":                       {mention{}, []discordtest.Message{pressable(says(whole))}, fine},
		"a whole answer in two messages":       {mention{}, []discordtest.Message{says("<7.1.4.0>"), goesOn}, fine},
		"nothing":                              {mention{}, nil, lost},
		"an answer to an older version":        {mention{}, []discordtest.Message{pressable(says(older))}, lost},
		"an older answer, as the model failed": {mention{failed: true}, []discordtest.Message{pressable(says(older)), says("That failed.")}, fine},
		"two answers":                          {mention{}, []discordtest.Message{pressable(says(whole)), pressable(says(whole))}, double},
		"two answers though the model failed":  {mention{failed: true}, []discordtest.Message{pressable(says(whole)), pressable(says(whole))}, double},
		"another's answer":                     {mention{}, []discordtest.Message{pressable(says("<8.1.4.0> <8.1.4.end>"))}, misplaced},
		"parts of two answers":                 {mention{}, []discordtest.Message{says("<7.1.3.0>"), goesOn}, garbled},
		"an answer that grows":                 {mention{}, []discordtest.Message{says("<7.1.4.0>" + reply.Indicator)}, stuck},
		"an answer below what was deleted":     {mention{deleted: true}, []discordtest.Message{pressable(says(whole))}, standing},
		"an answer without buttons":            {mention{}, []discordtest.Message{says(whole)}, bare},
		"a sentence without buttons":           {mention{}, []discordtest.Message{says("That failed.")}, fine},
		"a withdrawn answer":                   {mention{withdraws: true, withdrawn: 1}, nil, fine},
		"a withdrawn answer that came back":    {mention{withdraws: true, withdrawn: 1}, []discordtest.Message{pressable(says(whole))}, returned},
		"a half of a withdrawn answer":         {mention{withdraws: true, withdrawn: -1}, []discordtest.Message{says("<7.1.4.0>")}, returned},
		"withdrawn, and edited since":          {mention{withdraws: true, withdrawn: 0}, []discordtest.Message{pressable(says(whole))}, fine},
		"an edit that nobody heard":            {mention{late: true}, nil, unasked},
		"an answer without the second part":    {mention{part: 1}, []discordtest.Message{pressable(says(older))}, apart},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.of.number, test.of.id, test.of.edits = 7, 70, 1
			if !test.of.withdraws {
				test.of.withdrawn = -1
			}
			if got, text := judge(test.of, heddle, test.said); got != test.want {
				t.Errorf("it is judged %s, %q, want %s", got, text, test.want)
			}
		})
	}
}
