package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// tools returns the names of the tools in the nth request.
func (p *provider) tools(n int) []string {
	p.t.Helper()
	p.asked(n)
	var names []string
	for _, tool := range p.model.Requests()[n-1].Chat.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

func TestAFileThatTheModelMakesIsOnTheAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(
		call("create_artifact", `{"title":"Our pattern","file_name":"../pattern.md","content":"# Over, under"}`),
		openaitest.Answer("Here is the pattern."),
	)
	s.start()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("write our pattern down")})
	answer := s.fileFor(trigger)
	file := answer.Attachments[0]
	if answer.Content != "Here is the pattern." || file.Name != "pattern.md" || string(file.Data) != "# Over, under" {
		t.Errorf("the answer reads %q with %s: %q, want pattern.md", answer.Content, file.Name, file.Data)
	}
	if told := s.told(2); len(told) != 1 || !strings.Contains(told[0], "pattern.md is made") {
		t.Errorf("the model was told %q, want one of them and %q in it first", told, "pattern.md is made")
	}
	if got := s.tools(1); !slices.Equal(got, []string{"create_artifact", "search_channel", "ask_subagent"}) {
		t.Errorf("the model could call %q, want %q", got, []string{"create_artifact", "search_channel", "ask_subagent"})
	}
}

func TestWhatIsMadeLeavesTheConversationAndIsTold(t *testing.T) {
	t.Parallel()
	for name, unheard := range map[string][]string{"heard of": nil, "whose event is late": {"MESSAGE_UPDATE"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.discord.Events.Intercept(discordtest.Dropped(unheard...))
			s.start()
			s.charted("You are welcome.")
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("thanks!")}), "You are welcome.")
			if got, want := s.asked(3), []string{"user: [speaker: ann]\n@heddle thanks!"}; !slices.Equal(got, want) {
				t.Errorf("the thanks were answered from %q, want %q", got, want)
			}
			messages := s.model.Requests()[2].Chat.Messages
			if tail := messages[len(messages)-1].Text(); !strings.Contains(tail, `not to be made again unless asked for: "chart.svg"`) {
				t.Errorf("the tail is %q, want %q in it", tail, `not to be made again unless asked for: "chart.svg"`)
			}
		})
	}
}

// TestAFileThatIsDeletedBringsItsRequestBack deletes the file that fulfilled a request.
func TestAFileThatIsDeletedBringsItsRequestBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.start("AFFINITY=off")
	chart := s.charted("You are welcome.", "It is gone.")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("thanks!")}), "You are welcome.")
	s.discord.Chat.Delete(s.channel, chart.ID)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("where is it?")}), "It is gone.")
	if got := s.asked(4); !slices.Contains(got, "user: [speaker: ann]\n@heddle draw a chart") {
		t.Errorf("the last question was answered from %q, want %q among them", got, "user: [speaker: ann]\n@heddle draw a chart")
	}
	messages := s.model.Requests()[3].Chat.Messages
	if tail := messages[len(messages)-1].Text(); strings.Contains(tail, "chart.svg") {
		t.Errorf("the tail still names the file: %q, want no %q in it", tail, "chart.svg")
	}
}

func TestAFileThatDiscordRefusesIsToldAndNotTakenForMade(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.discord.Faults.Inject(discordtest.Fault{ // of the file alone: a slow answer may need an edit before
		Match:  func(r discordtest.Request) bool { return len(r.Files) > 0 },
		Status: http.StatusRequestEntityTooLarge, Times: -1,
		Body: `{"message":"Request entity too large","code":40005}`,
	})
	s.model.Queue(
		call("create_artifact", `{"title":"Chart","file_name":"chart.svg","content":"<svg/>"}`),
		openaitest.Answer("There."), openaitest.Answer("Again: there."),
	)
	s.start("AFFINITY=off")
	s.post(s.ann, discordtest.Draft{Content: s.mention("draw a chart")})
	told, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && m.Content == phrases.English(phrases.FileTooLarge)
	})
	if err != nil || len(told.Attachments) != 0 {
		t.Fatalf("nobody was told: %v", err)
	}
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("where is it?")}), "Again")
	got := strings.Join(s.asked(3), "\n")
	if !strings.Contains(got, "draw a chart") || strings.Contains(got, "didn't take") {
		t.Errorf("the next question was answered from %q, want %q in it and no %q in it", got, "draw a chart", "didn't take")
	}
}

