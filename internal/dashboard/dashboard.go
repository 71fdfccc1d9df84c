package dashboard

import (
	"context"
	"slices"
	"sync"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/drawing"
	"heddle/store"
)

const (
	// mostKept bounds the answers that are kept. The oldest are dropped.
	mostKept = 200
	// mostWaiting bounds the answers that wait to be drawn. Further ones are not shown.
	mostWaiting = 64
)

// Dashboard keeps drawings of the latest answers. It implements answer.Observer.
type Dashboard struct {
	settings drawing.Settings
	waiting  chan observed

	mu      sync.Mutex
	answers []*Answer // oldest first
	last    int       // the number of the newest
	missed  int
}

// Answer is an answer as the list shows it.
type Answer struct {
	Number     int             `json:"number"`
	At         time.Time       `json:"at"`
	Channel    graph.ChannelID `json:"channel"`
	Question   graph.MessageID `json:"question"`
	Messages   int             `json:"messages"` // of the conversation
	Background int             `json:"background"`
	Turns      int             `json:"turns"`
	Tokens     int             `json:"tokens"`
	Shown      int             `json:"shown"` // Discord messages that show it; 0 until it is sent

	response store.ResponseID
	drawing  drawing.Drawing
}

// observed is one call of the observer.
type observed struct {
	at       time.Time
	response store.ResponseID // zero if an answer begins
	graph    *graph.Graph     // nil if messages show a response
	built    path.Built
	tail     string // "" while an answer is only beginning
	shown    int    // number of messages that show it
}

// New returns a dashboard without answers.
func New(settings drawing.Settings) *Dashboard {
	return &Dashboard{settings: settings, waiting: make(chan observed, mostWaiting)}
}

// Begins implements answer.Observer. It is called when an answer begins.
func (d *Dashboard) Begins(_ graph.MessageID, g *graph.Graph, built path.Built) {
	d.take(observed{at: time.Now(), graph: g, built: built})
}

// Made implements answer.Observer. It is called with what a response was made from.
func (d *Dashboard) Made(response *store.Response, g *graph.Graph, built path.Built) {
	d.take(observed{at: time.Now(), response: response.ID, graph: g, built: built, tail: response.Tail})
}

// Shows implements answer.Observer. It is called with the messages that show a
// response.
func (d *Dashboard) Shows(messages []graph.MessageID, response store.ResponseID) {
	d.take(observed{response: response, shown: len(messages)})
}

// Recorded implements answer.Observer. It does nothing.
func (d *Dashboard) Recorded(store.ResponseID) {}

// take passes something to Run to be drawn. It does not wait. If too much is waiting
// already, it drops and counts o.
func (d *Dashboard) take(o observed) {
	select {
	case d.waiting <- o:
	default:
		d.mu.Lock()
		d.missed++
		d.mu.Unlock()
	}
}

// Run draws answers until ctx ends.
func (d *Dashboard) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-d.waiting:
			if o.graph == nil {
				d.show(o)
			} else {
				d.add(o)
			}
		}
	}
}

func (d *Dashboard) show(o observed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.answers {
		if a.response == o.response {
			a.Shown = o.shown
		}
	}
}

// add draws an answer and keeps it. The drawing of a response replaces that of the
// answer's beginning.
func (d *Dashboard) add(o observed) {
	a := &Answer{
		At: o.at.UTC(), Channel: o.graph.Trigger.Channel, Question: o.graph.Trigger.ID, Messages: len(o.graph.Conversation),
		Background: len(o.graph.Background), Turns: len(o.built.Path.Turns), response: o.response,
		drawing: veiled(o.graph, &o.built, o.tail, d.settings),
	}
	a.Tokens = a.drawing.Path.Tokens
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.answers, func(old *Answer) bool {
		return o.response != store.ResponseID{} && old.response == store.ResponseID{} && old.Question == a.Question
	})
	if at >= 0 {
		a.Number, a.Shown, a.At = d.answers[at].Number, d.answers[at].Shown, d.answers[at].At
		d.answers[at] = a
		return
	}
	d.last++
	a.Number = d.last
	d.answers = append(d.answers, a)
	if len(d.answers) > mostKept {
		d.answers = slices.Delete(d.answers, 0, 1)
	}
}

// list returns the latest answers, newest first, and how many were missed.
func (d *Dashboard) list() (answers []Answer, missed int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	answers = make([]Answer, 0, len(d.answers))
	for _, a := range slices.Backward(d.answers) {
		answers = append(answers, *a)
	}
	return answers, d.missed
}

// drawn returns the drawing of an answer and reports whether it is still kept.
func (d *Dashboard) drawn(number int) (drawing.Drawing, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.answers, func(a *Answer) bool { return a.Number == number })
	if at < 0 {
		return drawing.Drawing{}, false
	}
	return d.answers[at].drawing, true
}
