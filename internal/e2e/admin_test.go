package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// runs has somebody use a command with options, waits until its answer contains want, and
// returns the interaction.
func (c *commands) runs(who graph.UserID, command string, options map[string]any, want string) discordtest.Interaction {
	c.t.Helper()
	return c.shown(c.invoke(c.channel, who, discordtest.Invocation{Command: command, Options: options}), want)
}

// shown waits until the answer to an interaction contains a text.
func (c *commands) shown(id discordtest.InteractionID, want string) discordtest.Interaction {
	c.t.Helper()
	in, err := c.discord.Interactions.Await(c.ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Public) > 0 || len(in.Private) > 0 && in.Private[0].Content != "" && strings.Contains(in.Private[0].Content, want)
	})
	if err == nil && len(in.Public) > 0 {
		_, err = c.discord.Chat.AwaitMessage(c.ctx, c.channel, func(m discordtest.Message) bool {
			return m.ID == in.Public[0] && strings.Contains(m.Content, want)
		})
	}
	if err != nil {
		c.t.Fatalf("the answer to a command is %q, want %q in it: %v", c.firstOf(in), want, err)
	}
	return in
}

// firstOf returns the first message that answers an interaction.
func (s *screen) firstOf(in discordtest.Interaction) string {
	switch {
	case len(in.Private) > 0:
		return in.Private[0].Content
	case len(in.Public) > 0:
		m, _ := s.discord.Chat.Message(s.channel, in.Public[0])
		return m.Content
	}
	return ""
}

// admin grants somebody a role that manages the guild.
func (p *people) admin(who graph.UserID) {
	p.t.Helper()
	p.discord.People.GrantRole(p.guild, who, p.discord.World.AddRole(p.guild, "admins", discordtest.Permission(1<<5), false))
}

// lastRead returns the messages of the last request to the model, one a line.
func lastRead(model *openaitest.Server) string {
	requests := model.Requests()
	var read []string
	for _, m := range requests[len(requests)-1].Chat.Messages {
		read = append(read, m.Text())
	}
	return strings.Join(read, "\n")
}

// TestAdminsOverrideWhichMessagesAreChosen applies thresholds and resets them. The choice outlives a restart and is shown by heddle config.
func TestAdminsOverrideWhichMessagesAreChosen(t *testing.T) {
	s := newScene(t)
	s.admin(s.ann)
	s.environ = append(s.environ, "MIN_LINEAR=2", "MAX_TOTAL=2", "AFFINITY=off")
	for i := range 6 {
		s.post(s.bob, discordtest.Draft{Content: fmt.Sprintf("thread %d", i)})
	}
	s.always(openaitest.Answer("Warp."))
	r := s.start()
	ask := func(question string) string {
		s.asksAs(s.bob, question, "Warp.")
		return lastRead(s.model)
	}
	before := ask("what is first?")
	s.contains(before, "thread 5")
	s.lacks(before, "thread 1")
	s.runs(s.bob, "heddle context", nil, "at most 2 in all")
	s.runs(s.bob, "heddle context", map[string]any{"most": 12}, "Only people who manage")
	s.runs(s.ann, "heddle context", map[string]any{"newest": 19, "most": 12}, "from 0 to 12 of the newest")
	s.runs(s.ann, "heddle context", map[string]any{"pause": "soon"}, "I don't understand that pause")
	s.runs(s.ann, "heddle context", map[string]any{"pause": "1h30m"}, "a pause between two talks: 90 minutes")
	s.runs(s.ann, "heddle context", map[string]any{"newest": 6, "most": 12, "pause": "auto"}, "From now on")
	s.contains(ask("and now?"), "thread 5", "what is first?")
	r.end()
	s.contains(s.prints(nil, "config"), fmt.Sprintf("# server %s, channel %s\nMIN_LINEAR=6\nMAX_TOTAL=12\nTIME_THRESHOLD=auto\n", s.guild, s.channel))
	s.start()
	s.runs(s.bob, "heddle context", nil, "at most 12 in all")
	s.runs(s.ann, "heddle context", map[string]any{"reset": true}, "at most 2 in all")
}

