package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// newTalks returns a scene with two talks in its channel, which the model describes, and
// the messages of the talk about the printer.
func newTalks(t *testing.T) (s *scene, printer []graph.MessageID) {
	t.Helper()
	s = newScene(t, discordtest.Options{})
	s.takeTime()
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
		ids, err := p.discord.Chat.Backfill(p.channel, drafts)
		if err != nil {
			p.t.Fatal(err)
		}
		return ids
	}
	cyd := p.discord.People.AddUser("cyd", p.guild)
	printer = talk(time.Now().Add(-48*time.Hour), []graph.UserID{p.ann, cyd},
		"the **printer** is out of toner, who has some?", "toner for the printer is in the cupboard", "found it, the printer prints again", "the printer thanks you")
	climbing = talk(time.Now().Add(-time.Hour), []graph.UserID{p.bob, p.ann},
		"climbing on friday, the rope is ||at my place||", "I come along for climbing, bring the harness")
	return printer, climbing
}

func TestKnownTalksAreNotDescribedAgain(t *testing.T) {
	t.Parallel()
	s, printer := newTalks(t)
	r := s.start()
	since := map[string]any{"since": "3d"}
	_, m := s.catchesUp(s.bob, "heddle catchup", since)
	mine, other := strings.Index(m.Content, "On the climbing"), strings.Index(m.Content, "On the printer")
	if mine < 0 || other < mine || !strings.Contains(m.Content, "Mentions you or answers you.") {
		t.Errorf("bob reads\n%s\nwant the talk in which he is answered first", m.Content)
	}
	for _, want := range []string{"**2 talks**", "6 messages", "ann, cyd", "They talked about the printer.", "Still open: who brings the printer", s.linkTo(printer[0])} {
		if !strings.Contains(m.Content, want) {
			t.Errorf("bob does not read %q:\n%s", want, m.Content)
		}
	}
	r.end()
	r = s.start()
	if _, again := s.catchesUp(s.bob, "heddle catchup", since); again.Content != m.Content {
		t.Errorf("after a restart bob reads\n%s\nwant what he read before\n%s", again.Content, m.Content)
	}
	if n := len(s.model.Requests()); n != 1 {
		t.Fatalf("the model was asked %d times, want once", n)
	}
	s.discord.Chat.Delete(s.channel, printer[3])
	_, without := s.catchesUp(s.bob, "heddle catchup", since)
	if !strings.Contains(without.Content, "5 messages") {
		t.Errorf("after a deletion bob reads\n%s\nwant %q in it", without.Content, "5 messages")
	}
	asked := s.model.Requests()
	if len(asked) != 2 {
		t.Fatalf("the model was asked %d times, want once more", len(asked))
	}
	if read := strings.Join(textsOf(asked[1]), "\n"); strings.Contains(read, "thanks you") || strings.Contains(read, "climbing") || !strings.Contains(read, "out of toner") {
		t.Errorf("the model was asked %q, want no %q in it, no %q in it and %q in it", read, "thanks you", "climbing", "out of toner")
	}
	r.end()
}

// linkTo returns the address of a message in the scene's channel.
func (s *screen) linkTo(id graph.MessageID) string {
	return "https://discord.com/channels/" + s.guild.String() + "/" + s.channel.String() + "/" + id.String()
}

func TestWithoutAModelTheTalksAreListed(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	printer, climbing := s.twoTalks()
	s.environ = append(s.environ, "LIMIT_PERSON=1 requests/day")
	s.always(openaitest.Reply{Status: 401})
	s.start()
	for range 2 { // the second time, bob is over his limit, or the model still fails
		_, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
		for _, want := range []string{"**2 talks**", "the printer is out of toner", s.linkTo(printer[0]), "the rope is ▒▒▒", s.linkTo(climbing[0]), "\n-# "} {
			if !strings.Contains(m.Content, want) {
				t.Errorf("bob does not read %q:\n%s", want, m.Content)
			}
		}
	}
}

