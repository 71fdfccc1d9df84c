package e2e_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

func TestAlternativesAreWalkedByAnybody(t *testing.T) {
	s := newScene(t)
	r := s.start()
	_, answer := s.joked()
	id := s.press(s.bob, answer, "◀")
	answer = s.standsIn(answer, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
	told, _ := s.discord.Interactions.Find(id)
	s.same("how the press was answered", told.Answered, discordtest.AnswerUpdateLater)
	s.same("what was told beside", len(told.Private), 0)
	s.same("that nobody was pinged", answer.Pings.None(), true)

	s.model.Queue(openaitest.Answer("Warps are long."))
	s.answer(s.channel, s.askBelow(answer.ID, s.ann, "explain"), "Warps are long.")
	s.askedWith(3, "user: [speaker: ann]\n@heddle a joke?", "assistant: A joke about warps.", "user: [speaker: ann]\n@heddle explain")

	r.end()
	s.start()
	s.press(s.ann, answer, "▶")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
	s.askedTimes(3)
}

// TestTheSecondOfTwoWhoAskAfreshIsTold has two people press ↻ before a new answer shows.
// One is made, and the second person reads alone that it stands there.
func TestTheSecondOfTwoWhoAskAfreshIsTold(t *testing.T) {
	s := newScene(t)
	s.start()
	_, answer := s.joked()
	gate := s.waits("A joke about looms.")
	first := s.press(s.ann, answer, "↻")
	errtest.Must(s.model.Await(s.ctx, 3))(s.t)
	second := s.press(s.bob, answer, "↻")
	close(gate)
	s.ephemeral(second, "This message shows another answer by now.")
	s.standsIn(answer, "A joke about looms.", "Why? ↻ ⋯ ◀ (3/3) (▶)")
	told, _ := s.discord.Interactions.Find(first)
	s.same("what the first person is told", len(told.Private), 0)
	s.askedTimes(3)
}

// TestAPressOnAnAnswerThatIsNotKeptYet presses a button before heddle knows that Discord has
// accepted the answer.
func TestAPressOnAnAnswerThatIsNotKeptYet(t *testing.T) {
	s := newScene(t)
	r := s.start()
	s.model.Queue(openaitest.Answer("A joke about warps."), openaitest.Answer("A joke about wefts."))
	first := r.answer(s, s.channel, s.ask(s.ann, "a joke?"), "A joke about warps.")
	gate := make(chan struct{})
	s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteCreateMessage), GateAfter: gate})
	again := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID}), "A joke about wefts.")
	s.acknowledged(s.press(s.bob, again, "◀"))
	close(gate)
	s.standsIn(again, "A joke about warps.", "Why? ↻ ⋯ (◀) (1/2) ▶")
}

// TestAForgedButtonReachesNothing presses buttons that heddle never made, which a server
// that only resembles Discord may send: of answers and talks of another channel, of settings
// out of bounds, and of other versions.
func TestAForgedButtonReachesNothing(t *testing.T) {
	s := newScene(t)
	s.admin(s.ann)
	private := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true, Readers: []graph.UserID{s.ann, s.heddle.User}})
	s.start()
	_, answer := s.jokedIn(private)
	theirs := strings.TrimPrefix(answer.Buttons()[3].CustomID, "heddle:show:")
	_, answer = s.joked()
	mine := strings.TrimPrefix(answer.Buttons()[3].CustomID, "heddle:show:")
	secret := s.postIn(private, s.ann, discordtest.Draft{Content: "the secret printer"})
	in36 := func(n uint64) string { return strconv.FormatUint(n, 36) }
	talk := "0." + in36(uint64(secret+1<<22)) + "." + in36(uint64(private)) + ":" + in36(uint64(secret))
	for want, forged := range map[string][]string{
		"this answer is not stored yet":      {"heddle:show:" + theirs, "heddle:show:" + strings.Repeat("0", 32)},
		"I don't know this button any more":  {"heddle:show:", "heddle:show:" + mine + "00", "heddle:unknown", "other:" + mine, "heddle:delete:" + answer.ID.String(), "heddle:page:nobody:1", "heddle:context:channel:5:10:auto", "heddle:ask:nothing!", "heddle:talks:", "heddle:talks:z:0.1.1:1"},
		"I can't show you that channel here": {"heddle:talks:t:" + talk, "heddle:talks:a:" + talk, "heddle:talks:m:" + talk},
		"That talk is no longer there.":      {"heddle:talks:t:", "heddle:talks:l:0.1", "heddle:talks:t:0.1"},
		"":                                   {"heddle:page:1:-7"},
	} {
		for _, id := range forged {
			m := s.forge(answer.Reference.Message, id)
			s.lacks(s.privately(s.press(s.bob, m, "x"), want).Content, "secret")
			now, _ := s.discord.Chat.Message(s.channel, m.ID)
			s.same("the forgery of "+id, now.Content, "A forgery.")
		}
	}
	s.runs(s.bob, "heddle context", nil, "at most 30 in all")
	s.standsIn(answer, "A joke about wefts.", "Why? ↻ ⋯ ◀ (2/2) (▶)")
}

