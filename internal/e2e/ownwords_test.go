package e2e_test

import (
	"fmt"
	"testing"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// takingBack are the ways in which Bob takes back what he wrote.
func takingBack() map[string]func(s *scene, said graph.MessageID) {
	return map[string]func(s *scene, said graph.MessageID){
		"deleted": func(s *scene, said graph.MessageID) {
			s.discord.Chat.Delete(s.channel, said)
			s.uses(s.channel, "heddle help") // by then the deletion was heard of
		},
		"forgotten": func(s *scene, _ graph.MessageID) { s.runs(s.bob, "heddle forget-me", nil, "I have erased") },
		"opted out": func(s *scene, _ graph.MessageID) { s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read") },
	}
}

// TestWhatHeddleSaidIsReadByNobodyOnceItsSourcesAreTakenBack has heddle repeat what Bob
// wrote, and Bob take that back. The answer stands on Discord, and nothing reads it any
// more: no conversation, no list of talks, no search, and no export.
func TestWhatHeddleSaidIsReadByNobodyOnceItsSourcesAreTakenBack(t *testing.T) {
	inScenes(t, takingBack(), func(s *scene, takeBack func(*scene, graph.MessageID)) {
		s.repeats()
		r := s.start()
		said := s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
		told := s.annAsks(discordtest.Draft{Content: "what is it?"}, "It is "+canary)
		thanks := s.post(s.ann, discordtest.Draft{Content: "thanks, now to the loom", ReplyTo: told.ID})
		r.settled(s, thanks) // it would be answered anew
		takeBack(s, said)
		asked := len(s.model.Requests())

		s.catchesUp(s.ann, "heddle catchup", map[string]any{"since": "1h"})
		s.findsNothing(canary)
		s.model.Queue(call("search_channel", `{"words":"it is"}`), openaitest.Answer("I found nothing."))
		other := s.thread("another matter")
		s.answered(other, "can you look it up?", "I found nothing.")
		s.model.Queue(call("search_channel", `{"words":"it is"}`), openaitest.Answer("I found nothing."))
		found := s.ask(s.ann, "look it up, please")
		s.answer(s.channel, found, "I found nothing.")
		s.annAsks(discordtest.Draft{Content: "what was that?", ReplyTo: told.ID}, "I don't know.")
		for _, request := range s.model.Requests()[asked:] {
			s.lacks(string(request.Body), canary+".")
		}
		r.settled(s, found)
		r.end()
		s.lacks(s.prints(consent(s.ann), "export", "--format", "raw"), canary)
	})
}

// TestNothingThatHeddleSaidIsReadWhileRecordsCannotBe has heddle repeat what Bob wrote, Bob take
// that back, and Redis refuse everything before and after. Nobody's question is answered from
// heddle's words, however it asks, and the answer says why. A deletion of which Redis was not
// told yet counts, too.
func TestNothingThatHeddleSaidIsReadWhileRecordsCannotBe(t *testing.T) {
	inScenes(t, takingBack(), func(s *scene, takeBack func(*scene, graph.MessageID)) {
		url, refuse := s.refusing()
		const loading = "LOADING Redis is loading the dataset in memory"
		s.repeats()
		r := s.start("REDIS_URL="+url, "SUMMARIES=on")
		said := s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
		told := r.answer(s, s.channel, s.ask(s.ann, "what is it?"), "It is "+canary)
		other := s.thread("another matter")
		second := s.postIn(other, s.bob, discordtest.Draft{Content: "the password is " + canary + " for good"})
		further := r.answer(s, other, s.askIn(other, s.ann, "and here?"), "It is "+canary)
		takeBack(s, said)
		asked := len(s.model.Requests())
		notice := "\n" + phrases.English("notice_no_records")

		refuse(loading)
		s.discord.Chat.Delete(other, second)
		s.annAsks(discordtest.Draft{Content: "the loom is in room 7", ReplyTo: told.ID}, "I don't know."+notice)
		s.annAsks(discordtest.Draft{Content: "what was it that you said it is?"}, "I don't know."+notice)
		s.model.Queue(call("search_channel", `{"words":"it is"}`), openaitest.Answer("I found nothing."))
		s.annAsks(discordtest.Draft{Content: "look it up, please"}, "I found nothing."+notice)
		s.runs(s.ann, "heddle ask", map[string]any{"question": "what is it?", "private": true}, "I don't know."+notice)
		_, list := s.catchesUp(s.ann, "heddle catchup", map[string]any{"since": "1h"})
		s.contains(list.Content, phrases.English("notice_no_records"))
		s.findsNothing(canary + ".")
		refuse("")
		s.answer(other, s.postIn(other, s.ann, discordtest.Draft{Content: s.mention("and now?"), ReplyTo: further.ID}), "I don't know.")
		s.annAsks(discordtest.Draft{Content: "and now?", ReplyTo: told.ID}, "I don't know.")
		s.contains(s.conversation(asked+1), "room 7")
		for _, request := range s.model.Requests()[asked:] {
			s.lacks(string(request.Body), canary)
		}
	})
}

// TestWhatIsTakenBackInTheMidstOfAnAnswerIsInNone has Bob take back what an answer is being
// made from. The same message then holds an answer without it, and after a restart nothing
// of what had been said is used.
func TestWhatIsTakenBackInTheMidstOfAnAnswerIsInNone(t *testing.T) {
	inScenes(t, takingBack(), func(s *scene, takeBack func(*scene, graph.MessageID)) {
		s.repeats()
		gate := s.pauses("It is "+canary+", which everybody ", "should know.")
		r := s.start()
		said := s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
		question := s.ask(s.ann, "what is it?")
		s.begun(s.channel, question, "It is "+canary)
		takeBack(s, said)
		close(gate)
		s.wholeAnswer(question, "I don't know.")
		told := r.answer(s, s.channel, question, "I don't know.")
		r.end()
		s.nowhere(canary)
		s.hasSaid(1)
		asked := len(s.model.Requests())
		s.start()
		s.annAsks(discordtest.Draft{Content: "what was that?", ReplyTo: told.ID}, "I don't know.")
		s.unread(asked)
	})
}

// TestAQuestionThatIsTakenBackInTheMidstOfItsAnswerHasNone has the asker opt out or be
// forgotten while the answer grows.
func TestAQuestionThatIsTakenBackInTheMidstOfItsAnswerHasNone(t *testing.T) {
	t.Parallel()
	for command, said := range map[string]string{"heddle forget-me": "I have erased", "heddle opt-out": "From now on I don't read"} {
		t.Run(command, func(t *testing.T) {
			s := newScene(t)
			gate := s.pauses("It is "+canary+", which everybody ", "should know.")
			s.always(openaitest.Answer("Fine."))
			r := s.start()
			question := s.ask(s.bob, "is it "+canary+"?")
			s.begun(s.channel, question, "It is "+canary)
			s.runs(s.bob, command, nil, said)
			close(gate)
			r.settled(s, question)
			s.hasSaid(0)
			r.end()
			s.nowhere(canary)
		})
	}
}

// TestAnEditInTheMidstOfAnAnswerLeavesIt edits what an answer is being made from: the
// answer stands, and is used until older versions are erased.
func TestAnEditInTheMidstOfAnAnswerLeavesIt(t *testing.T) {
	s := newScene(t)
	gate := s.pauses("It is in room 7, which everybody ", "should know.")
	s.always(openaitest.Answer("Fine."))
	s.start()
	said := s.post(s.bob, discordtest.Draft{Content: "the loom is in room 7"})
	question := s.ask(s.ann, "where is it?")
	s.begun(s.channel, question, "It is in room 7")
	s.edit(said, "the loom is in room 8")
	s.uses(s.channel, "heddle help") // by then the edit was heard of
	close(gate)
	s.wholeAnswer(question, "It is in room 7, which everybody should know.")
	told := s.answer(s.channel, question, "should know.")
	s.annAsks(discordtest.Draft{Content: "since when?", ReplyTo: told.ID}, "Fine.")
	s.contains(s.conversation(2), "It is in room 7, which everybody")
}

// TestWhatHeddleSaidIsUsedOnlyForWhoMayReadItsSources has heddle answer from a channel that
// a link leads to, and hides that channel afterwards.
func TestWhatHeddleSaidIsUsedOnlyForWhoMayReadItsSources(t *testing.T) {
	s := newScene(t)
	s.repeats()
	r := s.start()
	hidden := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "soon hidden"})
	said := s.postIn(hidden, s.bob, discordtest.Draft{Content: "the password is " + canary})
	link := fmt.Sprintf("https://discord.com/channels/%s/%s/%s", s.guild, hidden, said)
	told := r.answer(s, s.channel, s.ask(s.ann, "what is it? "+link), "It is "+canary)
	hideFromMost(s, hidden)
	s.annAsks(discordtest.Draft{Content: "what was that?", ReplyTo: told.ID}, "I don't know.")
	s.findsNothing(canary)
}

