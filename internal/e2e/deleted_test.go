package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/waittest"
)

// moment is when a question is deleted: at a write of its answer, before or after that
// write takes effect, or once the answer is recorded.
type moment struct {
	write int // counts from 0; -1: the answer is recorded
	after bool
}

func (m moment) String() string {
	switch {
	case m.write < 0:
		return "kept"
	case m.after:
		return fmt.Sprintf("after write %d", m.write)
	default:
		return fmt.Sprintf("before write %d", m.write)
	}
}

// moments returns the moments of an answer that takes this many writes.
func moments(writes int) []moment {
	all := []moment{{write: -1}}
	for n := range writes {
		all = append(all, moment{n, false}, moment{n, true})
	}
	return all
}

// shape is a way in which an answer is sent.
type shape struct {
	name   string
	chunks []string // the second comes when the first shows
	writes int
}

func shapes() []shape {
	return []shape{
		{"at once", []string{"It runs lengthwise."}, 1},
		{"growing", []string{"The warp is what runs lengthwise in a loom, ", "and the weft across it."}, 2},
		{"of two parts", []string{lines(80) + "and the end."}, 2},
	}
}

// takedown is one question that is deleted while it is answered.
type takedown struct {
	*scene

	shape    shape
	at       moment
	grows    chan struct{} // closed when the second chunk may come
	gate     chan struct{} // holds the write
	struck   *discordtest.Injection
	question graph.MessageID
}

func newTakedown(t *testing.T, as shape, at moment) *takedown {
	t.Helper()
	d := &takedown{scene: newScene(t), shape: as, at: at, grows: make(chan struct{}), gate: make(chan struct{})}
	reply := openaitest.Answer(as.chunks...)
	if len(as.chunks) > 1 {
		reply.Chunks[1].Wait = d.grows
	}
	d.model.Queue(reply)
	d.always(openaitest.Answer("Here."))
	if at.write >= 0 {
		fault := discordtest.Fault{
			Match: discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage), Skip: at.write, Gate: d.gate, Cut: true,
		}
		if at.after {
			fault.Gate, fault.GateAfter, fault.Cut = nil, d.gate, false
		}
		d.struck = d.discord.Faults.Inject(fault)
	}
	return d
}

// asks asks the question and waits for the moment. logs is of the process that answers.
func (d *takedown) asks(logs *waittest.Log) {
	d.t.Helper()
	d.question = d.ask(d.ann, "what is a warp?")
	if len(d.shape.chunks) > 1 && d.at.write != 0 {
		d.begun(d.channel, d.question, "The warp")
		close(d.grows)
	}
	if d.at.write < 0 {
		d.done(logs)
	} else {
		d.ok(d.struck.Await(d.ctx, 1))
	}
}

// goesOn lets the answer go on.
func (d *takedown) goesOn() {
	close(d.gate)
	if len(d.shape.chunks) > 1 && d.at.write == 0 {
		close(d.grows)
	}
}

// done waits until heddle has finished with the question.
func (d *takedown) done(logs *waittest.Log) {
	d.t.Helper()
	d.awaits(logs, `msg="a task is done" trigger=`+d.question.String())
}

// deletes deletes the question, and waits until the event was handled.
func (d *takedown) deletes() {
	d.t.Helper()
	d.discord.Chat.Delete(d.channel, d.question)
	d.heard(d.thread("meanwhile"), "Here.") // events are handled in order
}

// TestADeletedQuestionHasNoAnswer deletes a question at every moment of its answer, and
// tells heddle of it in every way: at once, too late, by a session that is lost before the
// answer goes on or after it is kept, or not at all, as the process is killed. In the end
// nothing of the answer stands.
func TestADeletedQuestionHasNoAnswer(t *testing.T) {
	t.Parallel()
	for name, tells := range map[string]func(*takedown){
		"heard":                   (*takedown).isHeard,
		"heard late":              (*takedown).isHeardLate,
		"lost with a session":     (*takedown).isLost,
		"lost before it goes on":  (*takedown).isLostFirst,
		"while heddle is killed":  func(d *takedown) { d.isMissed(d.data) },
		"while its store is lost": func(d *takedown) { d.isMissed(d.t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, as := range shapes() {
				for _, at := range moments(as.writes) {
					t.Run(as.name+", "+at.String(), func(t *testing.T) {
						d := newTakedown(t, as, at)
						tells(d)
						d.standIn(0)
					})
				}
			}
		})
	}
}