func TestTheChannelIsSearched(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Hour, append([]string{"bob: the blue loom is in room 7"}, slices.Repeat([]string{"ann: chatter"}, 250)...)...)
	s.model.Queue(call("search_channel", `{"words":"blue loom","person":"bob"}`), openaitest.Answer("In room 7."), openaitest.Answer("Still in 7."))
	s.start("MIN_LINEAR=1", "MAX_TOTAL=2")
	for n, want := range []string{"In room 7.", "Still in 7."} {
		in := s.channel
		if n > 0 {
			in = s.thread("later")
		}
		s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("where is the blue loom?")}), want)
	}
	if told := s.told(2); len(told) != 1 || !strings.Contains(told[0], `"text":"the blue loom is in room 7"`) {
		t.Errorf("the model was told %q, want one of them and %q in it first", told, `"text":"the blue loom is in room 7"`)
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages); reads > 4 {
		t.Errorf("the search took %d reads, want at most 4", reads)
	}
}

// hiddenFromBob returns a channel in which Ann told a secret two days ago and whose
// history Bob may not read.
func (p *people) hiddenFromBob() graph.ChannelID {
	p.t.Helper()
	hidden := p.discord.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden"})
	p.discord.World.SetOverwrites(hidden, discordtest.Overwrite{Member: p.bob, Deny: discordtest.ReadMessageHistory})
	p.postIn(hidden, p.ann, discordtest.Draft{Content: "the secret room is 9", At: time.Now().Add(-48 * time.Hour)})
	return hidden
}

func TestASearchIsForThoseWhoMayReadTheHistory(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	hidden := s.hiddenFromBob()
	s.always(openaitest.Answer("I could not look."))
	s.model.Queue(call("search_channel", `{"words":"secret"}`), openaitest.Answer("No."), call("search_channel", `{"words":"secret"}`), openaitest.Answer("Nine."))
	s.start("MIN_LINEAR=0", "MAX_TOTAL=1", "AFFINITY=off")
	s.answer(hidden, s.postIn(hidden, s.bob, discordtest.Draft{Content: s.mention("which room?")}), "No.")
	s.answer(hidden, s.postIn(hidden, s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Nine.")
	if told := s.told(2); len(told) != 1 || !strings.Contains(told[0], "may not be read") {
		t.Errorf("bob's search brought %q, want one of them and %q in it first", told, "may not be read")
	}
	if told := s.told(4); len(told) == 0 || !strings.Contains(told[len(told)-1], "the secret room is 9") {
		t.Errorf("ann's search brought %q, want some and %q in it last", told, "the secret room is 9")
	}
}

// TestASearchIsForWhoeverAsksAgain lets somebody who may not read the history ask for
// another answer to a question by somebody who may, and the other way round.
func TestASearchIsForWhoeverAsksAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	hidden := s.hiddenFromBob()
	search := call("search_channel", `{"words":"secret"}`)
	s.model.Queue(search, openaitest.Answer("It is nine."), search, openaitest.Answer("Not for you."), search, openaitest.Answer("Nine it is."))
	s.start("MIN_LINEAR=0", "MAX_TOTAL=1", "AFFINITY=off")
	answer := s.answer(hidden, s.postIn(hidden, s.ann, discordtest.Draft{Content: s.mention("which room?")}), "It is nine.")
	again := discordtest.Draft{Content: s.mention("again"), ReplyTo: answer.ID}
	s.answer(hidden, s.postIn(hidden, s.bob, again), "Not for you.")
	s.answer(hidden, s.postIn(hidden, s.ann, again), "Nine it is.")
	for n, want := range map[int]string{2: "the secret room is 9", 4: "may not be read", 6: "the secret room is 9"} {
		if told := s.told(n); len(told) == 0 || !strings.Contains(told[len(told)-1], want) {
			t.Errorf("request %d was told %q, want %q", n, told, want)
		}
	}
}

func TestAHelperIsAskedApart(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(call("ask_subagent", `{"task":"Count the threads of a 4 by 5 weave."}`), openaitest.Answer("Nine."), openaitest.Answer("There are nine."))
	s.start()
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("how many threads?")}), "There are nine.")
	s.asked(3)
	helper := s.model.Requests()[1].Chat
	if len(helper.Messages) != 2 || len(helper.Tools) != 0 || strings.Contains(helper.Messages[1].Text(), "how many threads") {
		t.Errorf("the helper was sent %+v, want its task alone, without tools", helper.Messages)
	}
	if told := s.told(3); len(told) != 1 || told[0] != "Nine." {
		t.Errorf("the model was told %q, want one of them and %q first", told, "Nine.")
	}
}

