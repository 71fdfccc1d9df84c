package e2e_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// registered waits until Discord knows heddle's commands.
func (c *commands) registered() {
	c.t.Helper()
	if _, err := c.discord.Record.AwaitRequests(c.ctx, 1, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteSetCommands && r.Status == 200
	}); err != nil {
		c.t.Fatalf("the commands are registered: %v", err)
	}
}

// invoke has somebody use a command in a channel, once Discord knows heddle's commands.
func (c *commands) invoke(where graph.ChannelID, who graph.UserID, use discordtest.Invocation) discordtest.InteractionID {
	c.t.Helper()
	c.registered()
	return errtest.Must(c.discord.Interactions.Invoke(where, who, c.heddle.User, use))(c.t)
}

// acknowledged waits until Discord knows that an interaction is answered, or will be.
func (c *commands) acknowledged(id discordtest.InteractionID) discordtest.Interaction {
	c.t.Helper()
	return errtest.Must(c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool { return in.Answered != 0 }))(c.t)
}

// uses has bob use a command of heddle's in a channel, and returns the ephemeral answer.
func (c *commands) uses(channel graph.ChannelID, command string) string {
	c.t.Helper()
	return c.privately(c.invoke(channel, c.bob, discordtest.Invocation{Command: command}), "").Content
}

func TestCommandsAnswerInTheLanguageOfWhoeverUsesThem(t *testing.T) {
	s := newScene(t)
	s.start("CONTACT=ann, at the loom", "CACHE_TTL=24h")
	for locale, want := range map[string][2]string{
		"en-US":  {"I untangle the talks", "for 1 day after"},
		"en-GB":  {"I untangle the talks", "test-model"},
		"de":     {"Ich entwirre", "bis 1 Tag nach"},
		"es-419": {"Separo las conversaciones", "hasta 1 día después"},
		"es-ES":  {"Separo las conversaciones", "hasta 1 día después"},
		"ja":     {"話題ごとに", "1日間保存"},
		"fi":     {"I untangle the talks", "ann, at the loom"},
	} {
		s.discord.People.SetLocale(s.bob, locale)
		if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, want[0]) || strings.Count(got, "\n") >= 10 {
			t.Errorf("in %s help reads %q, want %q in at most ten lines", locale, got, want[0])
		}
		s.contains(s.uses(s.channel, "heddle privacy"), want[1])
	}
	s.discord.People.SetLocale(s.bob, "fi")
	s.discord.World.SetGuildLocale(s.guild, "de")
	s.contains(s.uses(s.channel, "heddle help"), "Ich entwirre")
}

// shows has bob ask why a message says what it says, and returns the interaction.
func (c *commands) shows(channel graph.ChannelID, message graph.MessageID) discordtest.InteractionID {
	c.t.Helper()
	return c.invoke(channel, c.bob, discordtest.Invocation{Command: "Show context", Target: message})
}

// privately waits until the ephemeral answer to bob contains a text, and returns the
// whole answer.
func (c *commands) privately(id discordtest.InteractionID, want string) discordtest.Message {
	c.t.Helper()
	return c.responded(id, strconv.Quote(want), func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && in.Private[0].Content != "" && strings.Contains(in.Private[0].Content, want)
	}).Private[0]
}

// TestAnAnswerShowsItsContext asks below a talk, and then what the answer was made from.
// What is deleted later is not shown, and nothing to whom the channel is closed later.
func TestAnAnswerShowsItsContext(t *testing.T) {
	s := newScene(t)
	first := s.post(s.ann, discordtest.Draft{Content: "the loom *is* stuck"})
	second := s.post(s.bob, discordtest.Draft{Content: "which [loom](https://example.com)?", ReplyTo: first})
	s.always(openaitest.Answer("The large one."))
	r := s.start()
	question := s.askBelow(second, s.bob, "what did ann mean?")
	answer := r.answer(s, s.channel, question, "The large one.")
	s.tells(s.channel, answer.ID, "What this answer was made from",
		"the loom is stuck", "which loom?", "bob replies to it", "the question replies to it", "test-model",
		s.linkTo(first))
	s.discord.People.SetLocale(s.bob, "de")
	s.privately(s.shows(s.channel, answer.ID), "bob antwortet darauf")
	hideFromBob(s, s.channel)
	s.lacks(s.privately(s.shows(s.channel, answer.ID), "").Content, "which loom?")
	s.discord.World.SetOverwrites(s.channel)
	s.discord.Chat.Delete(s.channel, first)
	s.lacks(s.privately(s.shows(s.channel, answer.ID), "").Content, "stuck")
}

