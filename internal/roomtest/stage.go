package roomtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// Stage is an Env with Answers to test.
type Stage struct {
	*Env
	Answers *answer.Answerer
	// Conversations and Files are what Answers was made with.
	Conversations *conversation.Preparer
	Files         *conversation.Files
	Loop          *tools.Loop
	People        *guilds.People // of whom nobody has opted out yet
}

// Parts are what Answers of a Stage work with, apart from its Env, and their settings.
type Parts struct {
	Tools        []tools.Tool   // that the model may call
	Recent       *answer.Recent // nil: nobody looks what answers are made from
	Files        *conversation.Files
	Conversation conversation.Settings
	Answer       answer.Settings
}

// Choice changes what Answers of a Stage work with.
type Choice func(*Parts)

// NewStage returns a Stage in a new Env, whose model answers what tests queue.
func NewStage(tb testing.TB, choices ...Choice) *Stage {
	tb.Helper()
	return New(tb).With(choices...)
}

// With returns a Stage in the Env. Several are like processes: they share a store and nothing
// that is held in memory of looking up.
func (e *Env) With(choices ...Choice) *Stage {
	people := guilds.NewPeople(e.Store, e.History, e.Log)
	if err := people.Refresh(e.ctx); !errors.Is(err, store.ErrUnavailable) { // as at heddle's start
		errtest.None(e.T, err)
	}
	with := Parts{
		Files:        conversation.NewFiles(fetch.NewFiles(e.History, HostOf(e.Discord.CDN())), people, e.Log),
		Conversation: conversation.Settings{Expand: graph.DefaultOptions(), System: "Be kind."}, Answer: answer.Settings{ReuseFor: time.Hour, Record: discordtest.Patience},
	}
	for _, choose := range choices {
		choose(&with)
	}
	loop := tools.NewLoop(e.Client, with.Tools, new(tools.Servers), tools.Limits{}, nil)
	preparer := conversation.New(conversation.Deps{
		History: e.History, Store: e.Store, Model: e.Client, Replies: e.Replies, Files: with.Files, Guilds: e.Guilds, Limits: e.Limits(),
		People: people, Writes: e.Writes, Log: e.Log,
	}, with.Conversation)
	return &Stage{Env: e, Files: with.Files, People: people, Loop: loop, Conversations: preparer, Answers: answer.New(answer.Deps{
		Preparer: preparer, History: e.History, Store: e.Store, REST: e.REST, Replies: e.Replies, Leases: e.Leases, Loop: loop, Guilds: e.Guilds,
		Writes: e.Writes, Recent: with.Recent,
		Flush: discordtest.Patience, Log: e.Log,
	}, with.Answer)}
}

// HostOf returns the host and port of an address.
func HostOf(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	return host
}

// Forget deletes messages of the stage's channel.
func (s *Stage) Forget(messages []graph.MessageID) {
	s.T.Helper()
	errtest.Must(s.Store.Deletions.Forget(s.Context(), s.Scope(), s.Channel, messages))(s.T)
}

// Say says something in the stage's channel.
func (s *Stage) Say(author graph.UserID, text string) graph.MessageID {
	s.T.Helper()
	return s.Post(author, discordtest.Draft{Content: text})
}

// Thread starts a thread in the channel.
func (s *Stage) Thread(d discordtest.ThreadDraft) graph.ChannelID {
	s.T.Helper()
	d.Name = "aside"
	id := errtest.Must(s.Discord.World.AddThread(s.Channel, s.Ann, d))(s.T)
	s.Event("THREAD_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d","parent_id":"%d","type":11}`, id, s.Guild, s.Channel))
	return id
}

// Scope returns the scope of the stage's channel.
func (s *Stage) Scope() store.Scope { return store.GuildScope(s.Guild) }

// Question returns a message of the stage's channel as a question that was just heard.
func (s *Stage) Question(id graph.MessageID) answer.Question {
	return s.QuestionIn(s.Channel, id)
}

// QuestionIn returns a message of a channel as a question that was just heard.
func (s *Stage) QuestionIn(channel graph.ChannelID, id graph.MessageID) answer.Question {
	place := guilds.Place{Scope: s.Scope(), Self: guilds.Self{User: s.Self}}
	return answer.Question{Question: conversation.Question{Guild: s.Guild, Channel: channel, ID: id, Place: place}, Asks: true}
}

// Prepare prepares a question that can be prepared.
func (s *Stage) Prepare(q answer.Question) *conversation.Prepared {
	s.T.Helper()
	return errtest.Must(s.Conversations.Prepare(s.Context(), q.Question, s.Loop.Offered()))(s.T)
}

// Give answers a question.
func (s *Stage) Give(q answer.Question) answer.Ended {
	s.T.Helper()
	return errtest.Must(s.Answers.Answer(s.Context(), q))(s.T).Ended
}

// Again presses ↻ below a message as Ann.
func (s *Stage) Again(message graph.MessageID) (phrases.Phrase, error) {
	s.T.Helper()
	q := s.Question(0).Question
	q.Asker = s.Ann
	press := answer.Press{ID: discord.InteractionID(message) + 1, At: store.Place{Scope: s.Scope(), Channel: s.Channel, Message: message}, By: q}
	if shown, known, err := s.Store.Responses.ByReply(s.Context(), s.Scope(), message); err == nil && known {
		press.Response = shown.ID
	}
	return s.Answers.Again(s.Context(), press)
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
	s.Model.Queue(replies...)
	id := s.Post(author, d)
	if outcome := s.Give(s.Question(id)); outcome != answer.Answered && outcome != answer.Reused {
		s.T.Fatalf("%q came to %q, want %q or %q", d.Content, outcome, answer.Answered, answer.Reused)
	}
	return id
}

// SaidIn returns what heddle's messages in a channel read, oldest first.
func (s *Stage) SaidIn(channel graph.ChannelID) []string {
	var texts []string
	for _, m := range s.Discord.Chat.Messages(channel) {
		if m.Author == s.Self {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// Last returns the newest message of heddle's in the stage's channel.
func (s *Stage) Last() discordtest.Message {
	s.T.Helper()
	said := s.Said()
	if len(said) == 0 {
		s.T.Fatal("heddle said nothing")
	}
	return said[len(said)-1]
}

// Recorded returns what is recorded of a question's answers, newest first.
func (s *Stage) Recorded(question graph.MessageID) []store.Response {
	s.T.Helper()
	return errtest.Must(s.Store.Responses.ByTrigger(s.Context(), s.Scope(), question))(s.T)
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
	requests := s.Model.Requests()
	if len(requests) == 0 {
		s.T.Fatal("the model was not asked")
	}
	return Texts(requests[len(requests)-1])
}

// Tail returns the tail of the last request to the model.
func (s *Stage) Tail() string {
	s.T.Helper()
	asked := s.Asked()
	at := slices.IndexFunc(asked, func(text string) bool { return strings.HasPrefix(text, "[heddle: added, not said by anyone]\n") })
	if at < 0 {
		s.T.Fatalf("the model was asked %q, want a tail in it", asked)
	}
	return asked[at]
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
	if got := s.SaidIn(s.Channel); !slices.Equal(got, want) {
		s.T.Errorf("heddle says %q, want %q", got, want)
	}
}

// Aside asks something in a thread of its own, where nothing was said before.
func (s *Stage) Aside(author graph.UserID, text string) answer.Question {
	s.T.Helper()
	thread := s.Thread(discordtest.ThreadDraft{})
	return s.QuestionIn(thread, s.PostIn(thread, author, discordtest.Draft{Content: text}))
}
