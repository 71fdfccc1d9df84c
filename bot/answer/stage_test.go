package answer_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/attachments"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/leaktest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
	"heddle/store"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// stage is a house and Answers that work in it.
type stage struct {
	*roomtest.House

	t       *testing.T
	ctx     context.Context //nolint:containedctx // a test's own, for every wait of it
	answers *answer.Answers
	// preparer and files are what answers was made with.
	preparer *conversation.Preparer
	files    *attachments.Reader
}

// setup is what Answers of a stage are made from.
type setup struct {
	answer.Deps

	Files   *attachments.Reader
	People  conversation.People
	History conversation.History
	from    conversation.Settings
	answer  answer.Settings
}

// choice changes what a stage's Answers are made from.
type choice func(*setup)

// newStage returns a stage whose model answers what tests queue.
func newStage(t *testing.T, choices ...choice) *stage {
	t.Helper()
	h := roomtest.New(t)
	files := fetch.NewFiles(h.History, fetch.FilesOptions{Hosts: []string{hostOf(h.Discord.CDN())}})
	s := &stage{House: h, t: t, ctx: h.Context(), files: attachments.NewReader(files, h.Log)}
	s.answers, s.preparer = s.make(choices...)
	return s
}

// another returns further Answers on the stage, like those of another process: they share
// its store and nothing that is held in memory of looking up.
func (s *stage) another(choices ...choice) *answer.Answers {
	answers, _ := s.make(choices...)
	return answers
}

func (s *stage) make(choices ...choice) (*answer.Answers, *conversation.Preparer) {
	c := setup{
		Deps: answer.Deps{
			History: s.History, Store: s.Store, Outbox: s.Outbox, Model: s.Client, Guilds: s.Members(), Leases: s.Leases, Writes: s.Writes,
			Observer: answer.Unobserved{}, Explain: func(error) phrases.Phrase { return phrases.Phrase{ID: "That failed."} },
			Flush: discordtest.Patience, Log: s.Log,
		},
		Files: s.files, People: conversation.Everybody{}, History: s.History,
		from:   conversation.Settings{Expand: graph.DefaultOptions(), System: "Be kind.", Vision: llm.VisionNo},
		answer: answer.Settings{ReuseFor: time.Hour},
	}
	for _, choose := range choices {
		choose(&c)
	}
	if c.Loop == nil {
		c.Loop = tools.NewLoop(c.Model, nil, tools.Limits{}, nil)
	}
	c.Deps.People = c.People
	c.Preparer = conversation.New(conversation.Deps{
		History: c.History, Store: c.Store, Model: s.Client, Tools: c.Loop, Typing: c.Outbox, Files: c.Files, Guilds: s.Members(),
		People: c.People, Leases: c.Leases, Writes: c.Writes, Log: c.Log,
	}, c.from)
	return answer.New(c.Deps, c.answer), c.Preparer
}

// hostOf returns the host and port of an address.
func hostOf(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	return host
}

