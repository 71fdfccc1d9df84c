package e2e_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// registered waits until Discord knows heddle's commands.
func (c *commands) registered() {
	c.t.Helper()
	if _, err := c.discord.Record.AwaitRequest(c.ctx, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteSetCommands && r.Status == 200
	}); err != nil {
		c.t.Fatalf("the commands are registered: %v", err)
	}
}

// uses has bob use a command of heddle's in a channel, and returns the ephemeral answer.
func (c *commands) uses(channel graph.ChannelID, command string) string {
	c.t.Helper()
	c.registered()
	id, err := c.discord.Interactions.Invoke(channel, c.bob, c.heddle.User, discordtest.Invocation{Command: command})
	if err != nil {
		c.t.Fatal(err)
	}
	in, err := c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool { return len(in.Private) > 0 && in.Private[0].Content != "" })
	if err != nil {
		c.t.Fatalf("/%s is not answered, want an answer: %v", command, err)
	}
	if len(in.Public) > 0 {
		c.t.Errorf("everybody reads the answer to /%s, want only the person who used it to", command)
	}
	return in.Private[0].Content
}

func TestCommandsAnswerInTheLanguageOfWhoeverUsesThem(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "CONTACT=ann, at the loom", "CACHE_TTL=24h")
	s.start()
	for locale, want := range map[string][2]string{
		"en-US":  {"I part the threads", "for 1 day after"},
		"en-GB":  {"I part the threads", "test-model"},
		"de":     {"Ich entwirre", "bis 1 Tag nach"},
		"es-419": {"Separo las conversaciones", "hasta 1 día después"},
		"es-ES":  {"Separo las conversaciones", "hasta 1 día después"},
		"ja":     {"話題ごとに", "1日間保存"},
		"fi":     {"I part the threads", "ann, at the loom"},
	} {
		s.discord.People.SetLocale(s.bob, locale)
		if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, want[0]) || strings.Count(got, "\n") >= 10 {
			t.Errorf("in %s help reads %q, want %q in at most ten lines", locale, got, want[0])
		}
		if got := s.uses(s.channel, "heddle privacy"); !strings.Contains(got, want[1]) {
			t.Errorf("in %s privacy reads %q, want %q in it", locale, got, want[1])
		}
	}
	s.discord.People.SetLocale(s.bob, "fi")
	s.discord.World.SetGuildLocale(s.guild, "de")
	if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, "Ich entwirre") {
		t.Errorf("where the guild speaks German help reads %q, want %q in it", got, "Ich entwirre")
	}
}

// TestPrivacyNamesEveryProvider asks with and without a provider of vectors.
func TestPrivacyNamesEveryProvider(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.start()
	if got := s.uses(s.channel, "heddle privacy"); strings.Contains(got, "To find talks by what they mean") {
		t.Errorf("without a provider of vectors privacy reads %q, want no %q in it", got, "To find talks by what they mean")
	}
	r.end()
	s.start("EMBEDDING_MODEL=test-embedding", "EMBEDDING_BASE_URL=http://vectors.example/v1")
	if got := s.uses(s.channel, "heddle privacy"); !strings.Contains(got, "vectors.example (model test-embedding)") || !strings.Contains(got, "(model test-model)") {
		t.Errorf("privacy reads %q, want %q in it and %q in it", got, "vectors.example (model test-embedding)", "(model test-model)")
	}
}

func TestCommandsAreRegisteredWhenTheyChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	first := s.start()
	s.uses(s.channel, "heddle help")
	first.stop()
	<-first.ended
	second := s.start()
	if _, err := s.discord.Record.AwaitRequests(s.ctx, 2, func(r discordtest.Request) bool {
		return r.Route == discordtest.RouteCommands && r.Status == 200
	}); err != nil {
		t.Fatalf("the second start reads the commands: %v", err)
	}
	s.uses(s.channel, "heddle help")
	second.stop()
	<-second.ended
	sets := s.discord.Record.Requests(func(r discordtest.Request) bool { return r.Route == discordtest.RouteSetCommands })
	if len(sets) != 1 {
		t.Errorf("the commands were registered %d times, want once", len(sets))
	}
}

// shows has bob ask why a message says what it says, and returns the interaction.
func (c *commands) shows(channel graph.ChannelID, message graph.MessageID) discordtest.InteractionID {
	c.t.Helper()
	c.uses(channel, "heddle help") // this waits until the commands are registered
	id, err := c.discord.Interactions.Invoke(channel, c.bob, c.heddle.User, discordtest.Invocation{Command: "Show context", Target: message})
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

// privately waits until the ephemeral answer to bob contains a text, and returns the
// whole answer.
func (c *commands) privately(id discordtest.InteractionID, want string) discordtest.Message {
	c.t.Helper()
	in, err := c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && in.Private[0].Content != "" && strings.Contains(in.Private[0].Content, want)
	})
	if err != nil {
		c.t.Fatalf("want bob to read %q: %v; he reads %+v", want, err, in.Private)
	}
	return in.Private[0]
}

