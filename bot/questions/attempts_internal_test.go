package questions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/golden"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// TestAttempts makes one attempt in each situation, and compares with a golden file what it comes to:
// how often the model is asked, what is written to Discord, and what stands there and in the
// store afterwards. Reads and waits are left out, and so is how often a message is edited.
func TestAttempts(t *testing.T) { //nolint:tparallel // the group that ends with its subtests is not parallel
	t.Parallel()
	came := make([]string, len(situations))
	t.Run("in", func(t *testing.T) {
		for i, s := range situations {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				came[i] = s.comesTo(t)
			})
		}
	})
	golden.Check(t, "testdata/attempts.txt", strings.Join(came, "\n"))
}

// comesTo makes an attempt in a situation and returns what it comes to.
func (s *situation) comesTo(t *testing.T) string {
	t.Helper()
	b := &bridge{Env: roomtest.New(t), t: t, known: make(map[graph.MessageID]bool)}
	b.starts()
	t.Cleanup(func() { b.d.Stop() })
	b.id = b.Post(b.Ann, discordtest.Draft{Content: b.Mention("first")})
	q := s.given(b)
	b.look()
	requests := len(b.Model.Requests())
	b.Discord.Record.Forget()
	b.Model.Queue(openaitest.Answer("new"))
	out := b.attempts(q)
	b.look()
	var told strings.Builder
	fmt.Fprintf(&told, "%s\n  attempt   %s", s.name, named(out.err))
	for _, is := range []struct {
		so   bool
		what string
	}{{out.begun, "begun"}, {out.doubt, "doubt"}, {len(out.sent) > 0, fmt.Sprintf("sent %d", len(out.sent))}} {
		if is.so {
			fmt.Fprint(&told, ", ", is.what)
		}
	}
	fmt.Fprintf(&told, "\n  model     asked %d times\n  writes    %s\n  stands    %s\n  store     %s\n",
		len(b.Model.Requests())-requests, b.wrote(), b.stands(), b.stored())
	return told.String()
}

// look notes the messages that stand, so that they have names.
func (b *bridge) look() {
	for _, m := range b.Said() {
		b.known[m.ID] = true
	}
}

// name names a message: those of heddle's by their order.
func (b *bridge) name(id graph.MessageID) string {
	if id == b.id {
		return "the question"
	}
	before := 1
	for other := range b.known {
		if other < id {
			before++
		}
	}
	if !b.known[id] {
		return "a message that was gone again"
	}
	return fmt.Sprintf("A%d", before)
}

// wrote returns what was written to Discord since the record was emptied, in the order of the first
// write to each message. Creates are named by what they reply to.
func (b *bridge) wrote() string {
	var all []string
	for _, r := range b.Discord.Record.Requests(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteEditMessage, discordtest.RouteDeleteMessage)) {
		at := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
		var told string
		switch r.Route {
		case discordtest.RouteCreateMessage:
			told = "a create"
			if r.Channel() != b.Channel {
				told = "a direct message"
			}
			var body struct {
				Reference *struct {
					ID graph.MessageID `json:"message_id"`
				} `json:"message_reference"`
			}
			errtest.None(b.t, r.Decode(&body))
			if body.Reference != nil {
				told += " in reply to " + b.name(body.Reference.ID)
			}
			if r.Status >= http.StatusBadRequest {
				told += ", refused"
			}
		case discordtest.RouteEditMessage:
			told = "edits of " + b.nameOf(at)
		default:
			told = "deletes " + b.nameOf(at)
		}
		if !slices.Contains(all, told) {
			all = append(all, told)
		}
	}
	return cmp.Or(strings.Join(all, "; "), "nothing")
}

func (b *bridge) nameOf(id string) string {
	for known := range b.known {
		if known.String() == id {
			return b.name(known)
		}
	}
	return "a message that was gone again"
}

// stands returns what heddle's messages show.
func (b *bridge) stands() string {
	var all []string
	for _, m := range b.Said() {
		told := fmt.Sprintf("%s %q", b.name(m.ID), brief(m.Content))
		if m.Reference != nil {
			told += " below " + b.name(m.Reference.Message)
		}
		if n := len(m.Buttons()); n > 0 {
			told += fmt.Sprintf(" with %d buttons", n)
		}
		all = append(all, told)
	}
	return cmp.Or(strings.Join(all, "; "), "nothing")
}

func brief(text string) string {
	if len(text) > 40 {
		return text[:10] + "…" + text[len(text)-10:]
	}
	return text
}

// stored returns what the store knows of the question's answers.
func (b *bridge) stored() string {
	ctx := context.WithoutCancel(b.Context())
	mark, done, err := b.Store.Claims.IsDone(ctx, store.TriggerClaim(b.id))
	if errors.Is(err, store.ErrUnavailable) {
		return "away"
	}
	errtest.None(b.t, err)
	all, of := b.recorded(ctx)
	var told []string
	for i := range all {
		r := &all[i]
		one := fmt.Sprintf("%q (%s) of generation %d", brief(r.Text), r.FinishReason, r.Generation)
		if !of[i].IsZero() {
			one += " to an edit"
		}
		var at []string
		for _, reply := range r.Replies {
			at = append(at, b.name(reply.ID))
		}
		told = append(told, one+" at "+cmp.Or(strings.Join(at, " "), "no message"))
	}
	slices.Sort(told)
	if done {
		told = append(told, "marked "+mark)
	}
	if taken := errtest.Must(b.Store.Backlog.Taken(ctx))(b.t); len(taken) > 0 {
		told = append(told, "taken")
	}
	return cmp.Or(strings.Join(told, "; "), "nothing")
}

