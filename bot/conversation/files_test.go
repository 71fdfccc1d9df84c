package conversation_test

import (
	"bytes"
	"image"
	"image/png"
	"log/slog"
	"strings"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
)

// notes returns a text file.
func notes() discordtest.Attachment {
	return discordtest.Attachment{Name: "notes.txt", Type: "text/plain", Data: []byte("Weave on Monday.")}
}

// picture returns a PNG file that is some pixels wide.
func picture(width int) discordtest.Attachment {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))) // a buffer takes everything
	return discordtest.Attachment{Name: "it.png", Type: "image/png", Data: b.Bytes(), Width: width, Height: 1}
}

// images returns the pictures that the model was shown last.
func (s *stage) images() []string {
	s.T.Helper()
	requests := s.Model.Requests()
	var all []string
	for _, m := range requests[len(requests)-1].Chat.Messages {
		for _, part := range m.Parts {
			if part.Image != "" {
				all = append(all, part.Image)
			}
		}
	}
	return all
}

func TestAModelThatDoesNotSeeIsToldOfPictures(t *testing.T) {
	s := newStage(t)
	s.AskWith(s.Ann, discordtest.Draft{Content: "what is it?", Attachments: []discordtest.Attachment{picture(3)}}, openaitest.Answer("I cannot see it."))
	if got := s.images(); len(got) != 0 || !strings.Contains(s.Asked()[1], "it.png") {
		t.Errorf("the model is shown %q and asked %q, want none and %q in it", got, s.Asked()[1], "it.png")
	}
	if n := s.Discord.Record.Files(); n != 0 {
		t.Errorf("%d files were downloaded for a model that does not see, want 0", n)
	}
}

func TestAFileIsReadOnceAndForgottenWithItsMessage(t *testing.T) {
	s := newStage(t)
	id := s.AskWith(s.Ann, discordtest.Draft{Content: "see", Attachments: []discordtest.Attachment{notes()}}, openaitest.Answer("I see."))
	s.Ask(s.Bob, "when?", openaitest.Answer("On Monday."))
	if n := s.Discord.Record.Files(); n != 1 {
		t.Errorf("two questions took %d downloads, want 1", n)
	}
	for name, forget := range map[string]func(){
		"its message":      func() { s.Files.Forget([]graph.MessageID{id}) },
		"all that is held": func() { s.Files.ForgetAll() },
		"an opt-out":       func() { errtest.None(t, s.People.OptOut(s.Context(), 77)) },
	} {
		s.Discord.Record.Forget()
		forget()
		s.Ask(s.Bob, "when again, after "+name+"?", openaitest.Answer("On Monday."))
		if n := s.Discord.Record.Files(); n != 1 {
			t.Errorf("after %s was forgotten %d files were downloaded, want 1", name, n)
		}
	}
	s.Discord.Record.Forget()
	s.Files.Forget([]graph.MessageID{s.Last().ID})
	s.Ask(s.Bob, "and now?", openaitest.Answer("On Monday."))
	if n := s.Discord.Record.Files(); n != 0 {
		t.Errorf("after another message was forgotten %d files were downloaded, want 0", n)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	s := newStage(t)
	unread := s.With(func(c *roomtest.Parts) { c.Files = conversation.NewFiles(nil, s.People, s.Log) })
	for name, on := range map[string]*roomtest.Stage{"its file is gone": s.Stage, "no file is read": unread} {
		channel := s.Thread(discordtest.ThreadDraft{})
		id := s.PostIn(channel, s.Ann, discordtest.Draft{Content: "when?", Attachments: []discordtest.Attachment{notes()}})
		if on == s.Stage {
			m, _ := s.Discord.Chat.Message(channel, id)
			errtest.None(s.T, s.Discord.Chat.RemoveAttachment(channel, id, m.Attachments[0].ID))
		}
		s.Model.Queue(openaitest.Answer("I cannot tell."))
		if got := on.Give(roomtest.Reply(s.QuestionIn(channel, id))); got != answer.Answered {
			t.Errorf("%s: the outcome is %q, want %q", name, got, answer.Answered)
		}
		if asked := s.Asked()[1]; !strings.Contains(asked, "notes.txt") || strings.Contains(asked, "Monday") {
			t.Errorf("%s: the model is asked %q, want %q in it and no %q in it", name, asked, "notes.txt", "Monday")
		}
	}
}

// TestARefusedHostIsWarnedOfOnce has attachments on a host that is neither Discord's nor
// allowed, as another emulator's are.
func TestARefusedHostIsWarnedOfOnce(t *testing.T) {
	var log bytes.Buffer
	s := newStage(t)
	downloads := fetch.NewFiles(s.History, "files.example")
	other := s.With(func(c *roomtest.Parts) {
		c.Files = conversation.NewFiles(downloads, s.People, slog.New(slog.NewTextHandler(&log, nil)))
	})
	for range 2 {
		id := s.Post(s.Ann, discordtest.Draft{Content: "when?", Attachments: []discordtest.Attachment{notes()}})
		s.Model.Queue(openaitest.Answer("I cannot tell."))
		if got := other.Give(roomtest.Reply(s.Question(id))); got != answer.Answered {
			t.Errorf("the outcome is %q, want %q", got, answer.Answered)
		}
	}
	warning := log.String()
	if strings.Count(warning, "level=WARN") != 1 || !strings.Contains(warning, roomtest.HostOf(s.Discord.CDN())) {
		t.Errorf("the log is %q, want one warning that names %s", warning, roomtest.HostOf(s.Discord.CDN()))
	}
	if strings.Contains(warning, "notes.txt") {
		t.Errorf("the log names a file: %q, want no name", warning)
	}
}