func (d *takedown) isHeard() {
	r := d.start()
	d.asks(&r.logs)
	d.deletes()
	d.goesOn()
}

// isHeardLate delivers the event once the answer is recorded.
func (d *takedown) isHeardLate() {
	r := d.start()
	d.asks(&r.logs)
	var late atomic.Pointer[json.RawMessage]
	remove := d.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		if e.Name != "MESSAGE_DELETE" {
			return []discordtest.Event{e}
		}
		late.Store(&e.Data)
		return nil
	})
	d.discord.Chat.Delete(d.channel, d.question)
	remove()
	d.goesOn()
	d.done(&r.logs)
	d.discord.Events.Dispatch(d.heddle.User, "MESSAGE_DELETE", *late.Load())
}

// unheard deletes the question without an event.
func (d *takedown) unheard() {
	remove := d.discord.Events.Intercept(discordtest.Dropped("MESSAGE_DELETE"))
	d.discord.Chat.Delete(d.channel, d.question)
	remove()
}

func (d *takedown) isLost() {
	r := d.start()
	d.asks(&r.logs)
	d.unheard()
	d.goesOn()
	d.done(&r.logs)
	d.discord.Gateway.Invalidate()
}

func (d *takedown) isLostFirst() {
	r := d.start()
	d.asks(&r.logs)
	d.unheard()
	again := d.connecting()
	d.discord.Gateway.Invalidate()
	d.ok(again())
	d.awaits(&r.logs, looked)
	d.goesOn()
}

// isMissed kills the process, and starts another one on a store.
func (d *takedown) isMissed(store string) {
	c := d.spawn()
	d.asks(&c.logs)
	c.kill()
	d.discord.Chat.Delete(d.channel, d.question)
	if d.struck != nil {
		d.struck.Remove()
	}
	d.t.Cleanup(func() { close(d.gate) })
	d.spawn("DATA_DIR=" + store)
}

// TestNoSentenceStandsBelowADeletedQuestion deletes a question whose conversation cannot be
// read, before heddle says so. The event of the deletion comes after that.
func TestNoSentenceStandsBelowADeletedQuestion(t *testing.T) {
	s := newScene(t)
	refused, gate := discordtest.Refused(discordtest.On(discordtest.RouteMessages), 400, 50035, "Invalid Form Body"), make(chan struct{})
	refused.Gate = gate
	struck := s.discord.Faults.Inject(refused)
	r := s.start()
	question := s.ask(s.ann, "what is a warp?")
	s.ok(struck.Await(s.ctx, 1))
	release := s.holdsEvents()
	s.discord.Chat.Delete(s.channel, question)
	close(gate)
	r.settled(s, question)
	release()
	sent := discordtest.On(discordtest.RouteCreateMessage)
	for _, said := range s.discord.Record.Requests(func(q discordtest.Request) bool { return sent(q) && q.Status == http.StatusOK }) {
		t.Errorf("heddle said %s, want nothing", said.Body)
	}
}

// unstored fails the test unless exports and the tree of what is stored contain the text
// kept, and not the text gone.
func (s *scene) unstored(gone, kept string) {
	s.t.Helper()
	exported, _ := s.must(consent(s.ann, s.bob), "export", "--format", "raw", "--scope", string(s.scope()))
	tree, _ := s.must(nil, "tree")
	for _, text := range []string{exported, tree} {
		s.contains(text, kept)
		s.lacks(text, gone)
	}
	s.contains(s.prints(nil, "verify"), ", 0 faults")
}