func TestWhatIsBeingDoneIsShown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	gate := make(chan struct{})
	slow := openaitest.Answer("Nine.")
	slow.Wait = gate
	s.model.Queue(call("ask_subagent", `{"task":"Count."}`), slow, openaitest.Answer("There are nine."))
	s.start()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("how many?")})
	s.begun(s.channel, trigger, "-# Thinking one part through …")
	close(gate)
	if got := s.answer(s.channel, trigger, "nine").Content; got != "There are nine." {
		t.Errorf("the answer reads %q, want %q", got, "There are nine.")
	}
}

func TestToolsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string][]string{"off": nil, "ask_subagent, create_artifact": {"ask_subagent", "create_artifact"}} {
		s := newScene(t, discordtest.Options{})
		s.model.Queue(openaitest.Answer("Yes."))
		s.start("TOOLS=" + setting)
		s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("there?")}), "Yes.")
		if got := s.tools(1); !slices.Equal(got, want) {
			t.Errorf("with TOOLS=%s the model could call %q, want %q", setting, got, want)
		}
	}
}

// TestAModelWithoutToolsGetsPathsWithoutThem proves that such a path is the same
// before and after that is known: an equal question is answered from the store.
func TestAModelWithoutToolsGetsPathsWithoutThem(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Reject("tools"), openaitest.Answer("Four."))
	r := s.start()
	for range 2 {
		in := s.thread("sums")
		question := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
		s.answer(in, question, "Four.")
		r.settled(s, question)
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want once with tools and once without", got)
	}
	if got := s.tools(2); len(got) != 0 {
		t.Errorf("the second request held the tools %q, want none", got)
	}
}

// TestToolsGoneWrongCostASentence proves that each mention is answered once and in words,
// whatever a model does with its tools.
func TestToolsGoneWrongCostASentence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		always openaitest.Reply
		queue  []openaitest.Reply
		want   string
		most   int // requests
	}{
		"calls without end": {
			call("search_channel", `{"words":"loom"}`), nil, "I kept looking things up", 3,
		},
		"arguments that are no JSON": {
			openaitest.Answer("Never mind."), []openaitest.Reply{call("create_artifact", `{"title":`)}, "Never mind.", 2,
		},
		"a tool that there is not": {
			openaitest.Answer("Never mind."), []openaitest.Reply{call("rm -rf", `{}`)}, "Never mind.", 2,
		},
		"arguments of 7 MB": {
			openaitest.Answer("There, all of it."),
			[]openaitest.Reply{call("create_artifact", `{"file_name":"a","content":"`+strings.Repeat("x", 7<<20)+`"}`)},
			"There, all of it.", 2,
		},
		"a helper that fails, then silence": {
			openaitest.Answer(""),
			[]openaitest.Reply{call("ask_subagent", `{"task":"x"}`), openaitest.Fail(openaitest.Failure{Status: 401, Message: "no"})},
			"A tool that I needed for this failed.", 5,
		},
		"tools rejected in the middle": {
			openaitest.Answer("Without, then."), []openaitest.Reply{call("search_channel", `{"words":"loom"}`), openaitest.Reject("tools")}, "Without, then.", 3,
		},
		"a fault after a call": {
			openaitest.Answer(""),
			[]openaitest.Reply{call("search_channel", `{"words":"loom"}`), openaitest.Fail(openaitest.Failure{Status: 401, Message: "no"})},
			"check the model's name", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(test.always)
			s.model.Queue(test.queue...)
			s.start("TOOL_ROUNDS=2")
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("weave")})
			s.answer(s.channel, trigger, test.want)
			if got := len(s.model.Requests()); got > test.most {
				t.Errorf("it took %d requests, want at most %d", got, test.most)
			}
		})
	}
}