// findsNothing fails the test if Ann finds a talk by some words.
func (c *commands) findsNothing(words string) {
	c.t.Helper()
	_, m := c.catchesUp(c.ann, "heddle find", map[string]any{"words": words})
	c.contains(m.Content, "I found no talk")
}

// TestAnAnswerWithoutARecordIsUsedWhileItsQuestionStands lets the store lose its answers.
// One whose question stands is read as Discord shows it, and one whose question was
// deleted is not, and neither is what answers nothing.
func TestAnAnswerWithoutARecordIsUsedWhileItsQuestionStands(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Fine."))
	asked := s.post(s.ann, discordtest.Draft{Content: "where is the red loom?"})
	s.post(s.heddle.User, discordtest.Draft{Content: "The red loom is upstairs.", ReplyTo: asked})
	gone := s.post(s.ann, discordtest.Draft{Content: "where is the blue loom?"})
	s.post(s.heddle.User, discordtest.Draft{Content: "The blue loom is downstairs.", ReplyTo: gone})
	s.discord.Chat.Delete(s.channel, gone)
	s.post(s.heddle.User, discordtest.Draft{Content: "Somebody asked for a list of looms."})
	s.start()
	s.annAsks(discordtest.Draft{Content: "which looms are there?"}, "Fine.")
	body := string(s.request(1).Body)
	s.contains(body, "red loom is upstairs")
	s.lacks(body, "blue loom is downstairs", "list of looms")
}

