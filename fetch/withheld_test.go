package fetch_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
)

// canary is in every message of a person who opted out.
const canary = "swordfish"

// optOut withholds the messages of a person from now on.
func (w *world) optOut(person graph.UserID) {
	w.t.Helper()
	w.history.Withhold(func(user graph.UserID) bool { return user == person })
	w.history.ForgetPerson(person)
}

// nowhereIn fails the test if the canary is in what was read.
func (w *world) nowhereIn(what string, read any) {
	w.t.Helper()
	encoded, err := json.Marshal(read)
	if err != nil || strings.Contains(string(encoded), canary) || strings.Contains(string(encoded), `"bob`) || strings.Contains(string(encoded), "@bob") {
		w.t.Errorf("%s contains withheld text: %s, %v, want none", what, encoded, err)
	}
}

// TestWalksPassWithheldMessages walks a channel in which every second message is by
// somebody who opted out: with and without a log in memory, and with an opt-out before
// and after reading.
func TestWalksPassWithheldMessages(t *testing.T) {
	for name, arrange := range map[string]func(w *world, ids []graph.MessageID){
		"cold": func(w *world, _ []graph.MessageID) { w.optOut(w.bob) },
		"heard after opting out": func(w *world, ids []graph.MessageID) {
			w.optOut(w.bob)
			w.hear(ids...)
		},
		"heard before opting out": func(w *world, ids []graph.MessageID) {
			w.hear(ids...)
			w.optOut(w.bob)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var ids, anns []graph.MessageID
			for i := range 20 {
				anns = append(anns, w.say(w.ann, fmt.Sprintf("line %d", i)))
				ids = append(ids, anns[i], w.post(w.channel, w.bob, discordtest.Draft{
					Content: canary, Attachments: []discordtest.Attachment{{Name: canary + ".txt", Type: "text/plain", Data: []byte(canary)}},
				}))
			}
			arrange(w, ids)
			trigger := w.say(w.ann, "heddle?")
			w.hear(trigger)
			_, source := w.mention(trigger)
			stretch := w.before(source, trigger, 100)
			w.expect("older", idsOf(stretch.Messages), reversed(anns))
			w.nowhereIn("a walk", stretch)
			newer := read(t, source, graph.Batch{Walks: []graph.Walk{{
				Channel: w.channel, From: graph.Position{Anchor: anns[0], Message: anns[0]}, Direction: graph.Newer, Limit: 100,
			}}}).Stretches[0]
			w.expect("newer", idsOf(newer.Messages), append(anns[1:len(anns):len(anns)], trigger))
			w.nowhereIn("an exchange", w.history.Exchange(w.channel, ids[0]))
			if shared := w.sharing(trigger, canary); len(shared) != 0 {
				t.Errorf("words of withheld messages find %v, want none", shared)
			}
			if _, shown := w.history.Message(w.channel, ids[1]); shown {
				t.Error("a withheld message is shown, want it hidden")
			}
		})
	}
}

// TestAChainOfRepliesPassesThroughWithheldMessages follows replies through messages of
// somebody who opted out, which stand on other pages than what they answer.
func TestAChainOfRepliesPassesThroughWithheldMessages(t *testing.T) {
	w := newWorld(t)
	w.optOut(w.bob)
	root := w.say(w.ann, "the loom is in room 7")
	w.fill(w.channel, 120)
	first := w.post(w.channel, w.bob, discordtest.Draft{Content: canary, ReplyTo: root})
	w.fill(w.channel, 120)
	second := w.post(w.channel, w.bob, discordtest.Draft{Content: canary, ReplyTo: first})
	alone := w.say(w.bob, canary)
	w.fill(w.channel, 120)
	trigger := w.post(w.channel, w.ann, discordtest.Draft{Content: "heddle?", ReplyTo: second})
	_, source := w.mention(trigger)
	found := w.look(source, w.channel, second)
	w.expect("through two", []any{found.State, found.Message.ID, found.Message.Text}, []any{graph.ReferenceResolved, root, "the loom is in room 7"})
	w.expect("nothing beyond", w.look(source, w.channel, alone), graph.Found{State: graph.ReferenceWithheld})
	if w.server.Chat.Delete(w.channel, root) != 1 {
		t.Fatal("not deleted")
	}
	w.history.Gap(nil)
	_, source = w.mention(trigger)
	w.expect("deleted beyond", w.look(source, w.channel, second).State, graph.ReferenceDeleted)
}