// forge posts a message by heddle with a button that heddle never made.
func (p *people) forge(replyTo graph.MessageID, id string) discordtest.Message {
	p.t.Helper()
	components := fmt.Sprintf(`[{"type":1,"components":[{"type":2,"style":2,"label":"x","custom_id":%q}]}]`, id)
	made := p.post(p.heddle.User, discordtest.Draft{Content: "A forgery.", ReplyTo: replyTo, Components: json.RawMessage(components)})
	m, _ := p.discord.Chat.Message(p.channel, made)
	return m
}

// menu is the menu of an answer. Only the person who opened it sees it.
type menu struct {
	discordtest.Message

	who    graph.UserID
	opened discordtest.InteractionID
}

// menu opens the menu of an answer, and returns it once it shows these choices.
func (c *commands) menu(who graph.UserID, answer discordtest.Message, choices string) menu {
	c.t.Helper()
	id := c.press(who, answer, "⋯")
	opened := c.privately(id, "")
	if told, _ := c.discord.Interactions.Find(id); labels(opened) != choices || len(told.Public) != 0 {
		c.t.Fatalf("the menu reads %q with %q, want %q", opened.Content, labels(opened), choices)
	}
	return menu{opened, who, id}
}

// chosen chooses in a menu and waits until the menu reads as wanted.
func (c *commands) chosen(m menu, choice, want string) discordtest.Message {
	c.t.Helper()
	c.press(m.who, m.Message, choice)
	now := c.privately(m.opened, want)
	c.same("what is left to choose", labels(now), "")
	return now
}

// TestAnAnswerIsDeletedByWhomItWasFor shows what a stranger, the person who asked and a
// moderator may do.
func TestAnAnswerIsDeletedByWhomItWasFor(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer(long("warp", 2)), openaitest.Answer("Weft."))
	r := s.start()
	question := r.answers(s, s.ann, "warp?", "warp")
	last := s.standsAs(s.answersOf(s.channel)[question][0].ID, long("warp", 2), row)

	s.menu(s.bob, last, "Move to a thread As a file")
	forged := s.forge(question, "heddle:delete:"+last.ID.String())
	s.ephemeral(s.press(s.bob, forged, "x"), "I don't know this button any more.")
	s.stands(last)
	menu := s.menu(s.ann, last, "Move to a thread As a file Delete")
	s.chosen(menu, "Delete", "The answer is deleted.")
	left := s.answersOf(s.channel)[question]
	s.same("what is left below the question", []int{len(left), int(left[0].ID)}, []int{1, int(forged.ID)})
	other := s.answered(s.channel, "weft?", "Weft.")
	mod := s.discord.People.AddUser("mod", s.guild)
	moderators := s.discord.World.AddRole(s.guild, "moderators", discordtest.ManageMessages, false)
	s.discord.People.GrantRole(s.guild, mod, moderators)
	opened := s.menu(mod, other, "Move to a thread As a file Delete")
	s.discord.People.RevokeRole(s.guild, mod, moderators)
	s.chosen(opened, "Delete", "Only whoever asked, and moderators, can delete this answer.")
	s.stands(other)
	s.discord.People.GrantRole(s.guild, mod, moderators)
	s.chosen(s.menu(mod, other, "Move to a thread As a file Delete"), "Delete", "The answer is deleted.")
}

// TestAnAnswerIsShownAsAFileToWhoeverAsksForIt reads the file.
func TestAnAnswerIsShownAsAFileToWhoeverAsksForIt(t *testing.T) {
	s := newScene(t)
	text := "# Warps\n\n```go\n" + strings.Repeat("warp()\n", 600) + "```\nThat is all."
	s.model.Queue(openaitest.Answer(text))
	s.start()
	s.ask(s.ann, "warp?")
	last := s.says(s.channel, "That is all.")
	m := s.chosen(s.menu(s.bob, last, "Move to a thread As a file"), "As a file", "Here is the answer as a file.")
	if len(m.Attachments) != 1 || m.Attachments[0].Name != "answer.md" || string(m.Attachments[0].Data) != text+"\n" {
		t.Fatalf("the menu holds the files %+v, want answer.md with the whole answer", m.Attachments)
	}
}

