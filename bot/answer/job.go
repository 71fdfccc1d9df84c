package answer

import (
	"context"
	"log/slog"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// Question is a question that is to be answered, with what is known of earlier attempts.
type Question struct {
	conversation.Question

	// Retried is set if an earlier attempt to answer the question may have sent
	// something. Begun holds the messages of that attempt, which the answer overwrites.
	Retried bool
	Begun   []graph.MessageID
	// Yields is set if another process, which the store does not know of, may answer
	// the question as well; see outbox.To.
	Yields bool
	Record Record // nil: nobody continues the answer if this process dies
}

// Record is what is kept of a question while it is answered, so that another process can
// continue if this one dies.
type Record interface {
	// Stored waits until the store holds it; see outbox.To.
	Stored(ctx context.Context)
	// Sent remembers the messages of the answer once all were sent.
	Sent(sent []outbox.Sent)
}

// language returns the language of everything that heddle adds to the answer.
func (q *Question) language() phrases.Language { return phrases.In(q.Place.Locale) }

// Job is one answer to be given to a question.
type Job struct {
	Question

	Target Target
	Fresh  bool // no stored answer may be given
	// Generation is the number of times that an edit of the question was answered.
	Generation int
}

// Target is the place of an answer: a new reply, or the messages of an answer that it
// replaces.
type Target interface {
	// To returns the messages to write. Its Trigger is the message to reply to; Over
	// is empty for a new reply.
	To() outbox.To
	// Final returns what completes an answer that is about to be recorded: the notice,
	// and everything else below its text.
	Final(ctx context.Context, log *slog.Logger, made *store.Response, notice string) outbox.Final
	// Growing returns what is shown below the answer while it grows, and a channel that
	// is closed when somebody stops the answer, or nil if nobody can. The caller must
	// call end. asker is the person whom the answer is for.
	Growing(ctx context.Context, asker graph.UserID) (below outbox.Rows, stopped <-chan struct{}, end func())
	// Tell tells something only to the person who waits for this answer in particular,
	// such as the one who pressed a button for it.
	Tell(ctx context.Context, said phrases.Phrase)
	// Restore shows the answer again that this one was meant to replace.
	Restore(ctx context.Context, log *slog.Logger) error
}

// Prepared is a job with everything that its answer is made from.
type Prepared struct {
	Job
	*conversation.Prepared

	gone    func(context.Context) bool // see outbox.To; nil before anything is sent
	started time.Time
}

// to returns where the job's answer is written.
func (j *Job) to() outbox.To {
	to := j.Target.To()
	to.Generation, to.Begun, to.Yields = j.Generation, j.Begun, j.Yields
	to.CutText = j.language().Text(phrases.NoticeCut, nil)
	if j.Record != nil {
		to.Stored = j.Record.Stored
	}
	return to
}

// answers returns the message that the answer replies to.
func (j *Job) answers() graph.MessageID { return j.Target.To().Trigger }

// over returns the messages of the answer that this one replaces, or none for a new
// reply.
func (j *Job) over() []graph.MessageID { return j.Target.To().Over }

// Outcome is the outcome of a job. It is stored in the done-mark of the job's claim.
type Outcome string

// The outcomes of a job.
const (
	Answered Outcome = "answered"
	Reused   Outcome = "reused"  // a stored answer was given again
	Failed   Outcome = "failed"  // people were told why
	Found    Outcome = "found"   // there already was an answer
	Dropped  Outcome = "dropped" // nobody can read an answer, or none is needed
	Gone     Outcome = "gone"    // the question was deleted, and no event told so
	Denied   Outcome = "denied"  // heddle may not write there
	Torn     Outcome = "torn"    // a message of the answer was deleted while it was sent
)
