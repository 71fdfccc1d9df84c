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

// runs has somebody use a command with options, waits until its answer contains want, and
// returns the interaction.
func (c *commands) runs(who graph.UserID, command string, options map[string]any, want string) discordtest.Interaction {
	c.t.Helper()
	c.registered()
	id, err := c.discord.Interactions.Invoke(c.channel, who, c.heddle.User, discordtest.Invocation{Command: command, Options: options})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.shown(id, want)
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

// TestAdminsOverrideWhichMessagesAreChosen previews thresholds, applies them by the button
// and resets them. The choice outlives a restart and is shown by heddle config.
func TestAdminsOverrideWhichMessagesAreChosen(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.admin(s.ann)
	s.environ = append(s.environ, "MIN_LINEAR=2", "MAX_TOTAL=2", "AFFINITY=off", "OVERRIDE_MAX_TOTAL=20")
	for i := range 6 {
		s.post(s.bob, discordtest.Draft{Content: fmt.Sprintf("thread %d", i)})
	}
	s.always(openaitest.Answer("Warp."))
	r := s.start()
	ask := func(question string) string {
		s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention(question)}), "Warp.")
		return lastRead(s.model)
	}
	if asked := ask("what is first?"); strings.Contains(asked, "thread 1") || !strings.Contains(asked, "thread 5") {
		t.Errorf("before, the model reads %s, want no %q in it and %q in it", asked, "thread 1", "thread 5")
	}
	s.runs(s.bob, "heddle context", nil, "at most 2 in all")
	s.runs(s.bob, "heddle context", map[string]any{"most": 12}, "Only people who may manage")
	s.runs(s.ann, "heddle context", map[string]any{"newest": 19, "most": 12}, "from 0 to 12 of the newest")
	s.runs(s.ann, "heddle context", map[string]any{"newest": 1, "most": 1}, "I would read 1 message instead of 2:")
	s.runs(s.ann, "heddle context", map[string]any{"pause": "soon"}, "I don't understand that pause")
	in := s.runs(s.ann, "heddle context", map[string]any{"newest": 6, "most": 12}, "Which messages I would choose")
	for _, want := range []string{"what is first?", "instead of 2", "thread 1"} {
		if !strings.Contains(in.Private[0].Content, want) {
			t.Errorf("the preview lacks %q: %s", want, in.Private[0].Content)
		}
	}
	if asked := ask("and before it is applied?"); strings.Contains(asked, "thread 1") {
		t.Errorf("before it is applied, the model reads %s, want no %q in it", asked, "thread 1")
	}
	s.press(s.ann, in.Private[0], "Apply")
	s.shown(in.ID, "From now on")
	if asked := ask("and now?"); !strings.Contains(asked, "thread 5") || !strings.Contains(asked, "what is first?") {
		t.Errorf("after, the model reads %s, want %q in it and %q in it", asked, "thread 5", "what is first?")
	}
	r.stop()
	<-r.ended
	if shown, _ := s.must(nil, "config"); !strings.Contains(shown, fmt.Sprintf("# server %s, channel %s\nMIN_LINEAR=6\nMAX_TOTAL=12\nTIME_THRESHOLD=auto\n", s.guild, s.channel)) {
		t.Errorf("heddle config shows %s, want the thresholds 6, 12 and auto of the channel at its end", shown[strings.LastIndex(shown, "LOG_FORMAT"):])
	}
	s.start()
	s.runs(s.bob, "heddle context", nil, "at most 12 in all")
	s.runs(s.ann, "heddle context", map[string]any{"newest": 6}, "the same messages")
	s.runs(s.ann, "heddle context", map[string]any{"reset": true}, "at most 2 in all")
}