// TestAnAnswerShowsItsContext asks below a talk, and then what the answer was made from.
// A message that is deleted later is not shown.
func TestAnAnswerShowsItsContext(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	first := s.post(s.ann, discordtest.Draft{Content: "the loom *is* stuck"})
	second := s.post(s.bob, discordtest.Draft{Content: "which [loom](https://example.com)?", ReplyTo: first})
	s.always(openaitest.Answer("The large one."))
	r := s.start()
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("what did ann mean?"), ReplyTo: second})
	answer := s.answer(s.channel, question, "The large one.")
	r.settled(s, question)
	shown := s.privately(s.shows(s.channel, answer.ID), "made from").Content
	for _, want := range []string{
		"the loom is stuck", "which loom?", "bob replies to it", "the question replies to it", "test-model",
		fmt.Sprintf("https://discord.com/channels/%s/%s/%s", s.guild, s.channel, first),
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, shown)
		}
	}
	s.discord.People.SetLocale(s.bob, "de")
	s.privately(s.shows(s.channel, answer.ID), "bob antwortet darauf")
	s.discord.Chat.Delete(s.channel, first)
	shown = s.privately(s.shows(s.channel, answer.ID), "").Content
	if strings.Contains(shown, "stuck") {
		t.Errorf("a deleted message is shown:\n%s\nwant no %q in it", shown, "stuck")
	}
}

// TestAMessageShowsWhatItWouldBeAnsweredFrom explains a message that nobody asked heddle
// about.
func TestAMessageShowsWhatItWouldBeAnsweredFrom(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	first := s.post(s.ann, discordtest.Draft{Content: "the loom is stuck"})
	second := s.post(s.bob, discordtest.Draft{Content: "oil it", ReplyTo: first})
	s.start()
	shown := s.privately(s.shows(s.channel, second), "would answer this from").Content
	if !strings.Contains(shown, "the loom is stuck\n-# the question replies to it") || strings.Contains(shown, "tokens") {
		t.Errorf("the explanation reads\n%s\nwant %q in it and no %q in it", shown, "the loom is stuck\n-# the question replies to it", "tokens")
	}
	if alone := s.privately(s.shows(s.channel, first), "would answer this from").Content; !strings.Contains(alone, "question alone") {
		t.Errorf("the explanation of the first message reads\n%s\nwant %q in it", alone, "question alone")
	}
}

// TestALongContextHasPages turns to the second page and back, also after a restart.
func TestALongContextHasPages(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	var last graph.MessageID
	for i := range 25 {
		last = s.post(s.ann, discordtest.Draft{Content: fmt.Sprintf("step %d of the long way to thread a loom with four shafts", i), ReplyTo: last})
	}
	s.always(openaitest.Answer("Done."))
	first := s.start()
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("are we there?"), ReplyTo: last})
	answer := s.answer(s.channel, question, "Done.")
	first.settled(s, question)
	id := s.shows(s.channel, answer.ID)
	page := s.privately(id, "step 0 of")
	first.stop()
	<-first.ended
	s.start()
	press := func(label string) {
		for _, b := range page.Buttons() {
			if b.Label == label {
				if _, err := s.discord.Interactions.Press(s.channel, page.ID, s.bob, b.CustomID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	press("▶")
	page = s.privately(id, "step 12 of")
	press("◀")
	page = s.privately(id, "step 0 of")
	if _, err := s.discord.Interactions.Press(s.channel, page.ID, s.ann, page.Buttons()[2].CustomID); !errors.Is(err, discordtest.ErrPress) {
		t.Errorf("somebody else turns the page: %v, want %v", err, discordtest.ErrPress)
	}
}

// TestAContextShowsWhatWhoeverAsksMayRead answers in a thread of a channel that is closed
// to bob later on.
func TestAContextShowsWhatWhoeverAsksMayRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	secret := s.post(s.ann, discordtest.Draft{Content: "the key is under the mat"})
	s.always(openaitest.Answer("Under the mat."))
	r := s.start()
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("where is the key?"), ReplyTo: secret})
	answer := s.answer(s.channel, question, "Under the mat.")
	r.settled(s, question)
	s.privately(s.shows(s.channel, answer.ID), "under the mat")
	s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.bob, Deny: discordtest.ReadMessageHistory})
	id := s.shows(s.channel, answer.ID)
	if shown := s.privately(id, "").Content; strings.Contains(shown, "mat") {
		t.Errorf("bob is shown what he may not read:\n%s\nwant no %q in it", shown, "mat")
	}
}

// TestPeopleOptOutByACommand has bob opt out and in again.
func TestPeopleOptOutByACommand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Hello."))
	s.start()
	if got := s.uses(s.channel, "heddle forget-me"); !strings.Contains(got, "I have erased") {
		t.Errorf("bob is told %q, want %q in it", got, "I have erased")
	}
	refused := s.post(s.bob, discordtest.Draft{Content: s.mention("anybody there?")})
	s.answer(s.channel, refused, "You opted out")
	if got := s.uses(s.channel, "heddle opt-in"); !strings.Contains(got, "From now on I read") {
		t.Errorf("bob is told %q, want %q in it", got, "From now on I read")
	}
	asked := s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")})
	s.answer(s.channel, asked, "Hello.")
	if got := s.uses(s.channel, "heddle opt-out"); !strings.Contains(got, "I don't read what you write") {
		t.Errorf("bob is told %q, want %q in it", got, "I don't read what you write")
	}
}

// TestWhoIsNotAnsweredIsShownNoContext blocks bob. He can still use /heddle privacy.
func TestWhoIsNotAnsweredIsShownNoContext(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.environ = append(s.environ, "BLOCK_USERS="+s.bob.String())
	first := s.post(s.ann, discordtest.Draft{Content: "the loom is stuck"})
	s.start()
	if shown := s.privately(s.shows(s.channel, first), "").Content; !strings.Contains(shown, "I may not answer you here.") {
		t.Errorf("bob is shown\n%s\nwant %q in it", shown, "I may not answer you here.")
	}
	if got := s.uses(s.channel, "heddle privacy"); !strings.Contains(got, "What I keep") {
		t.Errorf("bob is told %q, want %q in it", got, "What I keep")
	}
}