// TestAnAnswerToAWithheldQuestionIsWithheldAlone has heddle and Ann reply to a message of
// Bob's that is on another page than the replies. Only what heddle answered him is withheld.
// Nothing is read for what a withheld question of his replies to.
func TestAnAnswerToAWithheldQuestionIsWithheldAlone(t *testing.T) {
	w := newWorld(t)
	w.optOut(w.bob)
	asked := w.say(w.bob, canary)
	w.fill(w.channel, 250)
	answer := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "It is " + canary, ReplyTo: asked})
	replied := w.post(w.channel, w.ann, discordtest.Draft{Content: "what do you mean?", ReplyTo: asked})
	trigger := w.post(w.channel, w.bob, discordtest.Draft{Content: "and now?", ReplyTo: asked})
	m, source := w.mention(trigger)
	w.expect("the newest", idsOf(w.before(source, trigger, 1).Messages), []graph.MessageID{replied})
	held, _ := w.history.Message(w.channel, answer)
	w.nowhereIn("what is held of the answer", held)
	w.hear(trigger)
	reads := m.Reads()
	w.expect("the question", w.look(source, w.channel, trigger).State, graph.ReferenceWithheld)
	w.expect("reads for a withheld question", m.Reads(), reads)
}

// TestAnAnswerIsWithheldBeforeItsEventComes has heddle answer Bob, which so far only heddle
// itself has told of.
func TestAnAnswerIsWithheldBeforeItsEventComes(t *testing.T) {
	w := newWorld(t)
	w.optOut(w.bob)
	asked := w.say(w.bob, canary)
	w.hear(asked)
	w.history.Own(w.channel, asked, &discord.Message{ID: asked + 1, Author: discord.User{ID: w.bot.User}, Content: "It is " + canary, Whole: true})
	_, shown := w.history.Message(w.channel, asked+1)
	w.expect("whether the answer is shown", shown, false)
}

// TestACircleOfWithheldMessagesEnds lets messages reply to each other in a circle,
// which is possible on servers that imitate Discord.
func TestACircleOfWithheldMessagesEnds(t *testing.T) {
	w := newWorld(t)
	w.optOut(w.bob)
	circle := func(id, to graph.MessageID) *discord.Message {
		return &discord.Message{
			ID: id, Channel: w.channel, Author: discord.User{ID: w.bob}, Type: discord.TypeReply, Content: canary,
			Reference: &discord.Reference{Message: to}, Whole: true,
		}
	}
	trigger := w.say(w.ann, "heddle?")
	w.history.Create(circle(trigger-2, trigger-1))
	w.history.Create(circle(trigger-1, trigger-2))
	w.hear(trigger)
	_, source := w.mention(trigger)
	w.expect("state", w.look(source, w.channel, trigger-1).State, graph.ReferenceWithheld)
}

