// Package answer answers questions. Answer tells the story of one from its claim to the end:
//
//	claim      a lease on the question, one process at a time        claim.go, lease.go
//	look       what Discord shows, what the store knows              look.go
//	decide     a pure function with a table: what to do              decide.go
//	prepare    the messages, path, files and tools                   package conversation
//	reuse      was this path answered before?                        reuse.go
//	ask        the model streams into a reply                        ask.go
//	keep       the response is stored, before anything can be pressed   keep.go
//	finish     one last edit: the rest of the text, the buttons      package reply
//	done       messages and files are recorded, the claim is done    keep.go
//
// Presses of the buttons below answers are in pressed.go, and questions that are in no message in
// aside.go and private.go. The package knows neither queues nor events: it returns an Outcome.
package answer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/catchup"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// Settings are the operator's choice of how answers are made.
type Settings struct {
	ReuseFor   time.Duration // how long an answer may be given again; 0: never
	Confidence Confidence    // how the confidence of answers is compared
	Contact    string        // whom people can ask about trouble that lasts; empty for nobody
	Edits      time.Duration // how soon after its question an edit is answered; 0: no edit is
	// Record is how long the last edit of an answer waits for its record. If that takes longer,
	// the rest of the text goes first, and the buttons follow.
	Record time.Duration
}

// Deps are what New needs. All fields but Catchup must be set.
type Deps struct {
	Preparer *conversation.Preparer
	History  *fetch.History
	Store    *store.Store
	REST     *discord.REST
	Replies  *reply.Replies
	Leases   *Leases
	Loop     *tools.Loop
	Guilds   *guilds.Cache
	Catchup  *catchup.Catchup // nil: mentions without words are answered like questions
	Writes   *store.Erasing
	Recent   *Recent
	// Flush is how long after a shutdown began the end of an answer may still be sent.
	Flush time.Duration
	Log   *slog.Logger
}

// Answerer answers questions. Its methods may be called from any goroutine.
type Answerer struct {
	lookup
	inflight

	deps     Deps
	settings Settings
	rule     *conversation.Rights
	notified *notified
	turns    turns
	unkept   *lru.Cache[graph.MessageID, *store.Response] // answers that could not be stored, by what they reply to
}

// mostUnkept bounds the answers that wait for the store. The oldest are given up: they stand without
// buttons.
const mostUnkept = 256

// New returns an Answerer that works with deps.
func New(deps Deps, settings Settings) *Answerer {
	rule := deps.Preparer.Rights()
	unkept, _ := lru.New[graph.MessageID, *store.Response](mostUnkept) // the size is positive
	return &Answerer{
		inflight: inflight{leases: deps.Leases}, deps: deps, settings: settings, rule: rule, notified: newNotified(), unkept: unkept,
		lookup: lookup{responses: deps.Store.Responses, rule: rule, model: deps.Loop.Model().Model(), reuseFor: settings.ReuseFor, calls: make(map[store.Want]*call)},
	}
}

// Preview returns what a question would be answered from if it were asked when it was written.
func (a *Answerer) Preview(ctx context.Context, q conversation.Question) (*conversation.Prepared, error) {
	return a.deps.Preparer.Preview(ctx, q, a.deps.Loop.Offered())
}

// prepared is a question with what it is answered from.
type prepared struct {
	*Answerer
	*conversation.Prepared // nil until it is prepared

	q          *Question
	generation int  // of its answer
	fresh      bool // no stored answer may be given
	started    time.Time
	log        *slog.Logger
}

// language returns the language of everything that heddle adds to the answer.
func (p *prepared) language() phrases.Language { return phrases.In(p.q.Place.Locale) }

// attempt is one attempt at a question, under its claim.
type attempt struct {
	prepared

	held    *claim
	growing *growing
	seen    seen
	next    next
	out     Outcome
}

// PanicError means that an attempt panicked. It does not hold the value of the panic, which may
// contain what people wrote.
type PanicError struct{ Stack string }

func (e *PanicError) Error() string { return "the attempt panicked" }

// ErrAway means that heddle was removed from the guild of a question, or that the gateway has not
// reported the guild since heddle was invited. Nothing is known of who may read there.
var ErrAway = fmt.Errorf("%w: heddle is not in the guild", ErrUnsent)