// TestAdminsChooseModelAndPersona has an admin choose both. Nobody else can.
func TestAdminsChooseModelAndPersona(t *testing.T) {
	s := newScene(t)
	s.admin(s.ann)
	s.always(openaitest.Answer("Weft."))
	r := s.start("MODELS=large-model, tiny-model")
	s.registered()
	s.runs(s.bob, "heddle model", nil, "Here **test-model** answers")
	s.runs(s.bob, "heddle model", map[string]any{"model": "large-model"}, "Only people who manage")
	s.runs(s.ann, "heddle model", map[string]any{"model": "large-model", "where": "server"}, "**large-model** answers")
	s.runs(s.bob, "heddle persona", map[string]any{"text": "I rule"}, "Only people who manage")
	s.runs(s.ann, "heddle persona", map[string]any{"text": "You are a heron."}, "You are a heron.")
	question := s.asksAs(s.bob, "who are you?", "Weft.")
	chosen := s.request(1).Chat
	s.same("the model that is asked", chosen.Model, "large-model")
	s.contains(chosen.Messages[0].Text(), "You are a heron.", "friendly member")
	s.runs(s.ann, "heddle model", map[string]any{"reset": true, "where": "server"}, "**test-model** answers")
	s.runs(s.ann, "heddle persona", map[string]any{"reset": true}, "no persona")
	s.asksAs(s.bob, "and now?", "Weft.")
	usual := s.request(2).Chat
	s.same("the model that is asked after the reset", usual.Model, "test-model")
	s.lacks(usual.Messages[0].Text(), "heron")
	r.end()
	s.same("the model that is recorded", s.recorded(question).Model, "large-model")
}

// TestEverythingInACommandIsDescribed looks for the name of a phrase that no language has in
// what is registered, and at how the models are described.
func TestEverythingInACommandIsDescribed(t *testing.T) {
	s := newScene(t)
	s.start("MODELS=large-model, odd-model", "LLM_PRICES=test-model=0.4/0.1/1.6, large-model=2/0.5/8 EUR")
	s.registered()
	models := map[string]string{}
	var described func(options []discordtest.CommandOption)
	described = func(options []discordtest.CommandOption) {
		for _, o := range options {
			for _, choice := range o.Choices {
				if o.Name == "model" {
					models[choice.Name] = choice.Names["de"]
				} else {
					o.Description += choice.Name
				}
			}
			if strings.Contains(o.Description, "_") || o.Description == "" || o.Descriptions["de"] == "" {
				t.Errorf("%s is described as %q, want words", o.Name, o.Description)
			}
			described(o.Options)
		}
	}
	described(s.discord.People.Commands(s.heddle.User)[0].Options)
	s.same("the models", models, map[string]string{
		"test-model – per million tokens 0.40 EUR read, 1.60 EUR written, the default": "test-model – je Million Token 0,40 EUR gelesen, 1,60 EUR geschrieben, die Voreinstellung",
		"large-model – per million tokens 2.00 EUR read, 8.00 EUR written":             "large-model – je Million Token 2,00 EUR gelesen, 8,00 EUR geschrieben",
		"odd-model": "odd-model",
	})
}

// TestAdminsLearnWhatKeepsHeddleFromAnswering checks a channel in which all is well, and one
// in which nothing is.
func TestAdminsLearnWhatKeepsHeddleFromAnswering(t *testing.T) {
	s := newScene(t)
	s.admin(s.ann)
	s.environ = append(s.environ, "OPERATORS="+s.ann.String())
	r := s.start()
	s.registered()
	s.runs(s.bob, "heddle check", nil, "Only people who manage")
	s.runs(s.ann, "heddle check", nil, "Nothing keeps me from answering here")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "")
	s.denies(s.channel, discordtest.SendMessages|discordtest.ReadMessageHistory)
	r.end()
	s.start("BLOCK="+s.channel.String(), "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "MCP_SERVERS=docs: http://127.0.0.1:1/mcp")
	told := s.firstOf(s.runs(s.ann, "heddle check", nil, "What should be changed here"))
	s.contains(told,
		"I lack the permissions Send Messages, Read Message History. I need them to answer, to read what was said before.",
		"in the settings of <#"+s.channel.String()+">", "&guild_id="+s.guild.String(), "`ALLOW_PLACES` and `BLOCK`",
		"I am paused here", "test-model, cannot be reached", "tool servers are away, so I answer without them: docs",
	)
}