// TestAForgedOverrideIsCheckedAgain presses made-up buttons.
func TestAForgedOverrideIsCheckedAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.admin(s.ann)
	s.start()
	said := s.post(s.ann, discordtest.Draft{Content: "hello"})
	for id, test := range map[string]struct {
		who  graph.UserID
		want string
	}{
		"heddle:context:channel:5:10:auto":      {s.bob, "Only people who may manage"},
		"heddle:context:channel:5:100000:auto":  {s.ann, "from 1 to 60"},
		"heddle:context:server:x:10:auto":       {s.ann, "of the newest"},
		"heddle:context:channel:5:10:-3m":       {s.ann, "I don't understand that pause"},
		"heddle:context:channel:5:10":           {s.ann, "I don't know this command"},
		"heddle:context:channel:5:10:auto:more": {s.ann, "I don't know this command"},
	} {
		m := s.forge(said, id)
		s.ephemeral(s.press(test.who, m, "x"), test.want)
	}
	s.runs(s.bob, "heddle context", nil, "at most 30 in all")
}

// TestAdminsChooseModelAndPersona has an admin choose both. Nobody else can.
func TestAdminsChooseModelAndPersona(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.admin(s.ann)
	s.environ = append(s.environ, "MODELS=large-model, tiny-model")
	s.always(openaitest.Answer("Weft."))
	r := s.start()
	s.registered()
	typed, err := s.discord.Interactions.Complete(s.channel, s.ann, s.heddle.User, discordtest.Invocation{Command: "heddle model", Options: map[string]any{"model": "LARGE"}}, "model")
	if err != nil {
		t.Fatal(err)
	}
	if in, err := s.discord.Interactions.Await(s.ctx, typed, func(in discordtest.Interaction) bool { return in.Answered != 0 }); err != nil || len(in.Choices) != 1 || in.Choices[0].Value != "large-model" {
		t.Errorf("typing LARGE offers %+v, %v, want one of them, Value %q of the first and no error", in.Choices, err, "large-model")
	}
	s.runs(s.bob, "heddle model", nil, "Here **test-model** answers")
	s.runs(s.bob, "heddle model", map[string]any{"model": "large-model"}, "Only people who may manage")
	s.runs(s.ann, "heddle model", map[string]any{"model": "huge-model"}, "test-model, large-model, tiny-model")
	s.runs(s.ann, "heddle model", map[string]any{"model": "large-model", "where": "server"}, "**large-model** answers")
	s.runs(s.bob, "heddle persona", map[string]any{"text": "I rule"}, "Only people who may manage")
	s.runs(s.ann, "heddle persona", map[string]any{"text": "You are a heron."}, "You are a heron.")
	question := s.post(s.bob, discordtest.Draft{Content: s.mention("who are you?")})
	s.wholeAnswer(question, "Weft.")
	request := s.model.Requests()[0]
	if system := request.Chat.Messages[0].Text(); request.Chat.Model != "large-model" || !strings.Contains(system, "You are a heron.") || !strings.Contains(system, "friendly member") {
		t.Errorf("%s is asked with %q, want %q, %q in it and %q in it", request.Chat.Model, system, "large-model", "You are a heron.", "friendly member")
	}
	s.runs(s.ann, "heddle model", map[string]any{"reset": true, "where": "server"}, "**test-model** answers")
	s.runs(s.ann, "heddle persona", map[string]any{"reset": true}, "no persona")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")}), "Weft.")
	if request := s.model.Requests()[1]; request.Chat.Model != "test-model" || strings.Contains(request.Chat.Messages[0].Text(), "heron") {
		t.Errorf("after the reset %s is asked with %q, want %q and no %q in it", request.Chat.Model, request.Chat.Messages[0].Text(), "test-model", "heron")
	}
	r.stop()
	<-r.ended
	if recorded := s.recorded(question); recorded.Model != "large-model" {
		t.Errorf("the answer is recorded as %s's, want %q", recorded.Model, "large-model")
	}
}