func TestATalkIsOpenedToldAndMoved(t *testing.T) {
	t.Parallel()
	s, printer := newTalks(t)
	r := s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	r.end()
	s.start() // buttons outlive the process
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	for _, message := range printer {
		if !strings.Contains(opened.Content, s.linkTo(message)) {
			t.Errorf("no link leads to %s:\n%s", message, opened.Content)
		}
	}
	asked := len(s.model.Requests())
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("ann needed toner; see https://evil.example/x")
		return &reply
	})
	s.press(s.bob, opened, "Tell me more")
	told := s.privately(id, "ann needed toner")
	if strings.Contains(told.Content, "evil.example") || len(s.model.Requests()) != asked+1 {
		t.Errorf("bob is told %q after %d requests, want one request, and nothing of evil.example", told.Content, len(s.model.Requests())-asked)
	}
	s.press(s.bob, told, "Move to a thread")
	thread := graph.ChannelID(printer[0])
	s.privately(id, "<#"+thread.String()+">")
	said, err := s.discord.Chat.AwaitMessage(s.ctx, thread, func(m discordtest.Message) bool { return m.Author == s.heddle.User })
	if err != nil || !strings.Contains(said.Content, s.linkTo(printer[2])) {
		t.Errorf("the thread says %q, %v, want a link to the last message of the talk", said.Content, err)
	}
	moved := s.privately(id, "<#"+thread.String()+">")
	s.leadsTo(moved, thread)
	found, again := s.catchesUp(s.bob, "heddle find", map[string]any{"words": "thanks"}) // the talk, from its end
	s.press(s.bob, again, "1")
	s.leadsTo(s.opens(found), thread)
	s.discord.Chat.Delete(s.channel, printer...)
	s.press(s.bob, moved, "Tell me more")
	s.privately(id, "no longer there")
}

// opens waits until the answer to an interaction shows a talk, and returns it.
func (s *scene) opens(id discordtest.InteractionID) discordtest.Message {
	s.t.Helper()
	in, err := s.discord.Interactions.Await(s.ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && slices.ContainsFunc(in.Private[0].Buttons(), func(b discordtest.Button) bool { return b.Label == "Tell me more" })
	})
	if err != nil {
		s.t.Fatalf("no talk is opened: %v", err)
	}
	return in.Private[0]
}

// leadsTo fails the test unless a button below a talk leads to its thread, and none starts
// another one.
func (s *scene) leadsTo(talk discordtest.Message, thread graph.ChannelID) {
	s.t.Helper()
	var labels []string
	for _, b := range talk.Buttons() {
		labels = append(labels, b.Label)
		if b.Label == "Open the thread" && b.URL == "https://discord.com/channels/"+s.guild.String()+"/"+thread.String() {
			return
		}
	}
	s.t.Errorf("below a talk that has a thread stand %q, want a link to the thread", labels)
}

// TestWhatTheModelTellsOfATalkHidesNoAddress has the model write about a talk in all the
// ways in which a text could hide an address or be cut in the wrong place.
func TestWhatTheModelTellsOfATalkHidesNoAddress(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.twoTalks()
	s.describing(func(title string) string { return "On [the " + title + "](mailto:evil@x.example)" })
	s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	if !strings.Contains(m.Content, `On the printer \(\<mailto:evil@x.example\>\)`) {
		t.Errorf("a title hides where its link leads:\n%s\nwant %q in it", m.Content, `On the printer \(\<mailto:evil@x.example\>\)`)
	}
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	said := "see [the shop](mailto:evil@x.example)\n\n| who | what |\n|---|---|\n| ann | toner |\n\n```go\n" + strings.Repeat("var toner = 1\n", 200)
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer(said)
		return &reply
	})
	s.press(s.bob, opened, "Tell me more")
	told := s.privately(id, "the shop (<mailto:evil@x.example>)").Content
	if strings.Contains(told, "|---|") || strings.Count(told, "```")%2 != 0 || !strings.HasSuffix(told, "…") {
		t.Errorf("bob is told\n%s\nwant no table, whole code blocks and … at the end", told)
	}
}

