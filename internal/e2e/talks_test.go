package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// newTalks returns a scene with two talks in its channel, which the model describes, and
// the messages of the talk about the printer.
func newTalks(t *testing.T) (s *scene, printer []graph.MessageID) {
	t.Helper()
	s = newScene(t)
	printer, _ = s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	return s, printer
}

// twoTalks posts a talk on a printer of two days ago, and one on climbing of an hour ago,
// in which bob is answered.
func (p *people) twoTalks() (printer, climbing []graph.MessageID) {
	p.t.Helper()
	talk := func(begin time.Time, people []graph.UserID, lines ...string) []graph.MessageID {
		var drafts []discordtest.Draft
		for i, line := range lines {
			at := begin.Add(time.Duration(i) * time.Minute)
			d := discordtest.Draft{Author: people[i%len(people)], Content: line, At: at, ID: graph.FirstMessageID(at) + 1}
			if i > 0 {
				d.ReplyTo = drafts[i-1].ID
			}
			drafts = append(drafts, d)
		}
		return errtest.Must(p.discord.Chat.Backfill(p.channel, drafts))(p.t)
	}
	cyd := p.discord.People.AddUser("cyd", p.guild)
	printer = talk(time.Now().Add(-48*time.Hour), []graph.UserID{p.ann, cyd},
		"the **printer** is out of toner, who has some?", "toner for the printer is in the cupboard", "found it, the printer prints again", "the printer thanks you")
	climbing = talk(time.Now().Add(-time.Hour), []graph.UserID{p.bob, p.ann},
		"climbing on friday, the rope is ||at my place||", "I come along for climbing, bring the harness")
	return printer, climbing
}

func TestKnownTalksAreNotDescribedAgain(t *testing.T) {
	s, printer := newTalks(t)
	r := s.start()
	since := map[string]any{"since": "3d"}
	_, m := s.catchesUp(s.bob, "heddle catchup", since)
	mine, other := strings.Index(m.Content, "On the climbing"), strings.Index(m.Content, "On the printer")
	if mine < 0 || other < mine || !strings.Contains(m.Content, "Mentions you or answers you.") {
		t.Errorf("bob reads\n%s\nwant the talk in which he is answered first", m.Content)
	}
	s.contains(m.Content, "**2 talks**", "6 messages", "ann, cyd", "They talked about the printer.", "Still open: who brings the printer", s.linkTo(printer[0]))
	r.end()
	r = s.start()
	_, again := s.catchesUp(s.bob, "heddle catchup", since)
	s.same("what bob reads after a restart", again.Content, m.Content)
	s.askedTimes(1)
	s.discord.Chat.Delete(s.channel, printer[3])
	_, without := s.catchesUp(s.bob, "heddle catchup", since)
	s.contains(without.Content, "5 messages")
	// What was said of the climbing was said by a model that read the deleted message, so it
	// went with it.
	s.askedTimes(2)
	read := lastRead(s.model)
	s.contains(read, "climbing", "out of toner")
	s.lacks(read, "thanks you")
	r.end()
	s.contains(s.prints(nil, "verify"), ", 0 faults")
}

// TestWhatIsSaidAgainIsDescribedAgain says the same in two channels. A deletion in one of them
// erases only what was made from it, so what a talk is about is not taken from the other.
func TestWhatIsSaidAgainIsDescribedAgain(t *testing.T) {
	s := newScene(t)
	s.describing(func(title string) string { return "On the " + title })
	other := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "other"})
	for _, channel := range []graph.ChannelID{s.channel, other} {
		s.talkIn(channel, discordtest.Draft{Author: s.ann, Content: "the printer is broken"}, discordtest.Draft{Author: s.bob, Content: "it only lacks toner"})
	}
	s.start()
	for n, channel := range []graph.ChannelID{s.channel, other} {
		_, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d", "channel": channel})
		s.contains(m.Content, "On the printer")
		s.askedTimes(n + 1)
	}
}

// opensPrinter has Bob catch up and open the talk about the printer.
func (c *commands) opensPrinter() (list discordtest.InteractionID, opened discordtest.Message) {
	c.t.Helper()
	id, m := c.catchesUp(c.bob, "heddle catchup", map[string]any{"since": "3d"})
	c.press(c.bob, m, "2")
	return id, c.privately(id, "the printer prints again")
}

// linkTo returns the address of a message in the scene's channel.
func (s *screen) linkTo(id graph.MessageID) string {
	return "https://discord.com/channels/" + s.guild.String() + "/" + s.channel.String() + "/" + id.String()
}

