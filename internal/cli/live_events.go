package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
)

// heardEvent is an event of the gateway's.
type heardEvent struct {
	name string
	data json.RawMessage
}

// heardEvents keeps the events that trials wait for. One goroutine awaits them.
type heardEvents struct {
	channel graph.ChannelID
	come    chan heardEvent
	kept    []heardEvent
	over    chan struct{} // closed when no more can come
}

func newHeardEvents(channel graph.ChannelID) *heardEvents {
	const most = 1000 // events that nobody has awaited yet
	return &heardEvents{channel: channel, come: make(chan heardEvent, most), over: make(chan struct{})}
}

// Connected implements gateway.Handler.
func (*heardEvents) Connected(gateway.Connected) {}

// Disconnected implements gateway.Handler.
func (*heardEvents) Disconnected() {}

// Event implements gateway.Handler. It drops what is about other channels.
func (h *heardEvents) Event(name string, data json.RawMessage) {
	switch name {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE":
		var of struct {
			Channel graph.ChannelID `json:"channel_id"`
		}
		if json.Unmarshal(data, &of) != nil || of.Channel != h.channel {
			return
		}
	case "READY", "GUILD_CREATE":
	default:
		return
	}
	select {
	case h.come <- heardEvent{name, data}:
	default: // the channel is too busy to wait for anything there
	}
}

// await waits for an event that fits, which may have come before, and reports whether one did.
func (h *heardEvents) await(ctx context.Context, patience time.Duration, fits func(heardEvent) bool) bool {
	if slices.ContainsFunc(h.kept, fits) {
		return true
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case e := <-h.come:
			h.kept = append(h.kept, e)
			if fits(e) {
				return true
			}
		case <-late.C:
			return false
		case <-h.over:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// message waits for an event about a message that fits.
func (h *heardEvents) message(ctx context.Context, name string, id graph.MessageID, fits func(discord.Message) bool) bool {
	return h.await(ctx, eventPatience, func(e heardEvent) bool {
		m, err := discord.Decode[discord.Message](e.data)
		return e.name == name && err == nil && m.ID == id && fits(m)
	})
}

// buttons sends a button and waits until somebody presses it. It acknowledges the press twice: with
// an answer that is announced, which deferred completes, and with another, which Discord refuses.
func (l *live) buttons(ctx context.Context) (string, error) {
	switch {
	case l.needsFirst() != nil:
		return "", l.needsFirst()
	case l.press <= 0:
		return "", notTried("--press names no time for a person to press one")
	}
	const typeRow, typeButton = 1, 2
	row := body{"type": typeRow, "components": []body{{"type": typeButton, "style": 1, "label": "Press me", "custom_id": l.mark}}}
	m, err := l.post(ctx, body{"content": l.text("Press this, whoever you are."), "components": []body{row}})
	if err != nil {
		return "", err
	}
	fmt.Fprintf(l.told, "Press the button in the channel within %s.\n", l.press)
	var in discord.Interaction
	if !l.heard.await(ctx, l.press, func(e heardEvent) bool {
		in, err = discord.Decode[discord.Interaction](e.data)
		return e.name == "INTERACTION_CREATE" && err == nil && in.Message == m.ID
	}) {
		return "", notTried("nobody pressed the button")
	}
	l.pressed = in
	const announced = 5
	answer := discord.Call{Method: http.MethodPost, Path: "/interactions/" + in.ID.String() + "/" + in.Token + "/callback", Body: body{"type": announced}}
	if _, err := l.rest.Do(ctx, answer); err != nil {
		return "", err
	}
	_, err = l.rest.Do(ctx, answer)
	return fmt.Sprintf("pressed by %s, acknowledged; a second time: %v", printable(in.User.Name), err), nil
}

// original returns the path of the answer to the press of the button.
func (l *live) original() string {
	return "/webhooks/" + cmp.Or(l.pressed.Application, l.me.ID).String() + "/" + l.pressed.Token + "/messages/@original"
}

// deferred completes the answer that buttons announced, and says what its event holds.
func (l *live) deferred(ctx context.Context) (string, error) {
	if l.pressed.ID == 0 {
		return "", notTried("no button was pressed")
	}
	raw, err := l.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: l.original(), Body: body{"content": l.text("the answer"), "allowed_mentions": body{"parse": []string{}}}})
	if err != nil {
		return "", err
	}
	m, err := discord.Decode[discord.Message](raw)
	if err != nil {
		return "", err
	}
	l.sent = append(l.sent, m.ID)
	var came discord.Message
	if !l.heard.message(ctx, "MESSAGE_UPDATE", m.ID, func(update discord.Message) bool {
		came = update
		return strings.Contains(update.Content, l.mark)
	}) {
		return "", fmt.Errorf("MESSAGE_UPDATE of message %s did not come within 10 s", m.ID)
	}
	announced := l.heard.message(ctx, "MESSAGE_CREATE", m.ID, func(first discord.Message) bool { return first.Flags&discord.FlagLoading != 0 })
	return fmt.Sprintf("announced with the flag LOADING: %t; arrived by MESSAGE_UPDATE, with edited_timestamp: %t, with the flag: %t", announced, !came.Edited.IsZero(), came.Flags&discord.FlagLoading != 0), nil
}

// seenLimits notes the rate limits that Discord names in its headers, by route.
type seenLimits struct {
	mu   sync.Mutex
	seen map[string]string
}

// ids finds the parts of a path that are ids or secrets.
var ids = regexp.MustCompile(`/[0-9]{5,}(/[A-Za-z0-9_-]{30,})?`)

// RoundTrip implements http.RoundTripper.
func (s *seenLimits) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	limit, after := resp.Header.Get("X-RateLimit-Limit"), resp.Header.Get("X-RateLimit-Reset-After")
	if limit == "" {
		return resp, nil
	}
	_, path, _ := strings.Cut(req.URL.Path, "/v10")
	route := req.Method + " " + ids.ReplaceAllString(path, "/{id}")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[route] == "" { // the first request of a window tells all of the window
		s.seen[route] = limit + " in " + after + " s"
	}
	return resp, nil
}

// String returns the limits, or that there were none.
func (s *seenLimits) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for route, limit := range s.seen {
		all = append(all, "`"+route+"` "+limit)
	}
	slices.Sort(all)
	return cmp.Or(strings.Join(all, ", "), "no headers came")
}