// TestOperatorsPauseHeddle pauses a guild, restarts, and resumes. People are told.
func TestOperatorsPauseHeddle(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.environ = append(s.environ, "OPERATORS="+s.ann.String())
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	s.runs(s.bob, "heddle pause", map[string]any{"what": "pause"}, "Only whoever runs me")
	s.runs(s.bob, "heddle status", nil, "Only whoever runs me")
	s.runs(s.ann, "heddle status", nil, "I answer here")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("anybody?")}), "I am paused for now. Whoever runs me will have me answer again.")
	r.stop()
	<-r.ended
	s.start()
	s.runs(s.ann, "heddle status", nil, "I am paused here")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("still?")}), "I am paused for now. Whoever runs me will have me answer again.")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "pause", "where": "everywhere"}, "nobody anywhere")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "resume"}, "another one still holds")
	s.runs(s.ann, "heddle pause", map[string]any{"what": "resume", "where": "everywhere"}, "I answer again")
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("and now?")}), "Yes.")
	s.askedTimes(1)
}

// TestUsageAndLimitsAreTold has two people ask. Everybody reads what their own answers
// took, and only an admin reads what the server's took.
func TestUsageAndLimitsAreTold(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.admin(s.ann)
	s.environ = append(s.environ, "LLM_PRICES=test-model=1000/500/2000", "LIMIT_PERSON=5 requests/day", "LIMIT_GUILD=1000000 tokens/hour")
	reply := openaitest.Answer("Yes.")
	reply.Usage = &openaitest.Usage{Prompt: 10, Completion: 3}
	s.always(reply)
	r := s.start()
	for _, who := range []graph.UserID{s.bob, s.bob, s.ann} {
		r.settled(s, s.asksAs(who, "well?", "Yes."))
	}
	s.runs(s.bob, "heddle usage", nil, "today (UTC): 2 answers, 20 tokens read (0 of them cached), 6 written, cost 0.0320")
	s.runs(s.ann, "heddle usage", map[string]any{"whose": "server"}, "this month: 3 answers")
	s.runs(s.bob, "heddle usage", map[string]any{"whose": "server"}, "Only people who may manage")
	s.runs(s.ann, "heddle usage", map[string]any{"whose": "everybody"}, "Only whoever runs me")
	s.runs(s.bob, "heddle limits", nil, "- you: 2 of 5 answers today; starts again <t:")
	s.runs(s.bob, "heddle limits", nil, "- this server: ")
}

// asksAs has somebody ask a question that is answered, and returns it.
func (c *commands) asksAs(who graph.UserID, question, want string) graph.MessageID {
	c.t.Helper()
	id := c.post(who, discordtest.Draft{Content: c.mention(question)})
	c.wholeAnswer(id, want)
	return id
}

// TestAQuestionIsAskedByCommand asks in private, in public, and in ways that cannot be
// answered.
func TestAQuestionIsAskedByCommand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.post(s.bob, discordtest.Draft{Content: "the loom is green"})
	s.always(openaitest.Answer("Green."))
	s.start()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour?", "private": true}, "Green.")
	if len(in.Public) != 0 || in.Private[0].Content != "Green." {
		t.Errorf("everybody reads %+v, she reads %+v, want none and Content %q of the first", in.Public, in.Private, "Green.")
	}
	if asked := strings.Join(s.asked(1), "\n"); !strings.Contains(asked, "the loom is green") || !strings.Contains(asked, "which colour?") || !strings.Contains(asked, "ann") {
		t.Errorf("the model reads %s, want %q in it, %q in it and %q in it", asked, "the loom is green", "which colour?", "ann")
	}
	if in = s.runs(s.ann, "heddle ask", map[string]any{"question": "  "}, "I need a question."); len(in.Public) != 0 {
		t.Error("everybody reads that a question is missing")
	}
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour\nis it?"}, "Green.")
	if len(in.Private) != 0 || s.firstOf(in) != "> which colour\n> is it?\nGreen." {
		t.Errorf("everybody reads %+v, she reads %+v, want the question and its answer, and nothing", in.Public, in.Private)
	}
	s.always(openaitest.Answer("Read [this](https://evil.example/a).\n| a | b |\n|---|---|\n| c | d |"))
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "and where?", "private": true}, "Read")
	if got, want := in.Private[0].Content, "Read this (<https://evil.example/a>).\n```\na  b\n-  -\nc  d\n```"; got != want {
		t.Errorf("she reads %q, want %q", got, want)
	}
	s.always(openaitest.Reply{Status: 401})
	s.runs(s.ann, "heddle ask", map[string]any{"question": "and now?"}, "My language model refuses to work with me.")
	s.always(openaitest.Answer(strings.Repeat("long words ", 400)))
	in = s.runs(s.ann, "heddle ask", map[string]any{"question": "at length?", "private": true}, "long words")
	in, err := s.discord.Interactions.Await(s.ctx, in.ID, func(in discordtest.Interaction) bool { return len(in.Private) == 3 })
	if err != nil {
		t.Errorf("a long answer comes in %d parts, want 3: %v", len(in.Private), err)
	}
	s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read")
	s.runs(s.bob, "heddle ask", map[string]any{"question": "me?", "private": true}, "opted out")
}

