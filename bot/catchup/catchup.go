// Package catchup tells people what was said while they were away. It reads a stretch of
// a channel, has package graph part it into its talks, and has the model describe those
// that nobody has had described yet:
//
//	read.go      what is read, within bounds, of what whoever asks may read
//	describe.go  the model's part: a bounded number of requests, each with talks of one
//	             scope, whose answers are checked
//	list.go      what people read and press
//	find.go      which talks share words with a text
//
// Buttons name what they lead to, and nothing is kept for them: a press reads and parts
// again, with the rights of whoever presses. So they work after a restart, and from every
// process.
package catchup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
	"heddle/llm"
	"heddle/store"
)

// Deps is what New works with. All fields must be set.
type Deps struct {
	Preparer  *conversation.Preparer
	Guilds    *guilds.Cache
	People    *guilds.People
	Responses *store.Responses
	Model     *llm.Client
	Writes    *store.Erasing
	Log       *slog.Logger
}

// Settings are the operator's choice.
type Settings struct {
	Affinity graph.Affinity // nil: replies and pauses alone separate talks
	Budget   int            // tokens of a request to the model
}

// Catchup reads talks and has them described. Its methods may be called from any goroutine.
type Catchup struct {
	deps     Deps
	settings Settings
	rule     *conversation.Rights
}

// New returns a Catchup.
func New(deps Deps, settings Settings) *Catchup {
	return &Catchup{deps, settings, &conversation.Rights{People: deps.People, Guilds: deps.Guilds, Log: deps.Log}}
}

// List returns a page of the talks that a query is about; the first page is 0, and numbers beyond
// the last page mean the last. It fails with a phrases.RefusedError if there are no talks.
func (c *Catchup) List(ctx context.Context, q Query, page int) (Shown, error) {
	s, err := c.read(ctx, q)
	if err != nil {
		return Shown{}, err
	}
	if len(s.talks) == 0 {
		return Shown{}, phrases.Refused("catchup_nothing", nil)
	}
	c.describe(ctx, s, s.talks)
	return s.page(page), nil
}

// View is a talk for one person to read.
type View struct {
	catchup *Catchup
	stretch *stretch
	talk    *talk
}

// View reads the talk that a message belongs to anew. It fails with a phrases.RefusedError if
// there is no such talk any more.
func (c *Catchup) View(ctx context.Context, q Query, about graph.MessageID) (*View, error) {
	s, err := c.read(ctx, q)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(s.talks, func(t *talk) bool {
		return slices.ContainsFunc(t.Messages[t.fresh:], func(m graph.Message) bool { return m.ID == about })
	})
	if at < 0 {
		return nil, phrases.Refused("catchup_stale", nil)
	}
	c.recall(ctx, s, s.talks[at])
	return &View{c, s, s.talks[at]}, nil
}

// Shown returns the talk.
func (v *View) Shown() Shown { return v.stretch.talk(v.talk) }

// First returns the message that the talk's link leads to.
func (v *View) First() *graph.Message { return v.talk.from() }

// Title returns the title of the talk, or its first words.
func (v *View) Title() string { return cmp.Or(v.talk.Title, markdown.Unmarked(v.talk.from().Says())) }

// Thread returns the thread that was started from a message of the talk, or 0.
func (v *View) Thread() graph.ChannelID { return v.talk.thread }

// Moved returns that the talk goes on in a thread, and remembers that.
func (v *View) Moved(thread graph.ChannelID) Shown {
	v.talk.thread = thread
	return v.Says("catchup_moved", phrases.Values{"Where": discord.Mention(thread)})
}

// Says returns a phrase above the buttons of the talk.
func (v *View) Says(id phrases.ID, values phrases.Values) Shown {
	return v.stretch.says(v.talk, id, values)
}

// Report lets the model report on the talk, or answer a question about it if there is one. After an
// error it returns the buttons of the talk alone.
func (v *View) Report(ctx context.Context, question string) (Shown, error) {
	text, err := v.catchup.report(ctx, v.stretch, v.talk, question)
	if err != nil {
		return Shown{Buttons: v.stretch.below(v.talk)}, err
	}
	return v.stretch.account(v.talk, question, text), nil
}

// digestTalks is the number of talks in a digest. A button leads to the others.
const digestTalks = 3

// Digest is a summary of the talks that somebody missed, as people read it.
type Digest struct {
	Shown

	Sources []store.SourceRef // what it was made from
}

// Digest describes the talks in a question's channel since a person last wrote there that matter
// most to them. Everybody may read it. A button below shows all talks, only to the person who
// presses it. Digest reports false if there were none.
func (c *Catchup) Digest(ctx context.Context, q conversation.Question, person graph.UserID) (d Digest, told bool, err error) {
	q.Asker = person
	s, err := c.read(ctx, Query{
		Question: q, Language: phrases.In(q.Place.Locale), Public: true, Until: q.ID, Channels: []graph.ChannelID{q.Channel},
	})
	if _, refused := errors.AsType[phrases.RefusedError](err); refused || err == nil && len(s.talks) == 0 {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	shown := s.talks[:min(len(s.talks), digestTalks)]
	c.describe(ctx, s, shown)
	s.Since = s.began // the others who press wrote at other times
	d.Text, d.Trouble = strings.Join(s.lines(0, len(shown)), "\n"), s.trouble
	d.Buttons = reply.Rows{{s.button(ButtonList, 0, "label_all_talks")}}
	for _, t := range shown {
		d.Sources = conversation.Inherit(append(d.Sources, t.sources...), t.made)
	}
	return d, true, nil
}
