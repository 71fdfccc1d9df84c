package roomtest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/sources"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// Stage has Answers to test, in an Env.
type Stage struct {
	T       *testing.T
	Answers *answer.Answers
	// Conversations and Files are what Answers was made with.
	Conversations *conversation.Preparer
	Files         *conversation.Files

	env *Env
}

// Parts are what Answers of a Stage work with, apart from its Env.
type Parts struct {
	Tools    []tools.Tool // that the model may call
	Observer answer.Observer
	Files    *conversation.Files
	People   sources.People
}

// Settings are how Answers of a Stage are made.
type Settings struct {
	Conversation conversation.Settings
	Answer       answer.Settings
}

// Choice changes what Answers of a Stage work with, and how they are made.
type Choice func(*Parts, *Settings)

// NewStage returns a new Env and a Stage in it, whose model answers what tests queue.
func NewStage(t *testing.T, choices ...Choice) (*Env, *Stage) {
	t.Helper()
	h := New(t)
	files := fetch.NewFiles(h.History, HostOf(h.Discord.CDN()))
	s := &Stage{env: h, T: t, Files: conversation.NewFiles(files, h.Log)}
	s.Answers, s.Conversations = s.make(choices...)
	return h, s
}

// Another returns further Answers on the stage, like those of another process: they share
// its store and nothing that is held in memory of looking up.
func (s *Stage) Another(choices ...Choice) *answer.Answers {
	answers, _ := s.make(choices...)
	return answers
}

// make builds Answers and what prepares for them, as choices change them.
func (s *Stage) make(choices ...Choice) (*answer.Answers, *conversation.Preparer) {
	h := s.env
	with := Parts{Observer: answer.Unobserved{}, Files: s.Files, People: sources.Everybody{}}
	settings := Settings{
		conversation.Settings{Expand: graph.DefaultOptions(), System: "Be kind."},
		answer.Settings{ReuseFor: time.Hour},
	}
	for _, choose := range choices {
		choose(&with, &settings)
	}
	loop := tools.NewLoop(h.Client, with.Tools, nil, tools.Limits{}, nil)
	preparer := conversation.New(conversation.Deps{
		History: h.History, Store: h.Store, Model: h.Client, Tools: loop.Specs(), Typing: h.Outbox.Typing, Files: with.Files, Guilds: h.Guilds, Limits: h.Limits(),
		People: with.People, Writes: h.Writes, Log: h.Log,
	}, settings.Conversation)
	return answer.New(answer.Deps{
		Preparer: preparer, History: h.History, Store: h.Store, Outbox: h.Outbox, Model: h.Client, Loop: loop, Guilds: h.Guilds,
		People: with.People, Writes: h.Writes, Observer: with.Observer,
		Explain: func(error) phrases.Phrase { return phrases.Phrase{ID: "That failed."} }, Flush: discordtest.Patience, Log: h.Log,
	}, settings.Answer), preparer
}

// HostOf returns the host and port of an address.
func HostOf(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	return host
}

// Forget deletes messages of the stage's channel.
func (s *Stage) Forget(messages []graph.MessageID) {
	s.T.Helper()
	_, err := s.env.Store.Deletions.Forget(s.env.Context(), s.Scope(), s.env.Channel, messages)
	s.Must(err)
}

// Must fails the test after an error.
func (s *Stage) Must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Say says something in the stage's channel.
func (s *Stage) Say(author graph.UserID, text string) graph.MessageID {
	s.T.Helper()
	return s.env.Post(author, discordtest.Draft{Content: text})
}