// Answer answers a question, or makes the answer that stands agree with it. It is called for every
// reason: a mention, an edit, a deletion, a press of ↻, a question that was missed.
func (a *Answerer) Answer(ctx context.Context, q Question) (out Outcome, err error) {
	held, err := a.claim(ctx, &q)
	if err != nil {
		return q.unclaimed(err)
	}
	try := &attempt{prepared: prepared{Answerer: a, q: &q, log: q.log(a.deps.Log), fresh: q.Cause == Pressed}, held: held, out: q.Before}
	defer func() {
		out, err = try.end(ctx, err)
		if out.Ended == Answered && (q.Cause == Pressed || q.Beside != 0) {
			try.relabelOthers(ctx)
		}
	}()
	try.out.Ended, err = try.run(held.ctx) //nolint:contextcheck // the claim's context is one of ctx
	return try.out, err
}

// run does what is to be done about a claimed question.
func (a *attempt) run(ctx context.Context) (ended Ended, err error) {
	defer func() { // the claim is released as after any other error
		if cause := recover(); cause != nil {
			err = &PanicError{string(debug.Stack())}
		}
	}()
	q := a.q
	ctx, a.growing = a.inflight.begin(ctx, q.ID, q.repliesTo())
	defer a.growing.end()
	looks := q.Cause != Asked || !q.Version.IsZero() || q.Before.Looked || q.Before.isElsewhere()
	a.out.Version, a.out.Looked = q.Version, true
	switch {
	case q.Cause != Deleted && q.Guild != 0 && !a.deps.Guilds.KnowsGuild(q.Guild):
		return "", ErrAway
	case looks:
		if a.seen, err = a.look(ctx, q); err != nil {
			return "", err
		}
		a.next = decide(q, &a.seen)
		a.out.Version, a.out.Begun = a.seen.version, len(a.seen.stands.Parts) > 0 || a.seen.unreadable != nil && a.out.Begun
		a.out.Doubt = a.out.Doubt || a.next.doubt
		a.generation = a.next.generation
		if a.next.action <= actGiveOver {
			telemetry.Count(ctx, telemetry.TakenOver)
		}
	}
	a.out.Begun = a.out.Begun || a.next.action <= actComplete
	switch a.next.action { //nolint:exhaustive // all others give an answer
	case actComplete:
		return a.complete(ctx)
	case actShow:
		return a.showAgain(ctx)
	case actTakeBack:
		a.log.InfoContext(ctx, "the answer to a deleted question is taken back", "parts", len(a.next.begun))
		return a.remove(ctx, a.next.begun, Gone)
	case actLeave, actWait, actExpire:
		a.out.Tell = phrases.Phrase{ID: a.next.tell}
		return a.next.settle(ctx, a.log)
	default:
		return a.give(ctx)
	}
}

// settle ends an attempt that has nothing to write.
func (n *next) settle(ctx context.Context, log *slog.Logger) (Ended, error) {
	if n.ended == Found {
		telemetry.Count(ctx, telemetry.Reconciled)
		log.InfoContext(ctx, "the answer stands already, it is not given again")
	}
	return n.ended, n.err
}

// made is an answer that is to be sent.
type made struct {
	response store.Response
	text     string // behind what was sent while the answer grew
	notice   string
	files    []tools.File
	buttons  reply.Rows // nil: those below every answer
	bare     bool       // it stands without buttons, as it could not be stored before
	call     *call      // of those who wait for it; nil for nobody
	ended    Ended
}

// give answers a question, in a new reply or over messages that stand. It starts over if a source
// of the answer is taken back while it is given: deleted, or by somebody who opted out or was
// forgotten.
func (a *attempt) give(ctx context.Context) (Ended, error) {
	if err := a.clear(ctx); err != nil {
		return "", err
	}
	a.asksAgain(ctx)
	var refused *made // by the start before
	for start := 1; ; start++ {
		a.started = time.Now()
		prepared, err := a.deps.Preparer.Prepare(ctx, a.q.Question, a.deps.Loop.Offered())
		if err != nil {
			return a.unprepared(ctx, err, refused)
		}
		before := a.Prepared
		a.Prepared = prepared
		switch {
		case a.next.unchanged == a.Hash: // it was edited back: what stood is its answer
			return a.restore(ctx, nil, Dropped)
		case refused != nil && (start > mostStarts || !a.Calls && slices.EqualFunc(before.Sources, a.Sources, isSame)):
			// What was taken back is the answer itself, or was given back, as when somebody opts in
			// right after they were forgotten. Whatever is answered now is refused as well.
			return a.standUnused(ctx, refused)
		}
		var ended Ended
		if refused, ended, err = a.start(limits.With(ctx, a.Account)); refused == nil {
			return ended, err
		}
		a.log.InfoContext(ctx, "something that an answer was made from was taken back meanwhile, the question is answered anew")
	}
}

