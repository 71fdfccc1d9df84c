package reply_test

import (
	"errors"
	"strings"
	"testing"

	"heddle/bot/reply"
	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func pages(label string) reply.Rows {
	return reply.Rows{{reply.DisabledButton("back", "◀"), reply.DisabledButton("at", label), reply.Button("on", "▶")}}
}

// marked are the labels of the second buttons below the messages, "-" for none.
func (s *stage) marked() string {
	var all []string
	for _, m := range s.Said() {
		label := "-"
		if buttons := m.Buttons(); len(buttons) == 3 {
			label = buttons[1].Label
		}
		all = append(all, label)
	}
	return strings.Join(all, " ")
}

func TestButtonsStandBelowTheLastMessageAlone(t *testing.T) {
	two := strings.Repeat("a word and another one\n", 150)
	full := strings.Repeat("x", split.Limit)
	for name, test := range map[string]struct {
		texts []string // one after the other in one place
		last  reply.Final
		want  string
	}{
		"of one message":                {[]string{"Short."}, reply.Final{}, "1"},
		"of two":                        {[]string{two}, reply.Final{}, "- 1"},
		"of two, then one":              {[]string{two, "Short."}, reply.Final{}, "2"},
		"of one, then two, then two":    {[]string{"Short.", two, two}, reply.Final{}, "- 3"},
		"below a notice of its own":     {[]string{full}, reply.Final{Notice: "-# more"}, "- 1"},
		"of a text that ends in spaces": {[]string{full + strings.Repeat(" ", 200)}, reply.Final{}, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			var sent []reply.Sent
			for i, text := range test.texts {
				to := s.over(sent)
				to.Cause = reply.Interaction(discord.InteractionID(i + 1))
				final := test.last
				final.Text = text
				final.Buttons = pages(string(rune('1' + i)))
				sent = errtest.Must(s.Replies.Put(t.Context(), to, final))(t)
			}
			if got := s.marked(); got != test.want {
				t.Errorf("the buttons are %q, want %q", got, test.want)
			}
			if got, want := s.Discord.Record.Count(discordtest.RouteCreateMessage), 2; got > want {
				t.Errorf("%d messages were made, want %d at most", got, want)
			}
		})
	}
}

func TestAnAnswerIsWithdrawnFromWhatItTookThePlaceOf(t *testing.T) {
	s := newStage(t)
	sent := errtest.Must(s.Replies.Reply(t.Context(), s.to, "Before."))(t)
	quiet := s.Replies.Begin(t.Context(), s.over(sent))
	if begun, err := quiet.Withdraw(t.Context()); begun || err != nil {
		t.Errorf("an answer that was not begun: %v, %v, want false and no error", begun, err)
	}
	a := s.Replies.Begin(t.Context(), s.over(sent))
	a.Append(strings.Repeat("a word and another one\n", 150))
	s.await(t, func(m discordtest.Message) bool { return m.Author == s.Self && m.ID > sent[0].ID })
	if begun, err := a.Withdraw(t.Context()); !begun || err != nil {
		t.Errorf("an answer that was begun: %v, %v, want true and no error", begun, err)
	}
	if left := s.Said(); len(left) != 1 || left[0].ID != sent[0].ID {
		t.Errorf("%+v are left, want only %v", left, sent[0].ID)
	}
}

func TestFilesStayOnMessagesThatATextNoLongerReaches(t *testing.T) {
	s := newStage(t)
	long := strings.Repeat("a word and another one\n", 250)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append(long)
	sent, err := a.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "a.txt", Data: []byte("data")}}})
	if err != nil || len(sent) != 3 {
		t.Fatalf("%d messages, %v, want 3 and no error", len(sent), err)
	}
	to := s.over(sent)
	to.Held, to.HeldText = map[graph.MessageID][]graph.AttachmentID{sent[2].ID: sent[2].Attachments}, "-# a.txt is of before."
	short := errtest.Must(s.Replies.Put(t.Context(), to, reply.Final{Text: "Short.", Buttons: pages("1")}))(t)
	check(t, s, short, "Short.", "-# a.txt is of before.")
	if held := s.Said()[1]; held.ID != sent[2].ID || len(held.Attachments) != 1 || s.marked() != "- 1" {
		t.Errorf("what is left is %+v with the buttons %q, want %v with one file and %q", held, s.marked(), sent[2].ID, "- 1")
	}

	to.Over, to.Cause = []graph.MessageID{short[0].ID, short[1].ID}, reply.Interaction(1)
	b := s.Replies.Begin(t.Context(), to)
	b.Append(long)
	again, err := b.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "b.txt", Data: []byte("more")}}})
	if err != nil || len(again) != 3 {
		t.Fatalf("%d messages, %v, want 3 and no error", len(again), err)
	}
	if m := s.Said()[1]; len(m.Attachments) != 1 || m.Attachments[0].Name != "a.txt" || strings.Contains(m.Content, "-#") {
		t.Errorf("the message with the file is %+v, want one in Attachments, Attachments[0].Name %q and Content no %q in it", m, "a.txt", "-#")
	}
}

