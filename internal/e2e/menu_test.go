package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

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
	told, err := c.discord.Interactions.Await(c.ctx, id, func(i discordtest.Interaction) bool {
		return len(i.Private) == 1 && i.Private[0].Content != ""
	})
	if err != nil {
		c.t.Fatal(err)
	}
	opened := told.Private[0]
	if got := labels(opened); len(told.Public) != 0 || got != choices {
		c.t.Fatalf("the menu reads %q with %q, want %q", opened.Content, got, choices)
	}
	return menu{opened, who, id}
}

// chosen chooses in a menu and waits until the menu reads as wanted.
func (c *commands) chosen(m menu, choice, want string) discordtest.Message {
	c.t.Helper()
	c.press(m.who, m.Message, choice)
	told, err := c.discord.Interactions.Await(c.ctx, m.opened, func(i discordtest.Interaction) bool {
		return strings.Contains(i.Private[0].Content, want)
	})
	if err != nil {
		c.t.Fatalf("the menu does not read %q: %v", want, err)
	}
	if left := labels(told.Private[0]); left != "" {
		c.t.Errorf("the menu has %q left to choose, want \"\"", left)
	}
	return told.Private[0]
}

// TestAnAnswerIsDeletedByWhomItWasFor shows what a stranger, the person who asked and a
// moderator may do.
func TestAnAnswerIsDeletedByWhomItWasFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer(long("warp", 2)), openaitest.Answer("Weft."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	last := s.standsAs(s.answer(s.channel, question, "warp").ID, long("warp", 2), row)
	r.settled(s, question)

	s.menu(s.bob, last, "Move to a thread As a file")
	forged := s.forge(question, "heddle:delete:"+last.ID.String())
	s.ephemeral(s.press(s.bob, forged, "x"), "I don't know this button any more.")
	if _, stands := s.discord.Chat.Message(s.channel, last.ID); !stands {
		t.Fatal("a stranger deleted an answer with a forged button, want it to stand")
	}
	menu := s.menu(s.ann, last, "Move to a thread As a file Delete")
	s.chosen(menu, "Delete", "The answer is deleted.")
	if left := s.answersOf(s.channel)[question]; len(left) != 1 || left[0].ID != forged.ID {
		t.Errorf("of the answer %d messages are left, want the forged one alone", len(left))
	}

	other := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("weft?")}), "Weft.")
	mod := s.discord.People.AddUser("mod", s.guild)
	s.discord.People.GrantRole(s.guild, mod, s.discord.World.AddRole(s.guild, "moderators", discordtest.ManageMessages, false))
	s.chosen(s.menu(mod, other, "Move to a thread As a file Delete"), "Delete", "The answer is deleted.")
}

// TestAnAnswerIsShownAsAFileToWhoeverAsksForIt reads the file.
func TestAnAnswerIsShownAsAFileToWhoeverAsksForIt(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	text := "# Warps\n\n```go\n" + strings.Repeat("warp()\n", 600) + "```\nThat is all."
	s.model.Queue(openaitest.Answer(text))
	s.start()
	s.post(s.ann, discordtest.Draft{Content: s.mention("warp?")})
	last := s.says(s.channel, "That is all.")
	m := s.chosen(s.menu(s.bob, last, "Move to a thread As a file"), "As a file", "Here is the answer as a file.")
	if len(m.Attachments) != 1 || m.Attachments[0].Name != "answer.md" || string(m.Attachments[0].Data) != text+"\n" {
		t.Fatalf("the menu holds the files %+v, want answer.md with the whole answer", m.Attachments)
	}
}

// TestAConversationMovesToAThread continues a conversation in a thread that starts from
// its answer. Nothing has to be repeated there.
func TestAConversationMovesToAThread(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Warps run lengthwise."), openaitest.Answer("They are tied to beams."), openaitest.Answer("Of beech."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what are **warps**?")})
	answer := s.answer(s.channel, question, "Warps run lengthwise.")
	r.settled(s, question)
	s.post(s.bob, discordtest.Draft{Content: "who has seen my shuttle?"})
	menu := s.menu(s.bob, answer, "Move to a thread As a file")
	s.chosen(menu, "Move to a thread", "The conversation goes on in <#"+answer.ID.String()+">.")
	thread := graph.ChannelID(answer.ID)
	info, err := s.discord.World.Channel(thread)
	if err != nil || info.Name != "what are warps?" {
		t.Fatalf("the thread is %+v, %v, want Name %q and no error", info, err, "what are warps?")
	}
	s.answer(thread, s.postIn(thread, s.bob, discordtest.Draft{Content: s.mention("what holds them?")}), "They are tied to beams.")
	want := []string{
		"user: [speaker: ann]\n@heddle what are **warps**?", "assistant: Warps run lengthwise.",
		"assistant: [this thread was started from an earlier message]", "user: [speaker: bob]\n@heddle what holds them?",
	}
	if got := s.asked(2); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("in the thread the model is asked %q, want %q", got, want)
	}
	asked := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("of what are these?")})
	s.answer(thread, asked, "Of beech.")
	want = append(want, "assistant: They are tied to beams.", "user: [speaker: ann]\n@heddle of what are these?")
	if got := s.asked(3); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("then the model is asked %q, want %q", got, want)
	}

	s.chosen(s.menu(s.ann, answer, "Move to a thread As a file Delete"), "Move to a thread", "The conversation goes on in <#"+answer.ID.String()+">.")
	last := s.answersOf(thread)[asked][0]
	s.menu(s.ann, last, "As a file Delete") // there are no threads in threads
}