// TestQuotesAreWithheldAsFarAsIDsTell checks other people's messages that contain the
// words or the name of somebody who opted out.
func TestQuotesAreWithheldAsFarAsIDsTell(t *testing.T) {
	w := newWorld(t)
	w.optOut(w.bob)
	said := w.say(w.bob, canary)
	w.hear(said)
	mentions := w.say(w.ann, "ask <@"+w.bob.String()+">")
	reply := w.post(w.channel, w.ann, discordtest.Draft{Content: "no", ReplyTo: said})
	forward := w.post(w.channel, w.ann, discordtest.Draft{Content: "look", Forward: said})
	question := w.say(w.bob, "<@"+w.bot.User.String()+"> "+canary)
	answered := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "you say " + canary, ReplyTo: question})
	further := w.post(w.channel, w.bot.User, discordtest.Draft{Content: "and " + canary, ReplyTo: answered})
	used := w.post(w.channel, w.ann, discordtest.Draft{Type: 20, Content: "It rains.", Raw: map[string]any{
		"interaction": map[string]any{"id": "5", "type": 2, "name": "weather", "user": map[string]any{"id": w.bob.String(), "username": "bob"}},
	}})
	trigger := w.say(w.ann, "heddle?")
	for name, hear := range map[string]func(){
		"cold":           func() {},
		"heard":          func() { w.hear(mentions, reply, forward, question, answered, further, trigger) },
		"heard by parts": func() { w.hear(further, trigger) },
	} {
		w.history.Gap(nil)
		hear()
		_, source := w.mention(trigger)
		stretch := w.before(source, trigger, 100)
		w.nowhereIn(name, stretch)
		texts := make(map[graph.MessageID]string)
		for _, m := range stretch.Messages {
			texts[m.ID] = m.Text
		}
		if name == "cold" {
			w.expect("a mention", texts[mentions], "ask @somebody")
			w.expect("a reply", texts[reply], "no")
			w.expect("an answer to a command", texts[used], "It rains.\n[@somebody used /weather]")
			if texts[answered] != "" || texts[further] != "" {
				t.Errorf("answers to withheld questions are shown: %q, want \"\" for answered and \"\" for further", texts)
			}
		}
	}
}

// TestOptingInShowsMessagesAgain lets somebody opt out and then in again.
func TestOptingInShowsMessagesAgain(t *testing.T) {
	w := newWorld(t)
	var out atomic.Bool
	out.Store(true)
	w.history.Withhold(func(user graph.UserID) bool { return out.Load() && user == w.bob })
	ids := []graph.MessageID{w.say(w.ann, "one"), w.say(w.bob, "two")}
	w.hear(ids...)
	trigger := w.say(w.ann, "heddle?")
	_, source := w.mention(trigger)
	w.expect("while out", idsOf(w.before(source, trigger, 10).Messages), ids[:1])
	out.Store(false)
	w.expect("logs", w.history.ForgetPerson(w.bob), 1)
	w.expect("logs of a stranger", w.history.ForgetPerson(4711), 0)
	_, source = w.mention(trigger)
	stretch := w.before(source, trigger, 10)
	w.expect("after opting in", idsOf(stretch.Messages), reversed(ids))
	w.expect("the text", stretch.Messages[0].Text, "two")
}

// TestNothingOfAWithheldMessageIsHeld searches the whole memory of a history.
func TestNothingOfAWithheldMessageIsHeld(t *testing.T) {
	w := newWorld(t)
	w.hear(w.post(w.channel, w.bob, discordtest.Draft{Content: canary}), w.say(w.ann, "<@"+w.bob.String()+"> is "+"bob"))
	w.optOut(w.bob)
	said := w.post(w.channel, w.bob, discordtest.Draft{Content: canary, Attachments: []discordtest.Attachment{{Name: canary, Data: []byte(canary)}}})
	w.hear(said)
	w.history.Update(&discord.Message{
		ID: said, Channel: w.channel, Content: canary, Embeds: []discord.Embed{{Title: canary}},
	})
	trigger := w.say(w.ann, "heddle?")
	_, source := w.mention(trigger)
	w.before(source, trigger, 10)
	if found := contains(reflect.ValueOf(w.history), canary, make(map[uintptr]bool)); found != "" {
		t.Errorf("what is withheld is held in %s, want none", found)
	}
}

// contains returns the place in a value that contains a text, or "". It follows
// pointers.
func contains(v reflect.Value, text string, seen map[uintptr]bool) string {
	switch v.Kind() { //nolint:exhaustive // the others hold no text
	case reflect.String:
		if strings.Contains(v.String(), text) {
			return "a string"
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
			return ""
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		return contains(v.Elem(), text, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if where := contains(v.Field(i), text, seen); where != "" {
				return v.Type().Field(i).Name + "." + where
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if where := contains(v.Index(i), text, seen); where != "" {
				return where
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if where := contains(entries.Value(), text, seen); where != "" {
				return where
			}
		}
	}
	return ""
}
