package alternatives_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// The labels of buttons, as people read them.
const (
	back  = "◀"
	on    = "▶"
	again = "↻"
	row   = "Why? ↻ ⋯"
)

// scene is an environment with the alternatives under test.
type scene struct {
	*roomtest.Env
	*alternatives.Alternatives
	ratings alternatives.Ratings

	commands *commands.Commands
	t        *testing.T
}

// newScene returns a scene in which edits are answered. A person who pressed in vain reads the
// error itself.
func newScene(t *testing.T) *scene {
	t.Helper()
	h := roomtest.New(t)
	a := alternativesOf(h)
	known := commands.New(commands.Deps{
		REST: h.REST, Replies: h.Replies, Store: h.Store, Guilds: h.Guilds, Gate: gateOf(h),
		Limits: h.Limits(), Overrides: conversation.NewOverrides(h.Store, conversation.OverrideSettings{}, h.Log), Log: h.Log,
	}, commands.Settings{}, a.Buttons()...)
	return &scene{h, a, alternatives.Ratings{Store: h.Store.Ratings, Guilds: h.Guilds, History: h.History}, known, t}
}

// gateOf returns a gate that lets everybody ask.
func gateOf(h *roomtest.Env) *questions.Gate {
	people := guilds.NewPeople(h.Store, h.History, h.Log)
	return questions.NewGate(people, h.Replies, questions.GateSettings{})
}

// alternativesOf returns Alternatives that work in an environment. Questions are answered from
// themselves alone.
func alternativesOf(h *roomtest.Env) *alternatives.Alternatives {
	alone := h.With(func(c *roomtest.Parts) { c.Conversation = conversation.Settings{} })
	return alternatives.New(alternatives.Deps{
		Answers: alone.Answers, Store: h.Store, Replies: h.Replies, Leases: h.Leases, Inflight: h.Inflight, History: h.History,
		Guilds: h.Guilds, Gate: gateOf(h),
		Flush: discordtest.Patience, Log: h.Log,
	}, alternatives.Settings{})
}

// question returns a message as a question.
func (s *scene) question(id graph.MessageID) answer.Job {
	return answer.Job{Question: conversation.Question{Guild: s.Guild, Channel: s.Channel, ID: id, Place: s.Place()}}
}

// answer answers a message, marks it as done as package dispatch does, and returns the
// message that heddle sent last.
func (s *scene) answer(id graph.MessageID, reply openaitest.Reply, want answer.Outcome) discordtest.Message {
	s.t.Helper()
	s.Model.Queue(reply)
	lease := errtest.Must(s.Store.Claims.Claim(s.Context(), store.TriggerClaim(id), roomtest.Lease))(s.t)
	s.answers(s.question(id), want)
	errtest.None(s.t, s.Store.Claims.Done(s.Context(), lease, string(want)))
	said := s.Said()
	if len(said) == 0 {
		s.t.Fatal("heddle said nothing")
	}
	return said[len(said)-1]
}

// answers answers a question, which ends in an outcome.
func (s *scene) answers(q answer.Job, want answer.Outcome) {
	s.t.Helper()
	if got, err := s.Answer(s.Context(), s.Log, q); err != nil || got != want {
		s.t.Fatalf("answering ends with %q, %v, want %q", got, err, want)
	}
}

// asked asks a question as Ann and returns it with its answer.
func (s *scene) asked(text, reply string) (question graph.MessageID, answered discordtest.Message) {
	s.t.Helper()
	question = s.Post(s.Ann, discordtest.Draft{Content: s.Mention(text)})
	return question, s.answer(question, openaitest.Answer(reply), answer.Answered)
}

// again replies "again" to a message as Bob and returns the answer to that.
func (s *scene) again(to graph.MessageID, reply string) discordtest.Message {
	s.t.Helper()
	asks := s.Post(s.Bob, discordtest.Draft{Content: "again", ReplyTo: to})
	return s.answer(asks, openaitest.Answer(reply), answer.Answered)
}

// joked asks for a joke, and again: the question has two answers.
func (s *scene) joked() (question, first, second graph.MessageID) {
	s.t.Helper()
	question, one := s.asked("a joke?", "A joke about warps.")
	return question, one.ID, s.again(one.ID, "A joke about wefts.").ID
}

// edit edits a question and handles that.
func (s *scene) edit(id graph.MessageID, text string) (answer.Outcome, error) {
	s.t.Helper()
	s.Edit(id, s.Mention(text))
	q := s.question(id)
	newest, known, err := s.Newest(s.Context(), q.Question)
	if !known || err != nil {
		s.t.Fatalf("the edited question has no answer, %v, want one", err)
	}
	return s.AnswerEdit(s.Context(), s.Log, q, &newest)
}

// edits edits a question, which ends in an outcome.
func (s *scene) edits(id graph.MessageID, text string, want answer.Outcome) {
	s.t.Helper()
	if got, err := s.edit(id, text); got != want || err != nil {
		s.t.Fatalf("the edit ends with %q, %v, want %q and no error", got, err, want)
	}
}