// TestAConversationMovesToAThread continues a conversation in a thread that starts from
// its answer. Nothing has to be repeated there.
func TestAConversationMovesToAThread(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("Warps run lengthwise."), openaitest.Answer("They are tied to beams."), openaitest.Answer("Of beech."))
	r := s.start()
	answer := r.answer(s, s.channel, s.ask(s.ann, "what are **warps**?"), "Warps run lengthwise.")
	s.post(s.bob, discordtest.Draft{Content: "who has seen my shuttle?"})
	menu := s.menu(s.bob, answer, "Move to a thread As a file")
	s.chosen(menu, "Move to a thread", "The conversation goes on in <#"+answer.ID.String()+">.")
	thread := graph.ChannelID(answer.ID)
	for _, r := range s.discord.Record.Requests(discordtest.On(discordtest.RouteThreadFrom)) {
		s.contains(string(r.Body), `"name":"what are warps?"`)
	}
	s.answer(thread, s.askIn(thread, s.bob, "what holds them?"), "They are tied to beams.")
	s.askedWith(2,
		"user: [speaker: ann]\n@heddle what are **warps**?", "assistant: Warps run lengthwise.",
		"user: [speaker: bob]\n@heddle what holds them?",
	)
	asked := s.askIn(thread, s.ann, "of what are these?")
	s.answer(thread, asked, "Of beech.")
	s.askedWith(3, append(s.asked(2), "assistant: They are tied to beams.", "user: [speaker: ann]\n@heddle of what are these?")...)

	s.chosen(s.menu(s.ann, answer, "Move to a thread As a file Delete"), "Move to a thread", "The conversation goes on in <#"+answer.ID.String()+">.")
	last := s.answersOf(thread)[asked][0]
	s.menu(s.ann, last, "As a file Delete") // there are no threads in threads
}

// growingAnswer has Ann ask something, and returns the answer once its first half shows.
// The second half comes once end is called, unless the answer was stopped.
func (s *scene) growingAnswer() (half discordtest.Message, end func()) {
	s.t.Helper()
	gate := s.pauses("Warps run lengthwise, ", "and wefts across.")
	question := s.ask(s.ann, "what are warps?")
	half = s.begun(s.channel, question, "Warps run lengthwise,")
	return s.standsIn(half, half.Content, "◼ Stop"), func() { close(gate) }
}

// TestAnAnswerIsStoppedByWhomItIsFor stops an answer while the model still speaks. What
// stands is all of the answer: follow-ups build on it, and an equal question is asked
// anew.
func TestAnAnswerIsStoppedByWhomItIsFor(t *testing.T) {
	s := newScene(t)
	r := s.start()
	half, end := s.growingAnswer()
	defer end()
	s.ephemeral(s.press(s.bob, half, "◼ Stop"), "Only whoever asked, and moderators, can stop this answer.")
	s.press(s.ann, half, "◼ Stop")
	stopped := s.standsIn(half, "Warps run lengthwise,\n-# Stopped.", row)
	r.settled(s, half.Reference.Message)
	s.askedTimes(1)

	s.model.Queue(openaitest.Answer("Across."))
	s.answer(s.channel, s.askBelow(stopped.ID, s.ann, "and wefts?"), "Across.")
	s.askedWith(2, "user: [speaker: ann]\n@heddle what are warps?", "assistant: Warps run lengthwise, ", "user: [speaker: ann]\n@heddle and wefts?")

	s.model.Queue(openaitest.Answer("They run lengthwise, all of them."))
	thread := s.thread("once more")
	s.answered(thread, "what are warps?", "They run lengthwise, all of them.")
}

// TestAStopThatComesTooLateSaysSo presses a button that was left by an answer that no
// longer grows.
func TestAStopThatComesTooLateSaysSo(t *testing.T) {
	s := newScene(t)
	s.start()
	half, end := s.growingAnswer()
	id := half.Buttons()[0].CustomID
	end()
	s.standsIn(half, "Warps run lengthwise, and wefts across.", row)
	s.ephemeral(s.press(s.ann, s.forge(half.Reference.Message, id), "x"), "There is nothing left to stop")
	s.ephemeral(s.press(s.bob, s.forge(half.Reference.Message, id), "x"), "Only whoever asked")
}

func TestFilesSayWhoseTheyAre(t *testing.T) {
	s := newScene(t)
	s.start()
	_, answer := s.joked()
	text := long("over", 2)
	s.model.Queue(call("create_artifact", `{"title":"Our pattern","file_name":"pattern.md","content":"# Over, under"}`), openaitest.Answer(text))
	s.press(s.ann, answer, "↻")
	last := s.standsAs(answer.ID, text, "Why? ↻ ⋯ ◀ (3/3) (▶)")
	s.posted(s.channel, "a file", func(m discordtest.Message) bool {
		return m.ID == last.ID && len(m.Attachments) == 1 && m.Attachments[0].Name == "pattern.md" && len(m.Buttons()) == 6
	})
	s.press(s.bob, last, "◀")
	last = s.standsAs(answer.ID, "A joke about wefts.\n-# Files of answer 3: pattern.md.", "Why? ↻ ⋯ ◀ (2/3) ▶")
	s.same("the files of the last message", len(last.Attachments), 1)
	s.same("that this is the first one", last.ID == answer.ID, false)
	middle := long("under", 3)
	s.model.Queue(openaitest.Answer(middle))
	s.press(s.ann, last, "↻")
	last = s.standsAs(answer.ID, middle+"\n-# Files of answer 3: pattern.md.", "Why? ↻ ⋯ ◀ (4/4) (▶)")
	s.press(s.bob, last, "◀")
	last = s.standsAs(answer.ID, text, "Why? ↻ ⋯ ◀ (3/4) ▶")
	s.same("the files of the last message", len(last.Attachments), 1)
}