// mostStarts bounds how often an attempt starts over, as a person may take back one message after
// the other. The last answer then stands, and is never used.
const mostStarts = 4

// isSame reports whether two sources are the same version of a message.
func isSame(a, b store.SourceRef) bool { return a.Message == b.Message && a.Edited.Equal(b.Edited) }

// start answers a prepared question: with a digest, with a stored answer to an equal path, with one
// that is being made for somebody else, or by asking the model. It returns the answer if one of its
// sources was taken back meanwhile.
func (a *attempt) start(ctx context.Context) (refused *made, ended Ended, err error) {
	made := a.digest(ctx)
	a.deps.Recent.Begins(a.q.repliesTo(), a.Graph, a.Built)
	out := a.deps.Replies.Begin(ctx, a.to())
	if made == nil {
		call, others := a.call()
		defer call.end()
		made = a.reuse(ctx, call, others)
		if made == nil {
			if made, ended, err = a.ask(ctx, out); made == nil {
				return nil, ended, err
			}
			made.call = call
		}
	}
	sent, err := a.finish(ctx, out, made)
	switch {
	case isGone(ctx, err):
		ended, err = a.discard(ctx, out, err)
	case errors.Is(err, store.ErrForgotten):
		a.next.begun = union(out.Stands(), a.next.begun)
		return made, "", nil
	case err != nil:
		ended, err = a.unsent(ctx, err)
	default:
		ended, err = a.unlessGone(ctx, sent, made.ended)
	}
	return nil, ended, err
}

// finish stores an answer, sends the rest of it, and records what was sent. It sends all of it even
// if the question is deleted meanwhile: if sending broke off, nobody would know whether Discord has
// created the message. It fails with store.ErrForgotten if a source was taken back.
func (a *attempt) finish(ctx context.Context, out *reply.Growing, made *made) ([]reply.Sent, error) {
	answering := ctx
	ctx, cancel := a.ending(ctx)
	defer cancel()
	// A response that replaces another counts as shown from now on, as its last edit must not
	// arrive before the observer knows.
	a.deps.Recent.Made(&made.response, a.Graph, a.Built)
	a.deps.Recent.Shows(a.next.over, made.response.ID)
	delivered := telemetry.Stage(ctx, telemetry.Deliver)
	final := reply.Final{Text: made.text, Notice: made.notice, Files: uploads(made.files), Buttons: made.buttons}
	made.response.Owes = len(made.files)
	kept := a.keep(ctx, made.response)
	if made.buttons == nil {
		final.Buttons = a.buttons(ctx, &made.response, a.next.over)
	}
	var err error
	if !kept.within(a.settings.Record) && made.response.Text+made.notice != "" {
		err = out.Text(ctx, made.text, made.notice)
	}
	switch failure := kept.wait(); {
	case errors.Is(failure, store.ErrForgotten):
		return nil, errors.Join(failure, out.Leave(ctx, ""))
	case failure != nil: // nothing that can be pressed may refer to what is not stored
		a.log.Log(ctx, store.LogLevel(failure), "an answer could not be stored, it stands without buttons until it can", "error", failure)
		final.Buttons, made.bare = nil, made.buttons == nil
	}
	if shared := made.response; reusable(&shared) { // a copy, as the response still changes
		made.call.share(&shared)
	}
	var sent []reply.Sent
	if err == nil {
		sent, err = out.Finish(ctx, final)
	}
	delivered()
	if isGone(answering, err) {
		return sent, errors.Join(conversation.ErrQuestionGone, err)
	}
	return a.sent(ctx, made, sent, err)
}

// unlessGone returns what became of an answer that was sent and recorded. If the connection to
// Discord was interrupted meanwhile, or the answer was written over another, it asks whether the
// question still exists. The check that follows an interruption covers only what was recorded
// before it.
func (a *attempt) unlessGone(ctx context.Context, sent []reply.Sent, ended Ended) (Ended, error) {
	switch {
	case isGone(ctx, nil):
		return a.remove(ctx, union(reply.IDs(sent), a.next.begun), Dropped)
	case (!a.growing.heard() || len(a.next.over)+len(a.next.begun) > 0) && a.deps.Replies.IsGone(ctx, a.q.Channel, a.q.ID):
		return a.remove(ctx, union(reply.IDs(sent), a.next.begun), Gone)
	}
	return ended, nil
}