func TestACatchUpForEverybodyLeavesItsListAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	s.start()
	s.uses(s.channel, "heddle help")
	id, err := s.discord.Interactions.Invoke(s.channel, s.bob, s.heddle.User, discordtest.Invocation{
		Command: "heddle catchup", Options: map[string]any{"since": "3d", "public": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.discord.Interactions.Await(s.ctx, id, func(in discordtest.Interaction) bool { return len(in.Public) == 1 })
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
		return m.ID == in.Public[0] && strings.Contains(m.Content, "On the printer")
	})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Buttons(), func(b discordtest.Button) bool { return b.Label == "1" })
	press, err := s.discord.Interactions.Press(s.channel, list.ID, s.ann, list.Buttons()[at].CustomID)
	if err != nil {
		t.Fatal(err)
	}
	s.ephemeral(press, s.guild.String())
	if now, _ := s.discord.Chat.Message(s.channel, list.ID); now.Content != list.Content {
		t.Errorf("the list now reads %q, want %q", now.Content, list.Content)
	}
	if _, m := s.catchesUp(s.ann, "heddle catchup", map[string]any{"since": "3d"}); !strings.Contains(m.Content, "**2 talks**") || strings.Contains(m.Content, s.linkTo(list.ID)) {
		t.Errorf("ann reads %s, want 2 talks, and the list not among them", m.Content)
	}
}

func TestACatchUpTellsWhatItCannotDo(t *testing.T) {
	t.Parallel()
	s, _ := newTalks(t)
	private := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true, Readers: []graph.UserID{s.ann, s.heddle.User}})
	adults := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "adults", AgeRestricted: true})
	empty := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "empty"})
	s.postIn(private, s.ann, discordtest.Draft{Content: "the secret printer"})
	s.postIn(adults, s.ann, discordtest.Draft{Content: "the secret printer"})
	s.start()
	for want, all := range map[string][]map[string]any{
		"I don't understand that time": {{"since": "2026-02-30"}, {"since": "soon"}, {"since": "0h"}},
		"in the future":                {{"since": "2999-01-01"}},
		"can't show you that channel":  {{"channel": private}, {"channel": adults}, {"channel": s.channel, "channel-2": private}},
		"Nothing was said there":       {{"channel": empty}, {"since": "1m"}},
	} {
		for _, options := range all {
			if _, m := s.catchesUp(s.bob, "heddle catchup", options); !strings.Contains(m.Content, want) || strings.Contains(m.Content, "secret") {
				t.Errorf("with %v bob reads %q, want %q", options, m.Content, want)
			}
		}
	}
	if _, m := s.catchesUp(s.ann, "heddle catchup", map[string]any{"channel": private, "since": "3d"}); !strings.Contains(m.Content, "secret printer") {
		t.Errorf("ann, who may read the channel, reads %q, want %q in it", m.Content, "secret printer")
	}
	if _, m := s.catchesUp(s.bob, "heddle find", map[string]any{"words": "toner cupboard"}); !strings.Contains(m.Content, "**1 talk**") || !strings.Contains(m.Content, "printer") {
		t.Errorf("who looks for toner finds %q, want %q in it and %q in it", m.Content, "**1 talk**", "printer")
	}
	if _, m := s.catchesUp(s.bob, "heddle find", map[string]any{"words": "xylophone"}); !strings.Contains(m.Content, "I found no talk") {
		t.Errorf("who looks for what nobody said finds %q, want %q in it", m.Content, "I found no talk")
	}
	s.catchesUp(s.ann, "heddle opt-out", nil)
	if _, m := s.catchesUp(s.ann, "heddle catchup", nil); !strings.Contains(m.Content, "opt") {
		t.Errorf("who opted out reads %q, want %q in it", m.Content, "opt")
	}
	if _, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"}); strings.Contains(m.Content, "— ann") || strings.Contains(m.Content, ", ann") || strings.Contains(m.Content, "out of toner") {
		t.Errorf("after ann opted out bob reads %q, want no %q in it, no %q in it and no %q in it", m.Content, "— ann", ", ann", "out of toner")
	}
}