func TestATalkIsOpenedToldAndMoved(t *testing.T) {
	s, printer := newTalks(t)
	r := s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	r.end()
	s.start() // buttons outlive the process
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	for _, message := range printer {
		s.contains(opened.Content, s.linkTo(message))
	}
	asked := len(s.model.Requests())
	s.model.Queue(openaitest.Answer("ann needed toner; see https://evil.example/x"))
	s.press(s.bob, opened, "Tell me more")
	told := s.privately(id, "ann needed toner")
	s.lacks(told.Content, "evil.example")
	s.askedTimes(asked + 1)
	s.press(s.bob, told, "Move to a thread")
	thread := graph.ChannelID(printer[0])
	s.privately(id, "<#"+thread.String()+">")
	s.says(thread, "](<"+s.linkTo(printer[2])+">)") // the last message of the talk
	moved := s.privately(id, "<#"+thread.String()+">")
	s.leadsTo(moved, thread)
	found, again := s.catchesUp(s.bob, "heddle find", map[string]any{"words": "thanks"}) // the talk, from its end
	s.contains(again.Content, s.linkTo(printer[3]))
	s.press(s.bob, again, "1")
	s.leadsTo(s.opens(found), thread)
	s.discord.Chat.Delete(s.channel, printer...)
	s.press(s.bob, moved, "Tell me more")
	s.privately(id, "no longer there")
}

// TestATalkMovesWhereThreadsMayBeStarted moves a talk where the person, and then heddle, may
// not start threads.
func TestATalkMovesWhereThreadsMayBeStarted(t *testing.T) {
	s, _ := newTalks(t)
	s.start()
	id, opened := s.opensPrinter()
	for _, test := range []struct {
		who  graph.UserID
		want phrases.ID
	}{{s.bob, "catchup_no_thread"}, {s.heddle.User, "catchup_may_not"}} {
		s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: test.who, Deny: discordtest.CreatePublicThreads})
		s.press(s.bob, opened, "Move to a thread")
		s.privately(id, phrases.English(test.want))
	}
}

// opens waits until the answer to an interaction shows a talk, and returns it.
func (s *scene) opens(id discordtest.InteractionID) discordtest.Message {
	s.t.Helper()
	return s.responded(id, "a talk", func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && slices.ContainsFunc(in.Private[0].Buttons(), func(b discordtest.Button) bool { return b.Label == "Tell me more" })
	}).Private[0]
}

// leadsTo fails the test unless a button below a talk leads to its thread, and none starts
// another one.
func (s *scene) leadsTo(talk discordtest.Message, thread graph.ChannelID) {
	s.t.Helper()
	s.contains(labels(talk), "Open the thread")
	s.lacks(labels(talk), "Move to a thread")
	for _, b := range talk.Buttons() {
		if b.Label == "Open the thread" {
			s.same("where the button leads", b.URL, "https://discord.com/channels/"+s.guild.String()+"/"+thread.String())
		}
	}
}

// TestWhatTheModelTellsOfATalkHidesNoAddress has the model write about a talk in all the
// ways in which a text could hide an address or be cut in the wrong place.
func TestWhatTheModelTellsOfATalkHidesNoAddress(t *testing.T) {
	s := newScene(t)
	s.twoTalks()
	s.describing(func(title string) string { return "On [the " + title + "](mailto:evil@x.example)" })
	s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	s.contains(m.Content, `On the printer \(\<mailto:evil@x.example\>\)`)
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	said := "see [the shop](mailto:evil@x.example)\n\n| who | what |\n|---|---|\n| ann | toner |\n\n```go\n" + strings.Repeat("var toner = 1\n", 200)
	s.model.Queue(openaitest.Answer(said))
	s.press(s.bob, opened, "Tell me more")
	told := s.privately(id, "the shop (<mailto:evil@x.example>)").Content
	if strings.Contains(told, "|---|") || strings.Count(told, "```")%2 != 0 || !strings.HasSuffix(told, "…") {
		t.Errorf("bob is told\n%s\nwant no table, whole code blocks and … at the end", told)
	}
}

func TestACatchUpForEverybodyLeavesItsListAlone(t *testing.T) {
	s, _ := newTalks(t)
	s.start()
	in := s.runs(s.bob, "heddle catchup", map[string]any{"since": "3d", "public": true}, "On the printer")
	list, _ := s.discord.Chat.Message(s.channel, in.Public[0])
	s.ephemeral(s.press(s.ann, list, "1"), s.guild.String())
	s.standsIn(list, list.Content, labels(list))
	_, m := s.catchesUp(s.ann, "heddle catchup", map[string]any{"since": "3d"})
	s.contains(m.Content, "**2 talks**")
	s.lacks(m.Content, s.linkTo(list.ID))
}

// TestServiceMessagesAreNoContext asks after a catch-up by a mention and one by a command. Neither is
// sent, nor told by the next catch-up, unless somebody replies to it (finding 4.12).
func TestServiceMessagesAreNoContext(t *testing.T) {
	s, _ := newTalks(t)
	r := s.start()
	dan := s.discord.People.AddUser("dan", s.guild)
	call := s.ask(dan, "")
	r.settled(s, call)
	told := s.says(s.channel, "talks**")
	list := s.runs(s.bob, "heddle catchup", map[string]any{"since": "3d", "public": true}, "On the printer").Public[0]
	s.script.Store(nil)
	s.always(openaitest.Answer("toner"))
	s.answer(s.channel, s.ask(dan, "what happened here?"), "toner")
	request := strings.Join(s.asked(len(s.model.Requests())), "\n")
	s.lacks(request, "On the ", "talks**")
	s.answer(s.channel, s.askBelow(told.ID, dan, "who said that?"), "toner")
	s.contains(strings.Join(s.asked(len(s.model.Requests())), "\n"), "On the climbing")
	s.describing(func(title string) string { return "On the " + title })
	_, m := s.catchesUp(s.ann, "heddle catchup", map[string]any{"since": "3d"})
	s.lacks(m.Content, s.linkTo(list), s.linkTo(told.ID))
}