// TestADeletedAnswerIsNotShownAgain has the second of two answers to a question deleted in
// every way, and looks for it below the first and in the store.
func TestADeletedAnswerIsNotShownAgain(t *testing.T) {
	inScenes(t, map[string]func(s *scene, r *running, second discordtest.Message) *running{
		"on Discord": func(s *scene, r *running, second discordtest.Message) *running {
			s.discord.Chat.Delete(s.channel, second.ID)
			return r
		},
		"with others": func(s *scene, r *running, second discordtest.Message) *running {
			s.discord.Chat.Delete(s.channel, second.Reference.Message, second.ID)
			return r
		},
		"by the menu": func(s *scene, r *running, second discordtest.Message) *running {
			s.chosen(s.menu(s.ann, second, "Move to a thread As a file Delete"), "Delete", "The answer is deleted.")
			return r
		},
		"while heddle is away": func(s *scene, r *running, second discordtest.Message) *running {
			r.end()
			s.discord.Chat.Delete(s.channel, second.ID)
			return s.start()
		},
	}, func(s *scene, remove func(s *scene, r *running, second discordtest.Message) *running) {
		r := s.start()
		question, second := s.joked()
		r.settled(s, second.Reference.Message)
		first := s.answersOf(s.channel)[question][0]
		r = remove(s, r, second)
		s.standsIn(first, "A joke about warps.", row)
		r.end()
		s.unstored("wefts", "warps")
	})
}

// TestAPartOfAnAnswerIsDeletedForTheWhole deletes the middle of an answer of three messages.
// The rest stays on Discord, without buttons, and nothing of it is stored.
func TestAPartOfAnAnswerIsDeletedForTheWhole(t *testing.T) {
	s := newScene(t)
	s.model.Queue(openaitest.Answer("Here."), openaitest.Answer(long("warp", 3)), openaitest.Answer("Yes."))
	r := s.start()
	s.answer(s.channel, s.ask(s.bob, "are you there?"), "Here.")
	question := s.ask(s.ann, "what are they?")
	last := s.standsAs(s.answer(s.channel, question, "warp").ID, long("warp", 3), row)
	r.settled(s, question)
	s.discord.Chat.Delete(s.channel, last.Reference.Message)
	s.standsIn(last, last.Content, "")
	s.heard(s.channel, "Yes.") // and with it of the deletion: what is left may have had no buttons before
	r.end()
	s.unstored("warp", "Here.")
}

// TestWhatIsDeletedIsNowhereAnyMore deletes a secret in every way after an answer was made from
// it, while heddle runs or between two runs, and looks for it in stored responses, in exports and
// in the log.
func TestWhatIsDeletedIsNowhereAnyMore(t *testing.T) {
	type removal struct {
		remove func(s *scene, secret, question graph.MessageID)
		own    int // messages of heddle's that are left in the channel; -1: the channel is gone
	}
	removals := map[string]removal{
		"a message":         {func(s *scene, secret, _ graph.MessageID) { s.discord.Chat.Delete(s.channel, secret) }, 1},
		"the question":      {func(s *scene, _, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question) }, 0},
		"several at once":   {func(s *scene, secret, question graph.MessageID) { s.discord.Chat.Delete(s.channel, question, secret) }, 0},
		"everything":        {func(s *scene, _, _ graph.MessageID) { s.discord.Chat.Delete(s.channel, s.all()...) }, 0},
		"the whole channel": {func(s *scene, _, _ graph.MessageID) { s.discord.World.DeleteChannel(s.channel) }, -1},
		"the guild, left":   {func(s *scene, _, _ graph.MessageID) { s.discord.People.Leave(s.guild, s.heddle.User) }, 1},
	}
	for when, away := range map[string]bool{"while heddle runs": false, "while heddle is away": true} {
		t.Run(when, func(t *testing.T) {
			inScenes(t, removals, func(s *scene, test removal) {
				elsewhere := anotherServer(s)
				s.model.Queue(openaitest.Answer("So it is Swordfish."), openaitest.Answer("Here."))
				r := s.start()
				secret := s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
				question, scope := s.ask(s.ann, "what is it?"), s.scope()
				r.answer(s, s.channel, question, "So it is Swordfish.")
				if away {
					r.end()
				}
				test.remove(s, secret, question)
				if away {
					r = s.start()
					r.checked(s)
				}
				s.answered(elsewhere, "and now?", "Here.")
				if test.own >= 0 {
					s.standIn(test.own)
				}
				r.end()

				s.nowhere("wordfish")
				s.lacks(s.prints(consent(s.ann, s.bob), "export", "--format", "raw", "--scope", string(scope)), "wordfish")
				s.contains(s.prints(nil, "verify"), string(scope)+": 0 responses and 0 turns fit, 0 faults; ")
				s.same("what is kept", len(s.keeps(question)), 0)
				s.lacks(r.logs.String(), "wordfish")
			})
		})
	}
}
