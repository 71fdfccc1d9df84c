package fetch_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// TestNoticesOfHeddlesAreNoConversation has heddle answer with a notice, below an answer,
// and in a further message, and replace a notice by an answer. Walks and look-ups, of a
// channel that was heard and of one that was not, find what was said alone.
func TestNoticesOfHeddlesAreNoConversation(t *testing.T) {
	const notice = "-# a notice"
	for name, hears := range map[string]bool{"cold": false, "heard": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.history.LeaveOut(func(text string) string { return strings.TrimRight(strings.TrimSuffix(text, notice), "\n") })
			reply := func(to graph.MessageID, text string) graph.MessageID {
				return w.post(w.channel, w.bot.User, discordtest.Draft{Content: text, ReplyTo: to})
			}
			alone := w.say(w.ann, "is the loom free?")
			refused := reply(alone, notice)
			asked := w.say(w.ann, "and now?")
			answer := reply(asked, "It is.\n\n"+notice)
			further := reply(asked, notice)
			late := w.say(w.bob, "and later?")
			first := reply(late, notice)
			said := w.say(w.bob, notice) // by a person, who may say so
			if hears {
				w.hear(alone, refused, asked, answer, further, late, first, said)
			}
			if err := w.server.Chat.Edit(w.channel, first, "Later, too."); err != nil {
				t.Fatal(err)
			}
			if hears {
				w.history.Update(w.wire(w.channel, first))
			}
			trigger := w.say(w.ann, "heddle?")
			w.hear(trigger)
			_, source := w.mention(trigger)
			stretch := w.before(source, trigger, 100)
			w.expect("the messages", idsOf(stretch.Messages), []graph.MessageID{said, first, late, answer, asked, alone})
			texts := []string{notice, "Later, too.", "and later?", "It is.", "and now?", "is the loom free?"}
			for i, m := range stretch.Messages {
				w.expect("a text", m.Text, texts[i])
			}
			newer := read(t, source, graph.Batch{Walks: []graph.Walk{{
				Channel: w.channel, From: graph.Position{Anchor: alone, Message: alone}, Direction: graph.Newer, Limit: 100,
			}}}).Stretches[0]
			w.expect("newer ones", idsOf(newer.Messages), []graph.MessageID{asked, answer, late, first, said, trigger})
			if found := w.look(source, w.channel, refused); found.Message.ID != alone {
				t.Errorf("a reply to a notice leads to %q, want the question", found.Message.Text)
			}
			if m, held := w.history.Message(w.channel, refused); !held || m.Origin != graph.OriginSelf {
				t.Errorf("the notice itself is %+v, %v, want it held as heddle's own", m, held)
			}
		})
	}
}