// TestAnAnswerToACommandIsContinuedByAReply replies to what everybody reads: the model gets
// the question and the answer, and goes on.
func TestAnAnswerToACommandIsContinuedByAReply(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Green."))
	s.start()
	s.registered()
	in := s.runs(s.ann, "heddle ask", map[string]any{"question": "which colour is the loom?"}, "Green.")
	s.chats(40)
	s.always(openaitest.Answer("Quite bright."))
	follow := s.post(s.bob, discordtest.Draft{Content: s.mention("how bright?"), ReplyTo: in.Public[0]})
	s.wholeAnswer(follow, "Quite bright.")
	if asked := strings.Join(s.asked(2), "\n"); !strings.Contains(asked, "assistant: > which colour is the loom?\nGreen.") {
		t.Errorf("the model reads %s, want %q in it", asked, "assistant: > which colour is the loom?\nGreen.")
	}
}

// spare starts a provider that is asked if the model fails.
func (o *operator) spare() *openaitest.Server {
	o.t.Helper()
	spare, err := openaitest.Start(openaitest.Config{})
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = spare.Close() })
	o.environ = append(o.environ, "LLM_FALLBACK_1=spare-model "+spare.URL()+" sk-spare")
	return spare
}

// TestTheNextProviderAnswersIfOneFails has the model fail and a fallback answer.
func TestTheNextProviderAnswersIfOneFails(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	spare := s.spare()
	spare.Queue(openaitest.Answer("I stand in."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("anybody?")})
	s.wholeAnswer(question, "I stand in.")
	r.settled(s, question)
	r.stop()
	<-r.ended
	if recorded := s.recorded(question); recorded.Model != "spare-model" {
		t.Errorf("the answer is recorded as %s's, want %q", recorded.Model, "spare-model")
	}
	if !strings.Contains(r.logs.String(), "a model failed, the next is asked") || strings.Contains(r.logs.String(), "sk-spare") {
		t.Error("the log does not tell of it, or tells the key")
	}
}

// TestMacrosStandInTheRootOrInTheTail has a system prompt with macros. Those whose values
// change from question to question are told in the tail.
func TestMacrosStandInTheRootOrInTheTail(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.channel = s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "looms", Topic: "All about\nlooms"})
	s.environ = append(s.environ, "SYSTEM_PROMPT=You sit in {channel} of {guild} ({topic}) on {date} with {members}.")
	s.always(openaitest.Answer("Yes."))
	s.start()
	s.asksAs(s.bob, "first?", "Yes.")
	s.asksAs(s.ann, "second?", "Yes.")
	var roots []string
	for _, request := range s.model.Requests() {
		roots = append(roots, request.Chat.Messages[0].Text())
	}
	if !strings.Contains(roots[0], "You sit in looms of weavers (All about looms) on the day that is named at the end with the people who are named at the end.") || roots[0] != roots[1] {
		t.Errorf("the roots are %q, want equal ones", roots)
	}
	if tail := s.tail(2); !strings.Contains(tail, "Taking part: bob, ann.") || !strings.Contains(tail, time.Now().UTC().Format("2006")) {
		t.Errorf("the tail is %q, want %q in it and %q in it", tail, "Taking part: bob, ann.", time.Now().UTC().Format("2006"))
	}
}
