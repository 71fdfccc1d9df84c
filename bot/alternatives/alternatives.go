// Package alternatives decides which answer a message shows. A question may have
// several answers, its alternatives. People ask for another one, step through them with
// the buttons below, edit their questions, and rate the answers.
//
// The package makes the jobs that package answer does. No other package knows the
// buttons.
package alternatives

import (
	"log/slog"
	"time"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// Settings are the operator's choice of how answers change.
type Settings struct {
	Edits      EditPolicy    // what happens when an answered question is edited
	EditWindow time.Duration // how soon after its question the edit has to come
	Buttons    ButtonPolicy  // which buttons are below answers
}

// Locales knows which languages guilds prefer; guilds.Cache does.
type Locales interface {
	Locale(channel graph.ChannelID) string
}

// Deps is what New works with. All fields but Teller must be set.
type Deps struct {
	Answers  *answer.Answers
	Teller   answer.Teller // nil: mentions without words are answered like questions
	Store    *store.Store
	Outbox   *outbox.Outbox
	Leases   *work.Leases
	Inflight *work.Inflight
	History  Heard
	Self     Self
	Locales  Locales
	Observer answer.Observer
	// Explain returns what people read about an error, and ExplainPress what somebody
	// reads whose press of a button led to one.
	Explain, ExplainPress func(error) phrases.Phrase
	Flush                 time.Duration // how long the end of an answer may still be sent at shutdown
	Log                   *slog.Logger
}

// Alternatives groups what changes which answer a message shows.
type Alternatives struct {
	Questions *Questions
	Edits     *Edits
	Presses   *Presses
	Ratings   *Ratings
}

// New returns Alternatives that work with deps.
func New(deps Deps, settings Settings) *Alternatives {
	shown := &displays{
		responses: deps.Store.Responses, standing: deps.Store.Displays, offers: deps.Store.Displays, outbox: deps.Outbox,
		keys: keyboard{settings.Buttons}, locks: newLocks(deps.Store.Claims, deps.Leases), stops: newStops(deps.Store.Claims, deps.Leases),
		locales: deps.Locales, observer: deps.Observer,
	}
	wording := &wording{deps.Answers, deps.Store.Responses}
	edits := &Edits{
		answers: deps.Answers, displays: shown, jobs: jobs{shown}, wording: wording, inflight: deps.Inflight,
		explain: deps.Explain, settings: settings, flush: deps.Flush, log: deps.Log,
	}
	read, replies := &pressed{shown, deps.Store.Claims, deps.History}, deps.Outbox.Interactions()
	return &Alternatives{
		Questions: &Questions{
			answers: deps.Answers, digests: answer.NewDigests(deps.Answers, deps.Teller), displays: shown, jobs: jobs{shown},
			wording: wording, inflight: deps.Inflight, flush: deps.Flush,
		},
		Edits: edits,
		Presses: &Presses{
			answers: deps.Answers, edits: edits, displays: shown, pressed: read, menu: &menu{read, deps.Outbox, replies},
			inflight: deps.Inflight, outbox: deps.Outbox, replies: replies, explain: deps.ExplainPress, flush: deps.Flush,
		},
		Ratings: &Ratings{deps.Store.Ratings, deps.Self, deps.History},
	}
}