// Thread starts a thread in the channel.
func (s *Stage) Thread(d discordtest.ThreadDraft) graph.ChannelID {
	s.T.Helper()
	d.Name = "aside"
	id := errtest.Must(s.env.Discord.World.AddThread(s.env.Channel, s.env.Ann, d))(s.T)
	s.env.Event("THREAD_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d","parent_id":"%d","type":11}`, id, s.env.Guild, s.env.Channel))
	return id
}

// Scope returns the scope of the stage's channel.
func (s *Stage) Scope() store.Scope { return store.GuildScope(s.env.Guild) }

// Question returns a message of the stage's channel as a question.
func (s *Stage) Question(id graph.MessageID) answer.Job {
	return s.QuestionIn(s.env.Channel, id)
}

// QuestionIn returns a message of a channel as a question.
func (s *Stage) QuestionIn(channel graph.ChannelID, id graph.MessageID) answer.Job {
	return answer.Job{Question: conversation.Question{Guild: s.env.Guild, Channel: channel, ID: id, Place: guilds.Place{Scope: s.Scope()}}}
}

// Reply returns the job of answering a question with a new reply.
func Reply(q answer.Job) answer.Job {
	q.Where, q.Target = outbox.To{Channel: q.Channel, Trigger: q.ID}, &Target{}
	return q
}

// Replace returns the job of answering a question in messages that stand.
func Replace(q answer.Job, over ...graph.MessageID) answer.Job {
	q.Fresh, q.Where, q.Target = true, outbox.To{Channel: q.Channel, Trigger: q.ID, Over: over}, &Target{}
	return q
}

// Prepare prepares a job that can be prepared.
func (s *Stage) Prepare(job answer.Job) *answer.Prepared {
	s.T.Helper()
	return errtest.Must(s.Answers.Prepare(s.env.Context(), job))(s.T)
}

// Give prepares a job and answers it.
func (s *Stage) Give(job answer.Job) answer.Outcome {
	s.T.Helper()
	return errtest.Must(s.Answers.Give(s.env.Context(), s.env.Log, s.Prepare(job)))(s.T)
}

// Ask asks something in the stage's channel, with the model's reply to it, and returns
// the question.
func (s *Stage) Ask(author graph.UserID, text string, replies ...openaitest.Reply) graph.MessageID {
	s.T.Helper()
	return s.AskWith(author, discordtest.Draft{Content: text}, replies...)
}

// AskWith is Ask for a message of any kind.
func (s *Stage) AskWith(author graph.UserID, d discordtest.Draft, replies ...openaitest.Reply) graph.MessageID {
	s.T.Helper()
	s.env.Model.Queue(replies...)
	id := s.env.Post(author, d)
	if outcome := s.Give(Reply(s.Question(id))); outcome != answer.Answered && outcome != answer.Reused {
		s.T.Fatalf("%q came to %q, want %q or %q", d.Content, outcome, answer.Answered, answer.Reused)
	}
	return id
}

// SaidIn returns what heddle's messages in a channel read, oldest first.
func (s *Stage) SaidIn(channel graph.ChannelID) []string {
	var texts []string
	for _, m := range s.env.Discord.Chat.Messages(channel) {
		if m.Author == s.env.Self {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// Last returns the newest message of heddle's in the stage's channel.
func (s *Stage) Last() discordtest.Message {
	s.T.Helper()
	for _, m := range slices.Backward(s.env.Discord.Chat.Messages(s.env.Channel)) {
		if m.Author == s.env.Self {
			return m
		}
	}
	s.T.Fatal("heddle said nothing")
	return discordtest.Message{}
}

// Recorded returns what is recorded of a question's answers, newest first.
func (s *Stage) Recorded(question graph.MessageID) []store.Response {
	s.T.Helper()
	return errtest.Must(s.env.Store.Responses.ByTrigger(s.env.Context(), s.Scope(), question))(s.T)
}

// Record returns what is recorded of a question's one answer.
func (s *Stage) Record(question graph.MessageID) store.Response {
	s.T.Helper()
	all := s.Recorded(question)
	if len(all) != 1 {
		s.T.Fatalf("%d answers to %s are recorded, want 1", len(all), question)
	}
	return all[0]
}

// Asked returns what the model was asked last, message by message: the path, with the
// system prompt first and the question last but one, and the tail.
func (s *Stage) Asked() []string {
	s.T.Helper()
	requests := s.env.Model.Requests()
	if len(requests) == 0 {
		s.T.Fatal("the model was not asked")
	}
	return Texts(requests[len(requests)-1])
}

// Texts returns the texts of a request, message by message.
func Texts(r openaitest.Request) []string {
	all := make([]string, len(r.Chat.Messages))
	for i, m := range r.Chat.Messages {
		all[i] = m.Text()
	}
	return all
}

// CheckSaid fails the test unless heddle's messages in the stage's channel read as
// they should.
func (s *Stage) CheckSaid(want ...string) {
	s.T.Helper()
	if got := s.SaidIn(s.env.Channel); !slices.Equal(got, want) {
		s.T.Errorf("heddle says %q, want %q", got, want)
	}
}

// GiveBy answers a job by other Answers than the stage's.
func (s *Stage) GiveBy(answers *answer.Answers, job answer.Job) answer.Outcome {
	s.T.Helper()
	p := errtest.Must(answers.Prepare(s.env.Context(), job))(s.T)
	return errtest.Must(answers.Give(s.env.Context(), s.env.Log, p))(s.T)
}

// AwaitRequest waits until the model is asked.
func (s *Stage) AwaitRequest() {
	s.T.Helper()
	if _, err := s.env.Model.Await(s.env.Context(), 1); err != nil {
		s.T.Fatalf("the model was not asked: %v", err)
	}
}

// Giving answers a job in a goroutine of its own. The result is its outcome.
func (s *Stage) Giving(answers *answer.Answers, job answer.Job) <-chan answer.Outcome {
	given := make(chan answer.Outcome, 1)
	var answering sync.WaitGroup
	answering.Go(func() {
		p, err := answers.Prepare(s.env.Context(), job)
		if err == nil {
			var outcome answer.Outcome
			if outcome, err = answers.Give(s.env.Context(), s.env.Log, p); err == nil {
				given <- outcome
				return
			}
		}
		given <- answer.Outcome("error: " + err.Error())
	})
	s.T.Cleanup(answering.Wait)
	return given
}

// Aside asks something in a thread of its own, where nothing was said before.
func (s *Stage) Aside(author graph.UserID, text string) answer.Job {
	s.T.Helper()
	thread := s.Thread(discordtest.ThreadDraft{})
	return s.QuestionIn(thread, s.env.PostIn(thread, author, discordtest.Draft{Content: text}))
}
