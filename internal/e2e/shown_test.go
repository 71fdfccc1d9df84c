package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestWhatWasLeftOutIsShown has messages be left out by each rule, and looks at the context
// of the last answer.
func TestWhatWasLeftOutIsShown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environ []string
		asks    func(s *scene) discordtest.Message
		want    string
	}{
		"the file is made": {nil, func(s *scene) discordtest.Message {
			s.charted("You are welcome.")
			return s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("thanks!")}), "You are welcome.")
		}, "2 messages were left out: the files that they were about are there."},
		"it does not fit": {[]string{"SUMMARIES=off", "TOKEN_BUDGET=1000", "TOOLS=off"}, func(s *scene) discordtest.Message {
			return s.follows(10)
		}, " were left out: they did not fit."},
		"old and uncertain": {[]string{"SUMMARIES=off", "TOOLS=off", "RETAIN_BASE_CHARS=0", "RETAIN_RECENT=2"}, func(s *scene) discordtest.Message {
			return s.follows(19)
		}, " were left out: they are old, and their answers were not certain."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.patiently()
			s.always(openaitest.Answer("Noted."))
			r := s.start(test.environ...)
			last := test.asks(s)
			r.settled(s, last.Reference.Message)
			id := s.shows(s.channel, last.ID)
			shown := s.privately(id, "What this answer was made from")
			for range 20 {
				next, ok := s.nextPage(id, shown)
				if strings.Contains(shown.Content, test.want) || !ok {
					break
				}
				shown = next
			}
			if !strings.Contains(shown.Content, test.want) {
				t.Errorf("the last page of the context lacks %q:\n%s", test.want, shown.Content)
			}
		})
	}
}

// follows asks this many questions, each in reply to the answer before it.
func (s *scene) follows(questions int) (last discordtest.Message) {
	s.t.Helper()
	for n := range questions {
		last = s.follow(n+1, last)
	}
	return last
}

// TestBackgroundIsShownApart asks about one of two talks that mix. The messages of the other
// one stand below, as background.
func TestBackgroundIsShownApart(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	var talks [2][]graph.MessageID
	for i, line := range []string{
		"who has the key to the barn?", "what is for lunch today?", "the key to the barn hangs by the door", "soup for lunch",
		"by which door, that of the barn?", "which soup?", "by that of the barn", "leek soup",
	} {
		author := []graph.UserID{s.ann, s.discord.People.AddUser("cook", s.guild), s.bob, s.discord.People.AddUser("guest", s.guild)}[i%4]
		draft := discordtest.Draft{Content: line, At: time.Now().Add(time.Duration(i-9) * time.Minute)}
		if talk := talks[i%2]; len(talk) > 0 {
			draft.ReplyTo = talk[len(talk)-1]
		}
		talks[i%2] = append(talks[i%2], s.post(author, draft))
	}
	s.always(openaitest.Answer("By the door."))
	r := s.start()
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("where is the key?"), ReplyTo: talks[0][3]})
	answer := s.answer(s.channel, question, "By the door.")
	r.settled(s, question)
	shown := s.privately(s.shows(s.channel, answer.ID), "What this answer was made from").Content
	conversation, background, apart := strings.Cut(shown, "**Background, from other talks (")
	if !apart || !strings.Contains(conversation, "**The conversation (") {
		t.Fatalf("the context is\n%s\nwant a conversation and a background", shown)
	}
	for _, said := range []string{"the key to the barn hangs by the door", "who has the key to the barn?"} {
		if !strings.Contains(conversation, said) {
			t.Errorf("%q is not in the conversation:\n%s", said, shown)
		}
	}
	if !strings.Contains(background, "leek soup\n-# among the newest") || strings.Contains(conversation, "soup") {
		t.Errorf("the soup is not in the background:\n%s", shown)
	}
}

// TestTheSystemPromptIsReadFromAFile fills in the file's macros. The model is also given
// the Markdown that Discord shows.
func TestTheSystemPromptIsReadFromAFile(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	prompt := s.file("prompt.txt")
	s.write(prompt, "You weave in {channel} of {guild}.\n")
	s.always(openaitest.Answer("Yes."))
	s.start("SYSTEM_PROMPT_FILE=" + prompt)
	s.asksAs(s.bob, "do you?", "Yes.")
	root := s.model.Requests()[0].Chat.Messages[0].Text()
	for _, want := range []string{"You weave in general of weavers.\n", "Discord shows **bold**", "||spoilers||"} {
		if !strings.Contains(root, want) {
			t.Errorf("want the model to be told %q, it is told %q", want, root)
		}
	}
}

// TestTheInviteLinkAsksForWhatIsUsed reads the link in the log.
func TestTheInviteLinkAsksForWhatIsUsed(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	s.asksAs(s.bob, "are you there?", "Yes.")
	r.end()
	var used discordtest.Permission
	for _, bit := range []int{10, 11, 15, 16, 20, 35, 38} { // see, send, attach, history, connect, start threads, send in threads
		used |= 1 << bit
	}
	want := fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%s&permissions=%d&scope=bot+applications.commands", s.heddle.User, used)
	if !strings.Contains(r.logs.String(), want) {
		t.Errorf("the log lacks %s", want)
	}
}

// TestACatchUpBeginsWhereSomebodyLastWrote names no time. Bob last wrote in the talk on
// climbing, and Dan wrote nothing.
func TestACatchUpBeginsWhereSomebodyLastWrote(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	s.start()
	dan := s.discord.People.AddUser("dan", s.guild)
	for who, want := range map[graph.UserID]string{s.bob: "**1 talk**", dan: "**2 talks**"} {
		if _, m := s.catchesUp(who, "heddle catchup", nil); !strings.Contains(m.Content, want) || strings.Contains(m.Content, "On the printer") != (who == dan) {
			t.Errorf("want %q, not\n%s", want, m.Content)
		}
	}
	s.post(s.bob, discordtest.Draft{Content: "I am back", At: time.Now().Add(-time.Second)})
	if _, m := s.catchesUp(s.bob, "heddle catchup", nil); !strings.Contains(m.Content, "Nothing was said there") {
		t.Errorf("right after bob wrote he reads\n%s\nwant %q in it", m.Content, "Nothing was said there")
	}
}