// TestAHiddenChannelHasItsNameInCommands has bob ask by a command in a channel that heddle may not
// view. The gateway calls such a channel ___hidden___; the command names it.
func TestAHiddenChannelHasItsNameInCommands(t *testing.T) {
	s := newScene(t)
	board := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Topic: "plans", Private: true, Readers: []graph.UserID{s.bob}})
	s.always(openaitest.Answer("Here."))
	s.start("SYSTEM_PROMPT=You are in {channel} about {topic}.")
	s.privately(s.invoke(board, s.bob, discordtest.Invocation{Command: "heddle ask", Options: map[string]any{"question": "where are you?", "private": true}}), "Here.")
	s.contains(string(s.model.Requests()[0].Body), "You are in board about plans.")
}

// asksOn has somebody continue from a private answer, and returns the interaction of the form.
func (c *commands) asksOn(who graph.UserID, below discordtest.Message, question string) discordtest.InteractionID {
	c.t.Helper()
	return c.submits(who, below, "Follow up", question)
}

// submits has somebody press a button below a message, and send a text in the form that opens.
// It returns the interaction of the form.
func (c *commands) submits(who graph.UserID, below discordtest.Message, button, text string) discordtest.InteractionID {
	c.t.Helper()
	form := c.press(who, below, button)
	in := errtest.Must(c.discord.Interactions.Await(c.ctx, form, func(in discordtest.Interaction) bool { return in.Modal != nil }))(c.t)
	return errtest.Must(c.discord.Interactions.Submit(form, map[string]string{in.Modal.Inputs[0].CustomID: text}))(c.t)
}

// endsWith waits until the parts of a private answer end with a text, and returns the last.
func (c *commands) endsWith(id discordtest.InteractionID, end string) discordtest.Message {
	c.t.Helper()
	in := c.responded(id, strconv.Quote(end)+" at its end", func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && strings.HasSuffix(in.Private[len(in.Private)-1].Content, end)
	})
	return in.Private[len(in.Private)-1]
}

// TestAQuestionByCommandComesWithAFile asks about a text and about a picture, which are on
// no message.
func TestAQuestionByCommandComesWithAFile(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Red."))
	s.start("VISION=on")
	notes := discordtest.Attachment{Name: "notes.txt", Type: "text/plain", Data: []byte("the warp is red")}
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "file": notes, "private": true}, "Red.")
	s.contains(s.conversation(1), "the warp is red", "notes.txt")
	s.endsWith(s.asksOn(s.ann, in.Private[0], "are you sure?"), "> are you sure?\nRed.")
	s.contains(s.conversation(2), "the warp is red")
	loom := discordtest.Attachment{Name: "lo*om.png", Type: "image/png", Data: picture(t, 8)}
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "what is it?", "file": loom}, "Red.")
	s.same("what everybody reads", s.firstOf(in), "> what is it?\n> 📎 lo\\*om.png\nRed.")
	isPNG := func(p openaitest.Part) bool { return strings.HasPrefix(p.Image, "data:image/png") }
	s.same("that the model is shown a PNG picture", slices.ContainsFunc(s.parts(3), isPNG), true)
	large := discordtest.Attachment{Name: "large.txt", Type: "text/plain", Size: 1 << 30, Data: []byte("the weft is blue")}
	s.runs(s.ann, "heddle ask", map[string]any{"question": "and that?", "file": large, "private": true}, "Red.")
	s.contains(s.conversation(4), "large.txt")
	s.lacks(s.conversation(4), "weft")
}

// TestAPrivateAnswerIsContinued continues from a private answer, also after a restart,
// and from a long one. The conversation ends when a message that it was made from is
// deleted.
func TestAPrivateAnswerIsContinued(t *testing.T) {
	s := newScene(t)
	source := s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	r := s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	s.chats(40)
	s.always(openaitest.Answer(strings.Repeat("Quite bright. ", 400) + "So."))
	long := s.endsWith(s.asksOn(s.ann, in.Private[0], "how\nbright?"), "So.")
	s.contains(s.conversation(2)+"$", "which colour?\nassistant: Green.\n", "how\nbright?$")
	r.end()
	s.start()
	s.always(openaitest.Answer("Sure."))
	last := s.endsWith(s.asksOn(s.ann, long, "really?"), "> really?\nSure.")
	s.contains(s.conversation(3)+"$", "which colour?\nassistant: Green.\n", "So.\nuser: ", "really?$")
	s.endsWith(s.asksOn(s.ann, last, "  "), "I need a question. Write what you want to know.")
	s.discord.Chat.Delete(s.channel, source)
	s.uses(s.channel, "heddle help") // by then the deletion was heard of
	s.endsWith(s.asksOn(s.ann, last, "and now?"), "> and now?\nI can't go on from that answer: it is no longer stored, or you can no longer read what it was made from. `/heddle ask` starts a new conversation.")
	s.askedTimes(3)
}