// named returns the name of the button with a label.
func (s *scene) named(id graph.MessageID, label string) string {
	s.t.Helper()
	m := s.current(id)
	for _, b := range m.Buttons() {
		if b.Label == label {
			return b.CustomID
		}
	}
	s.t.Fatalf("the message %q has the buttons %q, not %q", m.Content, labels(m), label)
	return ""
}

// pressed presses the button with a name as Bob. Nobody has acknowledged that yet.
func (s *scene) pressed(id graph.MessageID, name string) *commands.Use {
	s.t.Helper()
	interaction := errtest.Must(s.Discord.Interactions.Press(s.Channel, id, s.Bob, name))(s.t)
	in, _ := s.Discord.Interactions.Find(interaction)
	return commands.NewUse(discord.Interaction{
		ID: discord.InteractionID(in.ID), Application: s.Self, Token: in.Token, Guild: s.Guild, Channel: s.Channel,
		Message: id, User: discord.User{ID: s.Bob}, CustomID: name, Type: discord.InteractionComponent,
	}, s.Place())
}

// forge puts a button that heddle did not put there on a message of heddle's, and
// presses it as Bob. Nobody has acknowledged that yet.
func (s *scene) forge(id graph.MessageID, name string) *commands.Use {
	s.t.Helper()
	components := fmt.Sprintf(`[{"type":1,"components":[{"type":2,"style":2,"label":"x","custom_id":%q}]}]`, name)
	body := map[string]any{"components": json.RawMessage(components)}
	call := discord.Call{Method: "PATCH", Path: "/channels/" + s.Channel.String() + "/messages/" + id.String(), Body: body}
	errtest.Must(s.REST.Do(s.Context(), call))(s.t)
	return s.pressed(id, name)
}

// step presses the button with a label, and carries that out.
func (s *scene) step(id graph.MessageID, label string) *commands.Use {
	s.t.Helper()
	p := s.pressed(id, s.named(id, label))
	s.do(p)
	return p
}

// do carries out a press.
func (s *scene) do(p *commands.Use) {
	if ask := s.commands.Answer(s.Context(), p.Interaction, p.Place); ask != nil {
		ask(s.Context())
	}
}

// told checks what the person who pressed has read, and nobody else; nothing if want
// is empty.
func (s *scene) told(p *commands.Use, want string) {
	s.t.Helper()
	in, _ := s.Discord.Interactions.Find(discordtest.InteractionID(p.ID))
	var read []string
	for _, m := range in.Private {
		read = append(read, m.Content)
	}
	if got := strings.Join(read, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
		s.t.Errorf("the person who pressed reads %q, want %q", got, want)
	}
}

// current returns a message as it is now.
func (s *scene) current(id graph.MessageID) discordtest.Message {
	s.t.Helper()
	m, ok := s.Discord.Chat.Message(s.Channel, id)
	if !ok {
		s.t.Fatalf("the message %s is gone, want it in the channel", id)
	}
	return m
}

// shows checks what a message says and the labels below it.
func (s *scene) shows(id graph.MessageID, text, buttons string) {
	s.t.Helper()
	if m := s.current(id); m.Content != text || labels(m) != buttons {
		s.t.Errorf("the message shows %q with %q, want %q with %q", m.Content, labels(m), text, buttons)
	}
}

// requested checks how often the model was asked.
func (s *scene) requested(want int) {
	s.t.Helper()
	if got := len(s.Model.Requests()); got != want {
		s.t.Errorf("the model was asked %d times, want %d", got, want)
	}
}

// recorded returns the responses to a question, newest first.
func (s *scene) recorded(question graph.MessageID, want int) []store.Response {
	s.t.Helper()
	all, err := s.Store.Responses.ByTrigger(s.Context(), s.Place().Scope, question)
	if err != nil || len(all) != want {
		s.t.Fatalf("%d responses are recorded, %v, want %d", len(all), err, want)
	}
	return all
}

// recalled returns the text of the response that a message shows, as the store knows.
func (s *scene) recalled(id graph.MessageID) string {
	s.t.Helper()
	found, _, err := s.Store.Responses.ByReply(s.Context(), s.Place().Scope, id)
	return errtest.Must(found.Text, err)(s.t)
}

// forget erases what was derived from a message, as if it had been deleted long ago.
func (s *scene) forget(id graph.MessageID) {
	s.t.Helper()
	errtest.Must(s.Store.Deletions.Forget(s.Context(), s.Place().Scope, s.Channel, []graph.MessageID{id}))(s.t)
}

// refuse lets Discord refuse every request to a route until the returned end is called.
func (s *scene) refuse(route string) (end func()) {
	fault := discordtest.Refused(discordtest.On(route), 403, discord.CodeMissingPermissions, "Missing Permissions")
	fault.Times = -1
	return s.Discord.Faults.Inject(fault).Remove
}

// labels returns the labels of a message's buttons. Those that cannot be pressed are
// in brackets.
func labels(m discordtest.Message) string {
	var all []string
	for _, b := range m.Buttons() {
		if b.Disabled {
			b.Label = "(" + b.Label + ")"
		}
		all = append(all, b.Label)
	}
	return strings.Join(all, " ")
}

// long returns a text that takes two messages.
func long() string { return strings.TrimSpace(strings.Repeat("loom ", 480)) }