func TestNewFilesComeBesideThoseThatStay(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append("One.")
	sent := errtest.Must(a.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "a.txt", Data: []byte("data")}}}))(t)
	to := s.over(sent)
	to.Held = map[graph.MessageID][]graph.AttachmentID{sent[0].ID: sent[0].Attachments}
	b := s.Replies.Begin(t.Context(), to)
	b.Append("Two.")
	again := errtest.Must(b.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "b.txt", Data: []byte("more")}}, Buttons: pages("2")}))(t)
	held := s.Said()[0].Attachments
	if len(held) != 2 || held[0].Name != "a.txt" || held[1].Name != "b.txt" || len(again[0].Attachments) != 2 || s.marked() != "2" {
		t.Errorf("the files are %+v, reported as %v, the buttons %q, want 2 of them, Name %q of the first, Name %q of the second, 2 of them and %q", held, again[0].Attachments, s.marked(), "a.txt", "b.txt", "2")
	}
}

func TestAPartThatSomebodyDeletedIsSentAnew(t *testing.T) {
	s := newStage(t)
	long := strings.Repeat("a word and another one\n", 250)
	sent, err := s.Replies.Reply(t.Context(), s.to, long)
	if err != nil || len(sent) != 3 {
		t.Fatalf("%d messages, %v, want 3 and no error", len(sent), err)
	}
	s.Discord.Chat.Delete(s.to.Channel, sent[1].ID)
	to := s.over(sent)
	to.Cause = reply.Interaction(1)
	again := errtest.Must(s.Replies.Put(t.Context(), to, reply.Final{Text: long, Buttons: pages("1")}))(t)
	want := split.Messages(long, split.Limit, nil)
	check(t, s, again, want...)
	if got := s.marked(); got != "- - 1" {
		t.Errorf("the buttons are %q, want %q", got, "- - 1")
	}
}

func TestAPressIsAcknowledgedOnceAndAnsweredEphemerally(t *testing.T) {
	s := newStage(t)
	sent, id, press := s.pressed(t)
	errtest.None(t, s.Replies.Acknowledge(t.Context(), press))
	if err := s.Replies.Acknowledge(t.Context(), press); !errors.Is(err, reply.ErrAnswered) {
		t.Errorf("acknowledged twice: %v, want %v", err, reply.ErrAnswered)
	}
	errtest.None(t, s.Replies.SendEphemeral(t.Context(), press, "Hush, <@"+s.Ann.String()+">."))
	errtest.None(t, s.Replies.SetButtons(t.Context(), s.to.Channel, sent, nil))
	heard, _ := s.Discord.Interactions.Find(id)
	if len(heard.Private) != 1 || !heard.Private[0].Pings.None() || s.marked() != "-" || s.Said()[0].Content != "Text." {
		t.Errorf("who pressed heard %+v, and the message has %q; want one reply without pings, no buttons and the same text", heard.Private, s.marked())
	}
}

// pressed sends a message with a button that Ann presses.
func (s *stage) pressed(t *testing.T) (sent graph.MessageID, id discordtest.InteractionID, press reply.Press) {
	t.Helper()
	parts := errtest.Must(s.Replies.Put(t.Context(), s.to, reply.Final{Text: "Text.", Buttons: pages("1")}))(t)
	id = errtest.Must(s.Discord.Interactions.Press(s.to.Channel, parts[0].ID, s.Ann, "on"))(t)
	told, _ := s.Discord.Interactions.Find(id)
	return parts[0].ID, id, reply.Press{ID: discord.InteractionID(id), Application: s.Self, Token: told.Token}
}

// TestAnswersToInteractionsShowNoPreviews answers a press in every way that writes a text.
func TestAnswersToInteractionsShowNoPreviews(t *testing.T) {
	const text, suppressed = "See https://loom.example.", 1 << 2
	file := []discord.File{{Name: "loom.txt", Data: []byte("a loom")}}
	for name, answer := range map[string]func(*reply.Replies, reply.Press) error{
		"in place": func(in *reply.Replies, p reply.Press) error {
			_, err := in.Fill(t.Context(), p, reply.Final{Text: text})
			return err
		},
		"with files": func(in *reply.Replies, p reply.Press) error {
			_, err := in.Fill(t.Context(), p, reply.Final{Text: text, Files: file})
			return err
		},
		"as one more": func(in *reply.Replies, p reply.Press) error {
			_, err := in.Add(t.Context(), p, text, nil)
			return err
		},
		"as one's alone": func(in *reply.Replies, p reply.Press) error { return in.SendEphemeral(t.Context(), p, text) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			_, id, press := s.pressed(t)
			promised := s.Replies.Promise(t.Context(), press)
			_, filled := s.Replies.Fill(t.Context(), press, reply.Final{Text: "Soon."})
			errtest.None(t, errors.Join(promised, filled, answer(s.Replies, press)))
			heard, _ := s.Discord.Interactions.Find(id)
			last := heard.Private[len(heard.Private)-1]
			if last.Content != text || last.Flags&suppressed == 0 {
				t.Errorf("%q is shown with the flags %d, want %q without previews", last.Content, last.Flags, text)
			}
		})
	}
}
