package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// asksOn has somebody continue from a private answer: they press the button below it and
// send a question in the form that opens. It returns the interaction of the form.
func (c *commands) asksOn(who graph.UserID, below discordtest.Message, question string) discordtest.InteractionID {
	c.t.Helper()
	form := c.press(who, below, "Follow up")
	in, err := c.discord.Interactions.Await(c.ctx, form, func(in discordtest.Interaction) bool { return in.Modal != nil })
	if err != nil {
		c.t.Fatalf("no form opens: %v", err)
	}
	id, err := c.discord.Interactions.Submit(form, map[string]string{in.Modal.Inputs[0].CustomID: question})
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

// endsWith waits until the parts of a private answer end with a text, and returns the last.
func (c *commands) endsWith(id discordtest.InteractionID, end string) discordtest.Message {
	c.t.Helper()
	in, err := c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && strings.HasSuffix(in.Private[len(in.Private)-1].Content, end)
	})
	if err != nil {
		c.t.Fatalf("nobody reads %q: %v; they read %+v", end, err, in.Private)
	}
	return in.Private[len(in.Private)-1]
}

// TestAQuestionByCommandComesWithAFile asks about a text and about a picture, which are on
// no message.
func TestAQuestionByCommandComesWithAFile(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Red."))
	s.start("VISION=on")
	notes := discordtest.Attachment{Name: "notes.txt", Type: "text/plain", Data: []byte("the warp is red")}
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "file": notes, "private": true}, "Red.")
	if asked := strings.Join(s.asked(1), "\n"); !strings.Contains(asked, "the warp is red") || !strings.Contains(asked, "notes.txt") {
		t.Errorf("the model reads %s, want %q in it and %q in it", asked, "the warp is red", "notes.txt")
	}
	s.endsWith(s.asksOn(s.ann, in.Private[0], "are you sure?"), "> are you sure?\nRed.")
	if asked := strings.Join(s.asked(2), "\n"); !strings.Contains(asked, "the warp is red") {
		t.Errorf("the follow-up is answered from %s, want %q in it", asked, "the warp is red")
	}
	loom := discordtest.Attachment{Name: "lo*om.png", Type: "image/png", Data: picture(t, 8)}
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "what is it?", "file": loom}, "Red.")
	if got, want := s.firstOf(in), "> what is it?\n> 📎 lo\\*om.png\nRed."; got != want {
		t.Errorf("everybody reads %q, want %q", got, want)
	}
	if parts := s.parts(3); !slices.ContainsFunc(parts, func(p openaitest.Part) bool { return strings.HasPrefix(p.Image, "data:image/png") }) {
		t.Errorf("the model is shown %+v, want a PNG picture among them", parts)
	}
	large := discordtest.Attachment{Name: "large.txt", Type: "text/plain", Size: 1 << 30, Data: []byte("the weft is blue")}
	s.runs(s.ann, "heddle ask", map[string]any{"question": "and that?", "file": large, "private": true}, "Red.")
	if asked := strings.Join(s.asked(4), "\n"); strings.Contains(asked, "weft") || !strings.Contains(asked, "large.txt") {
		t.Errorf("of a file that is too large the model reads %s, want no %q in it and %q in it", asked, "weft", "large.txt")
	}
}

// TestAPrivateAnswerIsContinued continues from a private answer, also after a restart,
// and from a long one. The conversation ends when a message that it was made from is
// deleted.
func TestAPrivateAnswerIsContinued(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	source := s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	r := s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	s.chats(40)
	s.always(openaitest.Answer(strings.Repeat("Quite bright. ", 400) + "So."))
	long := s.endsWith(s.asksOn(s.ann, in.Private[0], "how\nbright?"), "So.")
	if asked := strings.Join(s.asked(2), "\n"); !strings.Contains(asked, "which colour?\nassistant: Green.\n") || !strings.HasSuffix(asked, "how\nbright?") {
		t.Errorf("the follow-up is answered from %s, want %q in it and %q at its end", asked, "which colour?\nassistant: Green.\n", "how\nbright?")
	}
	r.end()
	s.start()
	s.always(openaitest.Answer("Sure."))
	last := s.endsWith(s.asksOn(s.ann, long, "really?"), "> really?\nSure.")
	if asked := strings.Join(s.asked(3), "\n"); !strings.Contains(asked, "which colour?\nassistant: Green.\n") || !strings.Contains(asked, "So.\nuser: ") || !strings.HasSuffix(asked, "really?") {
		t.Errorf("after a restart the model reads %s, want %q in it, %q in it and %q at its end", asked, "which colour?\nassistant: Green.\n", "So.\nuser: ", "really?")
	}
	s.endsWith(s.asksOn(s.ann, last, "  "), "I need a question. Write what you want to know.")
	s.discord.Chat.Delete(s.channel, source)
	s.uses(s.channel, "heddle help") // by then the deletion was heard of
	s.endsWith(s.asksOn(s.ann, last, "and now?"), "> and now?\nI can't go on from that answer: it is no longer stored, or you may no longer read what it was made from. `/heddle ask` starts a new conversation.")
	s.askedTimes(3)
}

