package conversation_test

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
)

// unsure is the roomtest.Choice of a model whose vision is not known.
func unsure(_ *roomtest.Parts, c *roomtest.Settings) { c.Conversation.Vision = llm.VisionUnknown }

// show asks about a picture.
func (s *stage) show(replies ...openaitest.Reply) {
	s.T.Helper()
	s.AskWith(s.Ann, discordtest.Draft{Content: "what is it?", Attachments: []discordtest.Attachment{roomtest.Picture(2)}}, replies...)
}

func TestVisionIsTestedOnceThereIsAPicture(t *testing.T) {
	for answered, sees := range map[string]bool{"yellow, black, green": true, "none": false} {
		s := newStage(t, unsure)
		s.Ask(s.Ann, "hello", openaitest.Answer("Hello."))
		if n := len(s.Model.Requests()); n != 1 {
			t.Errorf("without a picture the model was asked %d times, want 1", n)
		}
		s.show(openaitest.Answer(answered), openaitest.Answer("A line."))
		if shown := len(s.images()); shown > 0 != sees || len(s.Model.Requests()) != 3 {
			t.Errorf("a model that answers %q is shown %d pictures after %d requests, want some: %t, and 3 requests", answered, shown, len(s.Model.Requests()), sees)
		}
		s.show(openaitest.Answer("Another line."))
		if n := len(s.Model.Requests()); n != 4 {
			t.Errorf("the model's vision was tested again: %d requests, want 4", n)
		}
	}
}

// TestAVisionTestThatFailsIsTriedAgain shows no picture until the model's vision is
// known.
func TestAVisionTestThatFailsIsTriedAgain(t *testing.T) {
	s := newStage(t, unsure)
	s.show(openaitest.Reply{Status: 401}, openaitest.Answer("I cannot see it."))
	if shown := len(s.images()); shown != 0 || !strings.Contains(s.Logged(), "whether the model sees could not be tested, pictures are not shown") {
		t.Errorf("after a failed test %d pictures are shown; the log reads\n%s\nwant 0 and %q in it", shown, s.Logged(), "whether the model sees could not be tested, pictures are not shown")
	}
	s.show(openaitest.Answer("yellow, black, green"), openaitest.Answer("Two lines."))
	if shown := len(s.images()); shown == 0 {
		t.Error("a model that sees is shown no pictures")
	}
}

func TestPicturesThatAreNotShownNeedNoVision(t *testing.T) {
	s := newStage(t, unsure)
	large := roomtest.Picture(2)
	large.Size = 6 << 20
	s.AskWith(s.Ann, discordtest.Draft{Content: "what is it?", Attachments: []discordtest.Attachment{large}}, openaitest.Answer("I cannot see it."))
	if n := len(s.Model.Requests()); n != 1 {
		t.Errorf("for a picture that is too large the model was asked %d times, want 1", n)
	}
}
