package discordtest

import (
	"bytes"
	"encoding/json"
	"slices"

	"heddle/graph"
)

// event is something that sessions are told of, before it is written out for each.
type event struct {
	name    string
	guild   *guild
	channel *channel
	only    *bot // the one bot that is told; nil for all
	render  func(viewer) any
}

// Event is one dispatch on its way to one session, before it has its sequence number.
type Event struct {
	Bot  graph.UserID
	Name string // MESSAGE_CREATE
	Data json.RawMessage
}

type interceptor struct{ f func(Event) []Event }

// InterceptEvents has f see every event before it goes out: f returns what goes
// out instead, in that order. It may return none, the event twice, or one that it
// kept from earlier. It is called with the server's lock held, must not call the
// server, and sees one event at a time. Interceptors apply in the order they were
// set. The result removes f.
func (s *Server) InterceptEvents(f func(Event) []Event) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &interceptor{f}
	s.rewriters = append(s.rewriters, i)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rewriters = slices.DeleteFunc(s.rewriters, func(other *interceptor) bool { return other == i })
	}
}

// Doubled sends each event of the given names twice.
func Doubled(names ...string) func(Event) []Event {
	return func(e Event) []Event {
		if slices.Contains(names, e.Name) {
			return []Event{e, e}
		}
		return []Event{e}
	}
}

// Dropped loses events of the given names.
func Dropped(names ...string) func(Event) []Event {
	return func(e Event) []Event {
		if slices.Contains(names, e.Name) {
			return nil
		}
		return []Event{e}
	}
}

// Swapped sends each pair of events of the given names in the other order. The
// first of a pair is kept until the second comes.
func Swapped(names ...string) func(Event) []Event {
	kept := map[graph.UserID]*Event{}
	return func(e Event) []Event {
		if !slices.Contains(names, e.Name) {
			return []Event{e}
		}
		first := kept[e.Bot]
		if first == nil {
			kept[e.Bot] = &e
			return nil
		}
		delete(kept, e.Bot)
		return []Event{e, *first}
	}
}

// HoldEvents keeps all events back until release is called; then they go out in
// order, as they look by then.
func (s *Server) HoldEvents() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding++
	released := false
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if released {
			return
		}
		released = true
		if s.holding--; s.holding > 0 {
			return
		}
		held := s.held
		s.held = nil
		for _, e := range held {
			s.dispatchLocked(e)
		}
	}
}

// Dispatch sends any event, known or not, to every session of a bot.
func (s *Server) Dispatch(who graph.UserID, name string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.world.mustUser(who).bot
	s.dispatchLocked(event{name: name, only: b, render: func(viewer) any { return data }})
}

// dispatchLocked tells every session that may know of an event.
func (s *Server) dispatchLocked(e event) {
	if len(s.sessions) == 0 {
		return
	}
	if s.holding > 0 {
		s.held = append(s.held, e)
		return
	}
	for _, k := range s.sessions {
		if !k.ready || !k.wants(&e) {
			continue
		}
		v := viewer{bot: k.bot, content: k.intents&IntentMessageContent != 0, gateway: true}
		s.emitLocked(k, Event{Bot: k.bot.id, Name: e.name, Data: mustJSON(e.render(v))})
	}
}

// emitLocked takes one session's event through the interceptors and sends it.
func (s *Server) emitLocked(k *session, e Event) {
	out := []Event{e}
	for _, i := range s.rewriters {
		var next []Event
		for _, e := range out {
			next = append(next, i.f(e)...)
		}
		out = next
	}
	for _, e := range out {
		k.send(e.Name, e.Data)
	}
}

// NumbersAsStrings turns every number in a JSON document into a string, as some
// servers that imitate Discord write them. It suits Fault.Rewrite, and Event.Data
// in an interceptor.
func NumbersAsStrings(body []byte) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return body
	}
	return mustJSON(numbersAsStrings(v))
}

func numbersAsStrings(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbersAsStrings(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbersAsStrings(v[name])
		}
	}
	return v
}