// TestOperatorsPauseHeddle pauses a guild, restarts, and resumes. People are told.
func TestOperatorsPauseHeddle(t *testing.T) {
	s := newScene(t)
	s.environ = append(s.environ, "OPERATORS="+s.ann.String())
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	s.runs(s.bob, "heddle pause", map[string]any{"what": "pause"}, "Only whoever runs me")
	s.runs(s.bob, "heddle status", nil, "Only whoever runs me")
	s.runs(s.ann, "heddle status", nil, "I answer here")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
	s.asksAs(s.bob, "anybody?", "I am paused for now. Whoever runs me will have me answer again.")
	r.end()
	s.start()
	s.runs(s.ann, "heddle status", nil, "I am paused here")
	s.wholeAnswer(s.ask(s.bob, "still?"), "I am paused for now. Whoever runs me will have me answer again.")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "pause", "where": "everywhere"}, "nobody anywhere")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "resume"}, "another one still holds")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "resume", "where": "everywhere"}, "I answer again")
	s.wholeAnswer(s.ask(s.bob, "and now?"), "Yes.")
	s.askedTimes(1)
}

// TestUsageAndLimitsAreTold has two people ask. Everybody reads what their own answers
// took, and only an admin reads what the server's took.
func TestUsageAndLimitsAreTold(t *testing.T) {
	s := newScene(t)
	s.admin(s.ann)
	reply := openaitest.Answer("Yes.")
	reply.Usage = &openaitest.Usage{Prompt: 10, Completion: 3}
	s.always(reply)
	r := s.start("LLM_PRICES=test-model=1000/500/2000 USD", "LIMIT_PERSON=5 requests/day", "LIMIT_SHARED=server: 1000000 tokens/hour")
	for _, who := range []graph.UserID{s.bob, s.bob, s.ann} {
		r.settled(s, s.asksAs(who, "well?", "Yes."))
	}
	cyd := s.discord.People.AddUser("cyd", s.guild)
	s.always(openaitest.Reply{Chunks: reply.Chunks, FinishReason: reply.FinishReason}) // without usage
	r.settled(s, s.asksAs(cyd, "well?", "Yes."))
	s.runs(cyd, "heddle usage", nil, "today (UTC): 1 answer, tokens not reported by the provider\n")
	s.runs(s.bob, "heddle usage", nil, "today (UTC): 2 answers, 20 tokens read (0 of them cached), 6 written, cost 0.032 USD\n")
	s.runs(s.ann, "heddle usage", map[string]any{"whose": "servers"}, "this month: 4 answers")
	s.runs(s.bob, "heddle usage", map[string]any{"whose": "servers"}, "Only people who manage")
	s.runs(s.ann, "heddle usage", map[string]any{"whose": "everybody"}, "Only whoever runs me")
	s.runs(s.bob, "heddle limits", nil, "- you: 2 of 5 answers today; starts again <t:")
	s.runs(s.bob, "heddle limits", nil, "- this server: ")
}

// asksAs has somebody ask a question that is answered, and returns it.
func (c *commands) asksAs(who graph.UserID, question, want string) graph.MessageID {
	c.t.Helper()
	id := c.ask(who, question)
	c.wholeAnswer(id, want)
	return id
}

// TestAQuestionIsAskedByCommand asks in private, in public, and in ways that cannot be
// answered.
func TestAQuestionIsAskedByCommand(t *testing.T) {
	s := newScene(t)
	s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	s.same("what everybody reads", len(in.Public), 0)
	s.same("what she reads", in.Private[0].Content, "Green.")
	s.contains(s.conversation(1), "the loom is green", "which colour?", "ann")
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "  "}, "I need a question.")
	s.same("what everybody reads of a question that is missing", len(in.Public), 0)
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour\nis it?"}, "Green.")
	s.same("what she alone reads", len(in.Private), 0)
	s.same("what everybody reads", s.firstOf(in), "> which colour\n> is it?\nGreen.")
	s.always(openaitest.Answer("Read [this](https://evil.example/a).\n| a | b |\n|---|---|\n| c | d |"))
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "and where?", "private": true}, "Read")
	s.same("what she reads", in.Private[0].Content, "Read this (<https://evil.example/a>).\n- **c** – b: d")
	s.always(openaitest.Reply{Status: 401})
	s.runs(s.ann, "heddle ask", map[string]any{"question": "and now?"}, "My language model refuses to work with me.")
	s.always(openaitest.Answer(strings.Repeat("long words ", 400)))
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "at length?", "private": true}, "long words")
	s.responded(in.ID, "three parts", func(in discordtest.Interaction) bool { return len(in.Private) == 3 })
	s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read")
	s.runs(s.bob, "heddle ask", map[string]any{"question": "me?", "private": true}, "opted out")
}