// TestAPublicAnswerToACommandIsRecordedLikeThatToAMention asks by command what Bob wrote.
// Everybody reads the answer: its asker can delete it, and once Bob is forgotten nothing
// uses it.
func TestAPublicAnswerToACommandIsRecordedLikeThatToAMention(t *testing.T) {
	s := newScene(t)
	s.repeats()
	r := s.start()
	s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "what is it?"}, "It is "+canary)
	told := s.standsIn(discordtest.Message{ID: in.Public[0], Channel: s.channel}, "> what is it?\nIt is "+canary+".", "Why? ⋯")
	s.contains(s.privately(s.press(s.ann, told, "Why?"), "made from").Content, "the password is "+canary)
	s.menu(s.bob, told, "Move to a thread As a file")
	s.chats(40)
	s.annAsks(discordtest.Draft{Content: "is it?", ReplyTo: told.ID}, "It is "+canary)
	s.contains(lastRead(s.model), "> what is it?\nIt is "+canary)
	asked := len(s.model.Requests())
	s.runs(s.bob, "heddle forget-me", nil, "I have erased")
	s.annAsks(discordtest.Draft{Content: "what was that?", ReplyTo: told.ID}, "I don't know.")
	s.unread(asked)

	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "and now?"}, "I don't know.")
	second := s.standsIn(discordtest.Message{ID: in.Public[0], Channel: s.channel}, "> and now?\nI don't know.", "Why? ⋯")
	s.chosen(s.menu(s.ann, second, "Move to a thread As a file Delete"), "Delete", phrases.English("answer_deleted"))
	s.isDeleted(second)
	r.end()
	s.nowhere(canary)
	r = s.start()
	r.checked(s)
	s.stands(told) // as nobody deleted it
}

// TestWhatIsTakenBackInTheMidstOfAPublicAnswerIsInNone has Bob take back what an answer to a
// command is being made from, or the asker opt out.
func TestWhatIsTakenBackInTheMidstOfAPublicAnswerIsInNone(t *testing.T) {
	s := newScene(t)
	gate := s.waits("It is " + canary + ".")
	s.always(openaitest.Answer("I don't know."))
	r := s.start()
	said := s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
	id := s.invokes(s.ann, "heddle ask", map[string]any{"question": "what is it?"})
	s.request(1)
	s.discord.Chat.Delete(s.channel, said)
	s.uses(s.channel, "heddle help") // by then the deletion was heard of
	close(gate)
	s.shown(id, "> what is it?\nI don't know.")
	r.end()
	s.nowhere(canary)
}
