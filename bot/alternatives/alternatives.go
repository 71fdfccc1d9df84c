// Package alternatives decides which answer a message shows. A question may have
// several answers, its alternatives. People ask for another one, step through them with
// the buttons below, edit their questions, and rate the answers.
//
// The package makes the jobs that package answer does. No other package knows the
// buttons.
package alternatives

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// Settings are the operator's choice of how answers change.
type Settings struct {
	NoButtons bool   // answers have no buttons
	Contact   string // whom people can ask about trouble that lasts; empty for nobody
}

// Deps is what alternatives work with. All fields must be set.
type Deps struct {
	Answers  *answer.Answers
	Store    *store.Store
	Replies  *reply.Replies
	Leases   *answer.Leases
	Inflight *answer.Inflight
	History  *fetch.History
	Guilds   *guilds.Cache
	Gate     *questions.Gate
	Recent   *answer.Recent
	Flush    time.Duration // how long the end of an answer may still be sent at shutdown
	Log      *slog.Logger
}

// Alternatives answers questions, edits of them and presses that ask afresh. Its methods may be
// called from any goroutine.
type Alternatives struct{ *Displays }

// New returns Alternatives that work with deps.
func New(deps Deps, settings Settings) *Alternatives {
	return &Alternatives{&Displays{deps: deps, settings: settings}}
}

// Answer answers a question, which may ask for another answer to an earlier question.
func (a *Alternatives) Answer(ctx context.Context, log *slog.Logger, job answer.Job) (answer.Outcome, error) {
	ctx, end := a.deps.Inflight.Begin(ctx, job.ID)
	defer end()
	// Only the first message of an earlier attempt stays, to be overwritten. The others
	// are deleted at once: if this attempt broke off, they would look like the end of its
	// answer.
	if len(job.Begun) > 1 {
		if err := a.deps.Replies.RemoveAll(ctx, job.Channel, job.Begun[1:]); err != nil {
			return "", fmt.Errorf("%w: %w", answer.ErrUnsent, err)
		}
		job.Begun = job.Begun[:1]
	}
	job = a.aim(job, reply.To{Trigger: job.ID}, nil)
	p, err := a.deps.Answers.Prepare(ctx, job)
	if err != nil {
		return a.deps.Answers.Fail(ctx, log, job, err)
	}
	again, ok := a.askedAgain(ctx, log, p)
	if !ok {
		return a.deps.Answers.Give(ctx, log, p)
	}
	ctx, endAgain := a.deps.Inflight.Begin(ctx, again.ID)
	defer endAgain()
	if p, err = a.deps.Answers.Prepare(ctx, again); err != nil {
		return a.deps.Answers.Fail(ctx, log, job, err)
	}
	outcome, err := a.deps.Answers.Give(ctx, log, p)
	if outcome == answer.Answered {
		a.relabelOthers(ctx, log, again.Question)
	}
	return outcome, err
}

// TakeBack deletes messages of the answer to a question that was deleted.
func (a *Alternatives) TakeBack(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (answer.Outcome, error) {
	return a.deps.Answers.TakeBack(ctx, log, channel, parts)
}

// AllHaveButtons reports whether buttons stand below every whole answer.
func (a *Alternatives) AllHaveButtons() bool { return !a.settings.NoButtons }

// Newest returns the newest answer to a question, and reports whether the store knows one.
func (a *Alternatives) Newest(ctx context.Context, q conversation.Question) (newest store.Response, known bool, err error) {
	responses, err := a.deps.Store.Responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	if err != nil || len(responses) == 0 {
		return store.Response{}, false, err
	}
	return newestAnswer(responses), true, nil
}

// AnsweredVersion returns when the version of its question was made that a response answers; zero
// for the first one.
func AnsweredVersion(r *store.Response) time.Time { return asked(r).Edited }

// askedAgain returns the job of answering an earlier question once more, and reports
// whether p asks for that. It does if it replies to an answer of heddle's and says
// "again" or 🔁 and nothing else. A reply to an answer that is no longer known, or whose
// question is in no message, is a question like any other.
func (a *Alternatives) askedAgain(ctx context.Context, log *slog.Logger, p *answer.Prepared) (again answer.Job, ok bool) {
	asks := &p.Graph.Trigger
	beside, ok := conversation.AsksAgain(asks)
	if !ok {
		return answer.Job{}, false
	}
	response, known, err := a.deps.Store.Responses.ByReply(ctx, p.Place.Scope, beside)
	if err != nil {
		log.DebugContext(ctx, "the answer to give again could not be looked up, the question is a new one", "error", err)
	}
	if !known || response.Channel != p.Channel || response.IsAside() {
		return answer.Job{}, false
	}
	again = p.Job
	again.ID, again.Parts, again.Asker, again.Fresh = response.Trigger, response.Asked, asks.Author, true
	responses, err := a.deps.Store.Responses.ByTrigger(ctx, again.Place.Scope, again.ID)
	if err != nil {
		log.DebugContext(ctx, "the answers to a question could not be looked up, the next counts as its first", "error", err)
	}
	again = a.aim(again, reply.To{Trigger: p.ID}, nil)
	if i := indexOf(responses, response.ID); i >= 0 {
		newest := newestAnswer(responses)
		again.Generation = a.generation(ctx, log, again.Question, &responses[i], &newest)
	}
	return again, true
}

// generation returns the generation of the next answer to a question, asked for below
// the answer that stands. Alternatives of one generation answer the same version of it: if the
// question has changed, the next answer belongs to the newest generation, or to
// another. If the question cannot be read, it counts as unchanged.
func (a *Alternatives) generation(ctx context.Context, log *slog.Logger, q conversation.Question, stands, newest *store.Response) int {
	now, err := a.deps.Answers.Read(ctx, q)
	if err != nil {
		log.DebugContext(ctx, "a question could not be compared with what was answered, it counts as unchanged", "error", err)
		return stands.Generation
	}
	for _, answered := range []*store.Response{stands, newest} {
		if now.Edited.Equal(asked(answered).Edited) {
			return answered.Generation
		}
	}
	return newest.Generation + 1
}

// asked returns the question that a response answers as a source: by whom, and when the
// version was made that was answered. It is zero if that is not recorded.
func asked(r *store.Response) store.SourceRef {
	i := slices.IndexFunc(r.Sources, func(ref store.SourceRef) bool { return ref.Message == r.Trigger })
	if i < 0 {
		return store.SourceRef{}
	}
	return r.Sources[i]
}

// newestAnswer returns the response that stands below the question itself: the first
// of the last generation, as "again" asked for those after it.
func newestAnswer(responses []store.Response) store.Response {
	return slices.MinFunc(responses, func(a, b store.Response) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), store.Given(&a).Compare(store.Given(&b)))
	})
}

// indexOf returns the index of a response; -1 if it is not among them.
func indexOf(all []store.Response, id store.ResponseID) int {
	return slices.IndexFunc(all, func(r store.Response) bool { return r.ID == id })
}
