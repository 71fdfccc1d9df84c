package discordtest

import (
	"bytes"
	"encoding/json"
	"slices"

	"heddle/graph"
)

// Payload names JSON on its way to a client: the data of an event, or the body of a
// REST answer.
type Payload struct {
	Bot   graph.UserID // zero if a request's token is not known
	Event string       // MESSAGE_CREATE; empty for a REST answer
	Route string       // one of the Route constants; empty for an event
}

// Payloads changes the JSON that the server sends, to imitate servers that only
// resemble Discord, or to send what no server would.
type Payloads struct {
	mu      *monitor
	changes []*payloadChange
}

type payloadChange struct {
	fits   func(Payload) bool
	change func(map[string]any)
}

// Change calls change with every JSON object in every payload for which fits returns
// true, from the inside out. A nil fits selects all payloads. The server sends the
// changed objects. Numbers are json.Number. Both functions are called with the lock of
// Payloads held and must not call its methods. Calls never overlap. The result removes
// the change.
func (p *Payloads) Change(fits func(Payload) bool, change func(object map[string]any)) (remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &payloadChange{fits, change}
	p.changes = append(p.changes, c)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changes = slices.DeleteFunc(p.changes, func(other *payloadChange) bool { return other == c })
	}
}

// OnEvents returns a match for payloads of the given events.
func OnEvents(names ...string) func(Payload) bool {
	return func(p Payload) bool { return p.Event != "" && slices.Contains(names, p.Event) }
}

// apply returns a payload with all changes applied.
func (p *Payloads) apply(what Payload, data json.RawMessage) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.changes {
		if c.fits == nil || c.fits(what) {
			data = rewrite(data, func(v any) any {
				if object, ok := v.(map[string]any); ok {
					c.change(object)
				}
				return v
			})
		}
	}
	return data
}

// rewrite replaces every value in a JSON document by what f returns for it, from the
// inside out. It returns anything else unchanged.
func rewrite(data []byte, f func(any) any) []byte {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return data
	}
	return mustJSON(rewriteValue(v, f))
}

// rewriteValue replaces a value by what f returns for it, after the values inside it.
func rewriteValue(v any, f func(any) any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = rewriteValue(v[i], f)
		}
	case map[string]any:
		for name := range v {
			v[name] = rewriteValue(v[name], f)
		}
	}
	return f(v)
}

// NumbersAsStrings turns every number in a JSON document into a string, as some
// servers that imitate Discord do. It suits Fault.Rewrite, and Event.Data in an
// interceptor.
func NumbersAsStrings(body []byte) []byte {
	return rewrite(body, func(v any) any {
		if n, ok := v.(json.Number); ok {
			return n.String()
		}
		return v
	})
}