// another starts a provider.
func (o *operator) another() *openaitest.Server {
	o.t.Helper()
	provider := errtest.Must(openaitest.Start(openaitest.Config{}))(o.t)
	o.t.Cleanup(func() { _ = provider.Close() })
	return provider
}

// TestMacrosStandInTheRootOrInTheTail has a system prompt from a file, with macros. Those whose
// values change from question to question are told in the tail.
func TestMacrosStandInTheRootOrInTheTail(t *testing.T) {
	s := newScene(t)
	s.channel = s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "looms", Topic: "All about\nlooms"})
	prompt := s.file("prompt.txt")
	s.write(prompt, "You sit in {channel} of {guild} ({topic}) on {date} with {members}.\n")
	s.always(openaitest.Answer("Yes."))
	s.start("SYSTEM_PROMPT_FILE=" + prompt)
	s.asksAs(s.bob, "first?", "Yes.")
	s.asksAs(s.ann, "second?", "Yes.")
	root := s.request(1).Chat.Messages[0].Text()
	s.contains(root, "You sit in looms of weavers (All about looms) on the day that is named before the last message with the people who are named before the last message.\n", "How to read:", "||spoilers||")
	s.same("the next root", s.request(2).Chat.Messages[0].Text(), root)
	s.contains(s.tail(2), "Taking part: bob, ann.", time.Now().UTC().Format("2006"))
}

// TestAllThatIsChargedIsTold has the model and its helpers asked for everything that heddle
// asks them for, and compares what is charged to limits with what people are told.
func TestAllThatIsChargedIsTold(t *testing.T) {
	s, _ := newTalks(t)
	s.start("OPERATORS="+s.ann.String(), "LIMIT_SHARED=all: 10000000 tokens/day", "CONFIDENCE=ask", "LLM_PRICES=test-model=1000/500/2000")
	s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	describes := *s.script.Load()
	helped := false
	s.scripted(func(r openaitest.Request) *openaitest.Reply {
		if reply := describes(r); len(r.Chat.Tools) == 0 {
			return reply
		}
		reply := openaitest.Answer("It is well.")
		if !helped {
			helped = true
			reply = openaitest.Call(openaitest.ToolCall{ID: "1", Name: "ask_subagent", Arguments: `{"task":"think"}`})
		}
		return &reply
	})
	s.asksAs(s.bob, "is the printer well?", "It is well.")
	s.catchesUp(s.ann, "heddle find", map[string]any{"words": "toner for printers"})
	_, err := s.model.Await(s.ctx, 5) // for a catch-up, an answer with a helper, and its certainty
	s.ok(err)
	var charged, told int
	for s.ctx.Err() == nil { // what was spent is written while nobody waits
		charged = s.numbers(`everybody together: (\d+) of`, "heddle limits", nil)
		told = s.numbers(`today[^,]*, (\d+) tokens read.*?(\d+) written`, "heddle usage", map[string]any{"whose": "everybody"})
		if charged == told && charged > 0 {
			return
		}
	}
	t.Errorf("%d tokens are charged, and %d are told, want the same", charged, told)
}

// numbers has Ann run a command, and returns the sum of the numbers that match in what she
// reads.
func (c *commands) numbers(pattern, command string, options map[string]any) (sum int) {
	c.t.Helper()
	said := c.runs(c.ann, command, options, "").Private[0].Content
	found := regexp.MustCompile(pattern).FindStringSubmatch(said)
	if found == nil {
		c.t.Fatalf("the usage reads %q, want %s in it", said, pattern)
	}
	for _, number := range found[1:] {
		n, _ := strconv.Atoi(number)
		sum += n
	}
	return sum
}