// TestACatchUpTellsWhatItCannotDo has bob name times and channels that lead to nothing. What
// heddle lacks is told to those alone who may read there.
func TestACatchUpTellsWhatItCannotDo(t *testing.T) {
	s, _ := newTalks(t)
	private := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true, Readers: []graph.UserID{s.ann, s.heddle.User}})
	adults := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "adults", AgeRestricted: true})
	empty := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "empty"})
	blind := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "blind"})
	s.discord.World.SetOverwrites(blind,
		discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory}, discordtest.Overwrite{Member: s.bob, Deny: discordtest.ReadMessageHistory})
	s.postIn(private, s.ann, discordtest.Draft{Content: "the secret printer"})
	s.postIn(adults, s.ann, discordtest.Draft{Content: "the secret printer"})
	s.start()
	told := func(who graph.UserID, command string, options map[string]any, wants ...string) string {
		t.Helper()
		_, m := s.catchesUp(who, command, options)
		s.contains(m.Content, wants...)
		return m.Content
	}
	for want, all := range map[string][]map[string]any{
		"I don't understand that time": {{"since": "2026-02-30"}, {"since": "soon"}, {"since": "0h"}},
		"in the future":                {{"since": "2999-01-01"}},
		"can't show you that channel":  {{"channel": private}, {"channel": adults}, {"channel": blind}, {"channel": s.channel, "channel-2": private}},
		"Nothing was said there":       {{"channel": empty}, {"since": "1m"}},
	} {
		for _, options := range all {
			s.lacks(told(s.bob, "heddle catchup", options, want), "secret", "admin")
		}
	}
	told(s.ann, "heddle catchup", map[string]any{"channel": private, "since": "3d"}, "secret printer")
	told(s.ann, "heddle catchup", map[string]any{"channel": blind, "since": "3d"}, "Ask an admin to give me Read Message History.")
	told(s.bob, "heddle find", map[string]any{"words": "printer", "channel": private}, "can't show you that channel")
	told(s.bob, "heddle find", map[string]any{"words": "toner cupboard"}, "**1 talk**", "printer")
	told(s.bob, "heddle find", map[string]any{"words": "xylophone"}, "I found no talk")
	told(s.ann, "heddle opt-out", nil)
	told(s.ann, "heddle catchup", nil, "opt")
	s.lacks(told(s.bob, "heddle catchup", map[string]any{"since": "3d"}), "— ann", ", ann", "out of toner")
}

// TestATalkIsAskedAbout has somebody ask questions about a talk in a form.
func TestATalkIsAskedAbout(t *testing.T) {
	s, _ := newTalks(t)
	s.start()
	id, opened := s.opensPrinter()
	asked := len(s.model.Requests())
	said := openaitest.Answer("cyd found some, see [the shop](https://evil.example/x).")
	s.model.Queue(said, said)
	s.submits(s.bob, opened, "Ask about it", "who found\n# toner?")
	told := s.privately(id, "cyd found some")
	s.contains(told.Content, "\n> who found # toner?\n")
	s.lacks(told.Content, "evil.example")
	s.askedTimes(asked + 1)
	s.contains(lastRead(s.model), "who found # toner?", "out of toner")
	s.lacks(lastRead(s.model), "climbing")
	s.submits(s.bob, opened, "Ask about it", "   ")
	s.privately(id, "I need a question.")
	s.submits(s.bob, opened, "Ask about it", "and who thanked?")
	s.privately(id, "> and who thanked?")
}

// TestACatchUpBeginsWhereSomebodyLastWrote names no time. Bob last wrote in the talk on
// climbing, and Dan wrote nothing.
func TestACatchUpBeginsWhereSomebodyLastWrote(t *testing.T) {
	s, _ := newTalks(t)
	s.start()
	dan := s.discord.People.AddUser("dan", s.guild)
	for who, want := range map[graph.UserID]string{s.bob: "**1 talk**", dan: "**2 talks**"} {
		if _, m := s.catchesUp(who, "heddle catchup", nil); !strings.Contains(m.Content, want) || strings.Contains(m.Content, "On the printer") != (who == dan) {
			t.Errorf("want %q, not\n%s", want, m.Content)
		}
	}
	s.post(s.bob, discordtest.Draft{Content: "I am back", At: time.Now().Add(-time.Second)})
	_, m := s.catchesUp(s.bob, "heddle catchup", nil)
	s.contains(m.Content, "Nothing was said there")
}
