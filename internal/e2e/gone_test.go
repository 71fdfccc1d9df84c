package e2e_test

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
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
	d := &takedown{scene: newScene(t, discordtest.Options{}), shape: as, at: at, grows: make(chan struct{}), gate: make(chan struct{})}
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
func (d *takedown) asks(logs *lockedBuffer) {
	d.t.Helper()
	d.question = d.post(d.ann, discordtest.Draft{Content: d.mention("what is a warp?")})
	if len(d.shape.chunks) > 1 && d.at.write != 0 {
		d.begun(d.channel, d.question, "The warp")
		close(d.grows)
	}
	if d.at.write < 0 {
		d.done(logs)
	} else if err := d.struck.Await(d.ctx, 1); err != nil {
		d.t.Fatal(err)
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
func (d *takedown) done(logs *lockedBuffer) {
	d.t.Helper()
	if err := logs.await(d.ctx, `msg="a task is done" trigger=`+d.question.String()); err != nil {
		d.t.Fatal(err)
	}
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
						t.Parallel()
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
	if err := again(); err != nil {
		d.t.Fatal(err)
	}
	if err := r.logs.await(d.ctx, looked); err != nil { // before the answer is recorded
		d.t.Fatal(err)
	}
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