// gives answers the question for the first time.
func (b *bridge) gives(text string) outcome {
	b.t.Helper()
	b.Model.Queue(openaitest.Answer(text))
	out := b.attempts(asked)
	errtest.None(b.t, out.err)
	return out
}

// refused answers the question while Discord refuses the answer.
func (b *bridge) refused() {
	b.t.Helper()
	allow := b.faults(discordtest.RouteCreateMessage, http.StatusUnauthorized, "")
	b.Model.Queue(openaitest.Answer("old"))
	if out := b.attempts(asked); out.err == nil {
		b.t.Fatal("the answer was sent, want Discord to refuse it")
	}
	allow()
}

// edits edits the question, and returns its version.
func (b *bridge) edits(text string) time.Time {
	b.t.Helper()
	b.Edit(b.id, b.Mention(text))
	return b.Message(b.id).Edited
}

// says says something as another process of heddle's would.
func (b *bridge) says(text string, to graph.MessageID) graph.MessageID {
	return b.Post(b.Self, discordtest.Draft{Content: text, ReplyTo: to})
}

// halves has another process begin to write over a message of an answer. Its buttons go.
func (b *bridge) halves(id graph.MessageID) {
	b.t.Helper()
	b.patches(id, map[string]any{"content": begun, "components": json.RawMessage("[]")})
}

// shows has another process change the text of a message.
func (b *bridge) shows(id graph.MessageID, text string) {
	b.t.Helper()
	b.patches(id, map[string]any{"content": text})
}

func (b *bridge) patches(id graph.MessageID, body map[string]any) {
	b.t.Helper()
	path := "/channels/" + b.Channel.String() + "/messages/" + id.String()
	errtest.Must(b.REST.Do(b.Context(), discord.Call{Method: http.MethodPatch, Path: path, Body: body}))(b.t)
}

// parts returns heddle's messages.
func (b *bridge) parts() (ids []graph.MessageID) {
	for _, m := range b.Said() {
		ids = append(ids, m.ID)
	}
	b.look()
	return ids
}

// sent returns heddle's messages as this process would remember that it sent them.
func (b *bridge) sent() (all []reply.Sent) {
	for _, m := range b.Said() {
		all = append(all, reply.Sent{ID: m.ID, Text: m.Content})
	}
	return all
}

// deletes deletes messages on Discord, of which nobody tells heddle.
func (b *bridge) deletes(ids ...graph.MessageID) {
	b.t.Helper()
	b.look()
	if n := b.Discord.Chat.Delete(b.Channel, ids...); n != len(ids) {
		b.t.Fatalf("%d messages were deleted, want %d", n, len(ids))
	}
}

func (b *bridge) denies(p discordtest.Permission) {
	b.Discord.World.SetOverwrites(b.Channel, discordtest.Overwrite{Member: b.Self, Deny: p})
}

// faults has all requests to a route fail until allow is called.
func (b *bridge) faults(route string, status int, body string) (allow func()) {
	return b.Discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(route), Status: status, Body: body, Times: -1}).Remove
}

// claims has another process claim the question.
func (b *bridge) claims() {
	b.t.Helper()
	errtest.Must(b.Store.Claims.Reclaim(b.Context(), store.TriggerClaim(b.id), roomtest.Lease))(b.t)
}

// marks has another process mark a version of the question as done.
func (b *bridge) marks(outcome string, version time.Time) {
	b.t.Helper()
	lease := errtest.Must(b.Store.Claims.Reclaim(b.Context(), store.TriggerClaim(b.id).At(version), roomtest.Lease))(b.t)
	errtest.None(b.t, b.Store.Claims.Done(b.Context(), lease, outcome))
}

// stores stores an answer to the question that stands nowhere.
func (b *bridge) stores(made store.Output) {
	b.t.Helper()
	errtest.None(b.t, b.Store.Responses.Save(b.Context(), store.Response{
		Standing: store.Standing{Scope: b.Place().Scope, Channel: b.Channel, Trigger: b.id, Self: b.Self, Created: time.Now()},
		Input:    store.Input{Sources: []store.SourceRef{{Channel: b.Channel, Message: b.id, Author: b.Ann}}},
		Output:   made,
	}))
}

// erases erases what the store knows of the question.
func (b *bridge) erases() {
	b.t.Helper()
	errtest.Must(b.Store.Deletions.Forget(b.Context(), b.Place().Scope, b.Channel, []graph.MessageID{b.id}))(b.t)
}

// storeLeaves takes the store away until back is called.
func (b *bridge) storeLeaves() (back func()) {
	b.t.Helper()
	stays := b.Store
	away := roomtest.OpenStore(b.t)
	errtest.None(b.t, away.Close())
	b.Store = away
	b.starts()
	return func() {
		b.Store = stays
		b.starts()
	}
}

// storeForgets empties the store, and starts another process.
func (b *bridge) storeForgets() {
	b.t.Helper()
	b.Store = roomtest.OpenStore(b.t)
	b.starts()
}

// unmarks empties the store but for the answers to the question, so that nothing says any more that
// it is done.
func (b *bridge) unmarks() {
	b.t.Helper()
	all, _ := b.recorded(b.Context())
	for i := range all {
		all[i].Path = errtest.Must(b.Store.Responses.Turns(b.Context(), all[i]))(b.t)
		all[i].Tools = errtest.Must(b.Store.Responses.Tools(b.Context(), all[i]))(b.t)
	}
	b.storeForgets()
	for i := range all {
		errtest.None(b.t, b.Store.Responses.Save(b.Context(), all[i]))
	}
}