// forget deletes messages of the stage's channel.
func (s *stage) forget(messages []graph.MessageID) {
	s.t.Helper()
	_, err := s.Store.Deletions.Forget(s.ctx, s.scope(), s.Channel, messages)
	s.must(err)
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// say says something in the stage's channel.
func (s *stage) say(author graph.UserID, text string) graph.MessageID {
	s.t.Helper()
	return s.Post(author, discordtest.Draft{Content: text})
}

// thread starts a thread in the channel.
func (s *stage) thread(d discordtest.ThreadDraft) graph.ChannelID {
	s.t.Helper()
	d.Name = "aside"
	id, err := s.Discord.World.AddThread(s.Channel, s.Ann, d)
	s.must(err)
	s.Event("THREAD_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d","parent_id":"%d","type":11}`, id, s.Guild, s.Channel))
	return id
}

func (s *stage) scope() store.Scope { return store.GuildScope(s.Guild) }

// question returns a message of the stage's channel as a question.
func (s *stage) question(id graph.MessageID) answer.Question { return s.questionIn(s.Channel, id) }

func (s *stage) questionIn(channel graph.ChannelID, id graph.MessageID) answer.Question {
	return answer.Question{Question: conversation.Question{Guild: s.Guild, Channel: channel, ID: id, Place: guilds.Place{Scope: s.scope()}}}
}

// reply returns the job of answering a question with a new reply.
func reply(q answer.Question) answer.Job {
	return answer.Job{Question: q, Target: &target{to: outbox.To{Channel: q.Channel, Trigger: q.ID}}}
}

// replace returns the job of answering a question in messages that stand.
func replace(q answer.Question, over ...graph.MessageID) answer.Job {
	return answer.Job{Question: q, Fresh: true, Target: &target{to: outbox.To{Channel: q.Channel, Trigger: q.ID, Over: over}}}
}

// target is a Target that remembers what it was told.
type target struct {
	to       outbox.To
	made     []store.Response
	told     []string
	restored int
}

func (r *target) To() outbox.To { return r.to }

func (r *target) Final(_ context.Context, _ *slog.Logger, made *store.Response, notice string) outbox.Final {
	r.made = append(r.made, *made)
	return outbox.Final{Notice: notice}
}

func (r *target) Tell(_ context.Context, said phrases.Phrase) {
	r.told = append(r.told, phrases.In().Say(said))
}

func (*target) Growing(context.Context, graph.UserID) (outbox.Rows, <-chan struct{}, func()) {
	return nil, nil, func() {}
}

func (r *target) Restore(context.Context, *slog.Logger) error {
	r.restored++
	return nil
}

// prepare prepares a job that can be prepared.
func (s *stage) prepare(job answer.Job) *answer.Prepared {
	s.t.Helper()
	p, err := s.answers.Prepare(s.ctx, job)
	s.must(err)
	return p
}

// give prepares a job and answers it.
func (s *stage) give(job answer.Job) answer.Outcome {
	s.t.Helper()
	outcome, err := s.answers.Give(s.ctx, s.Log, s.prepare(job))
	s.must(err)
	return outcome
}

// ask asks something in the stage's channel, with the model's reply to it, and returns
// the question.
func (s *stage) ask(author graph.UserID, text string, replies ...openaitest.Reply) graph.MessageID {
	s.t.Helper()
	return s.askWith(author, discordtest.Draft{Content: text}, replies...)
}

func (s *stage) askWith(author graph.UserID, d discordtest.Draft, replies ...openaitest.Reply) graph.MessageID {
	s.t.Helper()
	s.Model.Queue(replies...)
	id := s.Post(author, d)
	if outcome := s.give(reply(s.question(id))); outcome != answer.Answered && outcome != answer.Reused {
		s.t.Fatalf("%q came to %q", d.Content, outcome)
	}
	return id
}

// said returns what heddle's messages in a channel read, oldest first.
func (s *stage) said(channel graph.ChannelID) []string {
	var texts []string
	for _, m := range s.Discord.Chat.Messages(channel) {
		if m.Author == s.Self {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// last returns the newest message of heddle's in the stage's channel.
func (s *stage) last() discordtest.Message {
	s.t.Helper()
	for _, m := range slices.Backward(s.Discord.Chat.Messages(s.Channel)) {
		if m.Author == s.Self {
			return m
		}
	}
	s.t.Fatal("heddle said nothing")
	return discordtest.Message{}
}

// recorded returns what is recorded of a question's answers, newest first.
func (s *stage) recorded(question graph.MessageID) []store.Response {
	s.t.Helper()
	all, err := s.Store.Responses.ByTrigger(s.ctx, s.scope(), question)
	s.must(err)
	return all
}

// record returns what is recorded of a question's one answer.
func (s *stage) record(question graph.MessageID) store.Response {
	s.t.Helper()
	all := s.recorded(question)
	if len(all) != 1 {
		s.t.Fatalf("%d answers to %s are recorded, want 1", len(all), question)
	}
	return all[0]
}

// asked returns what the model was asked last, message by message: the path, with the
// system prompt first and the question last but one, and the tail.
func (s *stage) asked() []string {
	s.t.Helper()
	requests := s.Model.Requests()
	if len(requests) == 0 {
		s.t.Fatal("the model was not asked")
	}
	return texts(requests[len(requests)-1])
}

func texts(r openaitest.Request) []string {
	all := make([]string, len(r.Chat.Messages))
	for i, m := range r.Chat.Messages {
		all[i] = m.Text()
	}
	return all
}

// checkSaid fails the test unless heddle's messages in the stage's channel read as
// they should.
func (s *stage) checkSaid(want ...string) {
	s.t.Helper()
	if got := s.said(s.Channel); !slices.Equal(got, want) {
		s.t.Errorf("heddle says %q, want %q", got, want)
	}
}

// running runs what is done ahead of questions while the test runs.
func (s *stage) running() {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.ctx)
	var running sync.WaitGroup
	running.Go(func() { s.preparer.Run(ctx) })
	s.t.Cleanup(func() {
		stop()
		running.Wait()
	})
}