// TestAPrivateAnswerIsContinuedByWhoeverHadIt has bob press a forged button of ann's
// conversation, presses buttons with names that heddle never made, and has somebody opt
// out whose words the conversation was made from.
func TestAPrivateAnswerIsContinuedByWhoeverHadIt(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	said := s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	name := in.Private[0].Buttons()[0].CustomID
	const gone = "I can't go on from that answer"
	for id, who := range map[string]graph.UserID{name: s.bob, "heddle:ask:7": s.ann} {
		m := s.forge(said, id)
		form, err := s.discord.Interactions.Press(s.channel, m.ID, who, id)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := s.discord.Interactions.Await(s.ctx, form, func(in discordtest.Interaction) bool { return in.Modal != nil })
		if err != nil {
			t.Fatal(err)
		}
		sent, err := s.discord.Interactions.Submit(form, map[string]string{opened.Modal.Inputs[0].CustomID: "and?"})
		if err != nil {
			t.Fatal(err)
		}
		s.ephemeral(sent, gone)
	}
	s.ephemeral(s.press(s.ann, s.forge(said, "heddle:ask:nothing!"), "x"), "I don't know this button any more")
	s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read")
	s.ephemeral(s.asksOn(s.ann, in.Private[0], "and?"), gone)
	s.runs(s.ann, "heddle opt-out", nil, "From now on I don't read")
	s.ephemeral(s.asksOn(s.ann, in.Private[0], "and?"), "opted out")
	s.askedTimes(1)
}

// TestWhatIsAskedInPrivateIsForgotten has Ann ask in private and then erase what heddle
// has of her. The conversation can no longer be continued, the store does not show the
// question, and it verifies.
func TestWhatIsAskedInPrivateIsForgotten(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Green."))
	r := s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "what is my secret?", "private": true}, "Green.")
	s.runs(s.bob, "heddle ask", map[string]any{"question": "and mine?", "private": true}, "Green.")
	s.runs(s.ann, "heddle forget-me", nil, "I have erased")
	s.runs(s.ann, "heddle opt-in", nil, "From now on I read")
	s.ephemeral(s.asksOn(s.ann, in.Private[0], "and?"), "I can't go on from that answer")
	r.end()
	if verified, _ := s.must(nil, "verify"); !strings.Contains(verified, ", 0 faults") {
		t.Errorf("verify says %s, want %q in it", verified, ", 0 faults")
	}
	if tree, _ := s.must(nil, "tree"); strings.Contains(tree, "my secret") {
		t.Errorf("the tree shows %s, want no %q in it", tree, "my secret")
	}
}

// TestAPrivateConversationIsBounded asks more than a dozen questions in one private
// conversation. The oldest leave it, and the newest stay.
func TestAPrivateConversationIsBounded(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "question 0?", "private": true}, "Yes.")
	last := in.Private[0]
	const most = 15
	for i := range most {
		last = s.endsWith(s.asksOn(s.ann, last, fmt.Sprintf("question %d?", i+1)), "Yes.")
	}
	asked := strings.Join(s.asked(most+1), "\n")
	if strings.Contains(asked, "question 0?") || !strings.Contains(asked, "question 10?") || !strings.Contains(asked, "question 15?") {
		t.Errorf("the model reads %s, want no %q in it, %q in it and %q in it", asked, "question 0?", "question 10?", "question 15?")
	}
}

// TestAPrivateAnswerIsContinuedByAnyProcess begins a conversation while two processes run,
// and goes on with it when one of them has ended.
func TestAPrivateAnswerIsContinuedByAnyProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.environ = append(s.environ, "REDIS_URL="+s.redis().URL())
	s.always(openaitest.Answer("Green."))
	first := s.start()
	s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	last := s.endsWith(s.asksOn(s.ann, in.Private[0], "really?"), "> really?\nGreen.")
	first.end()
	s.endsWith(s.asksOn(s.ann, last, "and now?"), "> and now?\nGreen.")
	if asked := strings.Join(s.asked(3), "\n"); !strings.Contains(asked, "which colour?") || !strings.Contains(asked, "really?\nassistant: Green.\n") {
		t.Errorf("the other process answers from %s, want %q in it and %q in it", asked, "which colour?", "really?\nassistant: Green.\n")
	}
	s.askedTimes(3)
}
