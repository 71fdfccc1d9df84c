package discordtest

import (
	"encoding/json"
	"slices"

	"heddle/graph"
	"heddle/internal/waittest"
)

// event is an event before it is rendered for each session.
type event struct {
	name    string
	guild   *guild
	channel *channel
	only    graph.UserID // the one bot that learns of it; zero for all
	about   graph.UserID // the bot that learns of it without the intent, as it is about that bot
	render  func(viewer) any
}

// Event is one dispatched event on its way to one session, before it has a sequence
// number.
type Event struct {
	Bot  graph.UserID
	Name string // MESSAGE_CREATE
	Data json.RawMessage
}

// Events are what the gateway sends to its sessions.
type Events struct {
	mu           *waittest.Monitor
	sessions     map[string]*session // by id, connected or waiting for a resume
	interceptors []*interceptor
}

type interceptor struct{ f func(Event) []Event }

// Intercept passes every event through f before it goes out. What f returns goes out
// instead, in that order: nothing, the event twice, or one that f kept from earlier.
// Calls of f never overlap. It is called with the world's lock held and must not call
// the server. Interceptors apply in the order in which they were set. The result
// removes f.
func (e *Events) Intercept(f func(Event) []Event) (remove func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := &interceptor{f}
	e.interceptors = append(e.interceptors, i)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.interceptors = slices.DeleteFunc(e.interceptors, func(other *interceptor) bool { return other == i })
	}
}

// Dispatch sends any event, known or not, to every session of a bot.
func (e *Events) Dispatch(who graph.UserID, name string, data any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dispatch(event{name: name, only: who, render: func(viewer) any { return data }})
}

// dispatch sends an event to every session that may learn of it.
func (e *Events) dispatch(sent event) {
	for _, k := range e.sessions {
		if !k.ready || !k.wants(&sent) {
			continue
		}
		v := viewer{bot: k.bot, content: k.intents&IntentMessageContent != 0, gateway: true}
		e.send(k, sent.name, sent.render(v))
	}
}

// send passes one session's event through the interceptors, and sends what is left.
func (e *Events) send(k *session, name string, data any) {
	out := []Event{{Bot: k.bot.id, Name: name, Data: mustJSON(data)}}
	for _, i := range e.interceptors {
		var next []Event
		for _, one := range out {
			next = append(next, i.f(one)...)
		}
		out = next
	}
	for _, one := range out {
		k.send(one.Name, one.Data)
	}
}