// TestATalkIsAskedAbout has somebody ask a question about a talk in a form.
func TestATalkIsAskedAbout(t *testing.T) {
	t.Parallel()
	s, _ := newTalks(t)
	s.start()
	id, m := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	s.press(s.bob, m, "2")
	opened := s.privately(id, "the printer prints again")
	asked := len(s.model.Requests())
	s.scripted(func(openaitest.Request) *openaitest.Reply {
		reply := openaitest.Answer("cyd found some, see [the shop](https://evil.example/x).")
		return &reply
	})
	submit := func(question string) {
		t.Helper()
		form := s.press(s.bob, opened, "Ask about it")
		in, err := s.discord.Interactions.Await(s.ctx, form, func(in discordtest.Interaction) bool { return in.Modal != nil })
		if err != nil || in.Modal.Title != "Ask about this talk" || in.Modal.Inputs[0].Most == 0 {
			t.Fatalf("the form is %+v: %v, want Title %q, Inputs[0].Most more than 0 and no error", in.Modal, err, "Ask about this talk")
		}
		if _, err := s.discord.Interactions.Submit(form, map[string]string{in.Modal.Inputs[0].CustomID: question}); err != nil {
			t.Fatal(err)
		}
	}
	submit("who found\n# toner?")
	told := s.privately(id, "cyd found some")
	if !strings.Contains(told.Content, "\n> who found # toner?\n") || strings.Contains(told.Content, "evil.example") {
		t.Errorf("bob is told %q, want %q in it and no %q in it", told.Content, "\n> who found # toner?\n", "evil.example")
	}
	requests := s.model.Requests()
	if read := strings.Join(textsOf(requests[len(requests)-1]), "\n"); len(requests) != asked+1 || !strings.Contains(read, "who found # toner?") || !strings.Contains(read, "out of toner") || strings.Contains(read, "climbing") {
		t.Errorf("after %d requests the model was asked %q, want one request, with the question and the talk on toner alone", len(requests)-asked, read)
	}
	submit("   ")
	s.privately(id, "I need a question.")
	submit("and who thanked?")
	s.privately(id, "> and who thanked?")
}

// TestACatchUpNamesWhatHeddleLacks catches up on a channel whose history heddle may not
// read. People who may not read it either learn nothing about it.
func TestACatchUpNamesWhatHeddleLacks(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	blind := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "blind"})
	s.discord.World.SetOverwrites(blind,
		discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory},
		discordtest.Overwrite{Member: s.bob, Deny: discordtest.ReadMessageHistory},
	)
	s.start()
	for command, options := range map[string]map[string]any{
		"heddle catchup": {"channel": blind, "since": "3d"}, "heddle find": {"channel": blind, "words": "loom"},
	} {
		if _, m := s.catchesUp(s.ann, command, options); !strings.HasSuffix(m.Content, "Ask an admin to give me Read Message History.") {
			t.Errorf("after %s ann reads %q, want %q at its end", command, m.Content, "Ask an admin to give me Read Message History.")
		}
		if _, m := s.catchesUp(s.bob, command, options); strings.Contains(m.Content, "admin") || !strings.Contains(m.Content, "can't show you that channel") {
			t.Errorf("after %s bob reads %q, want no %q in it and %q in it", command, m.Content, "admin", "can't show you that channel")
		}
	}
}

// TestAWordThatEverybodySaysIsFound looks for a word that most messages hold. The talk
// counts all of its messages.
func TestAWordThatEverybodySaysIsFound(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	last := s.post(s.ann, discordtest.Draft{Content: "good morning"})
	for _, text := range []string{"the loom again", "which loom?", "this loom is stuck"} {
		last = s.post(s.bob, discordtest.Draft{Content: text, ReplyTo: last})
	}
	s.start()
	_, m := s.catchesUp(s.ann, "heddle find", map[string]any{"words": "loom"})
	if !strings.Contains(m.Content, "**1 talk**") || !strings.Contains(m.Content, " · 4 messages") || !strings.Contains(m.Content, s.linkTo(last)) {
		t.Errorf("who looks for the loom finds\n%s\nwant one talk of 4 messages", m.Content)
	}
}