// TestAPrivateAnswerIsContinuedByWhoeverHadIt has bob press a forged button of ann's
// conversation, and has people opt out: bob, whose words the conversation was made from, and
// then ann.
func TestAPrivateAnswerIsContinuedByWhoeverHadIt(t *testing.T) {
	s := newScene(t)
	said := s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	s.start()
	told := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.").Private[0]
	const gone = "I can't go on from that answer"
	for id, who := range map[string]graph.UserID{told.Buttons()[0].CustomID: s.bob, "heddle:ask:7": s.ann} {
		s.ephemeral(s.submits(who, s.forge(said, id), "x", "and?"), gone)
	}
	s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read")
	s.ephemeral(s.asksOn(s.ann, told, "and?"), gone)
	s.runs(s.ann, "heddle opt-out", nil, "From now on I don't read")
	s.ephemeral(s.asksOn(s.ann, told, "and?"), "opted out")
	s.askedTimes(1)
}

// TestAPrivateAnswerIsDeletedByWhoAsked continues twice from a private answer and deletes the
// first continuation. Bob cannot. What is stored of it is erased, with what continues it; the
// answer before it can be continued.
func TestAPrivateAnswerIsDeletedByWhoAsked(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Green."))
	r := s.start()
	first := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.").Private[0]
	asked := s.asksOn(s.ann, first, "which shade?")
	second := s.endsWith(asked, "> which shade?\nGreen.")
	third := s.endsWith(s.asksOn(s.ann, second, "why that?"), "> why that?\nGreen.")
	s.ephemeral(s.press(s.bob, s.forge(s.post(s.bob, discordtest.Draft{Content: "?"}), second.Buttons()[1].CustomID), "x"), "Only whoever asked")
	s.ephemeral(s.press(s.ann, second, "Delete"), "The answer is deleted.")
	s.responded(asked, "nothing any more", func(in discordtest.Interaction) bool { return len(in.Private) == 0 })
	s.ephemeral(s.asksOn(s.ann, third, "and now?"), "I can't go on from that answer")
	s.endsWith(s.asksOn(s.ann, first, "and then?"), "> and then?\nGreen.")
	r.end()
	s.contains(s.prints(nil, "verify"), ", 0 faults")
	s.lacks(s.prints(nil, "tree"), "shade")
}

// TestWhatIsAskedInPrivateIsForgotten has Ann ask in private and then erase what heddle
// has of her. The conversation can no longer be continued, the store does not show the
// question, and it verifies.
func TestWhatIsAskedInPrivateIsForgotten(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Green."))
	r := s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "what is my secret?", "private": true}, "Green.")
	s.runs(s.bob, "heddle ask", map[string]any{"question": "and mine?", "private": true}, "Green.")
	s.runs(s.ann, "heddle forget-me", nil, "I have erased")
	s.runs(s.ann, "heddle opt-in", nil, "From now on I read")
	s.ephemeral(s.asksOn(s.ann, in.Private[0], "and?"), "I can't go on from that answer")
	r.end()
	s.contains(s.prints(nil, "verify"), ", 0 faults")
	s.lacks(s.prints(nil, "tree"), "my secret")
}

// invokes has somebody use a command in the scene's channel, and waits until an answer is
// promised.
func (c *commands) invokes(who graph.UserID, command string, options map[string]any) discordtest.InteractionID {
	c.t.Helper()
	return c.acknowledged(c.invoke(c.channel, who, discordtest.Invocation{Command: command, Options: options})).ID
}

// late is what people read whose answer takes too long for Discord.
const late = "takes longer than the 15 minutes that Discord allows"

// TestWhoIsAnsweredByCommandTooLateIsTold lets the model think until Discord hardly takes an
// answer any more, and until it takes none. The answer arrives, or whoever asked is told in
// a direct message how else to ask.
func TestWhoIsAnsweredByCommandTooLateIsTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		took    time.Duration
		private bool
	}{
		"while Discord takes answers":           {14 * time.Minute, false},
		"when Discord takes no answer any more": {16 * time.Minute, false},
		"nor a private one":                     {16 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := newTimedScene(t)
			gate := s.waits("Green.")
			s.start()
			asked := s.invokes(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": test.private})
			s.asked(1)
			clock.Advance(test.took)
			close(gate)
			if test.took > 15*time.Minute {
				s.toldDirectly(s.ann, late)
				return
			}
			s.responded(asked, "the answer, which Discord still takes", func(in discordtest.Interaction) bool { return len(in.Public) > 0 })
		})
	}
}
