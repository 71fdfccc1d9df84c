package answer

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// Record is what is kept of a question while it is answered, so that another process can
// continue if this one dies.
type Record interface {
	// Stored waits until the store holds it. It is called before anything is sent: otherwise
	// nobody would complete what stands of the answer if the process died.
	Stored(ctx context.Context)
	// Remember remembers the messages of the answer once all were sent, and returns what is
	// stored with it: that the question is answered.
	Remember(sent []reply.Sent) []store.Also
}

// Job is one answer to be given to a question, with what is known of earlier attempts.
type Job struct {
	conversation.Question

	// Retried is set if an earlier attempt to answer the question may have sent
	// something. Begun holds the messages of that attempt, which the answer overwrites.
	Retried bool
	Begun   []graph.MessageID
	Record  Record // nil: nobody continues the answer if this process dies

	// Where are the messages to write. Its Trigger is the message to reply to; Over is empty
	// for a new reply.
	Where  reply.To
	Target Target // nil for an aside
	Fresh  bool   // no stored answer may be given
	// Generation is the number of times that an edit of the question was answered.
	Generation int
	anew       int // how often it was given anew; see Answers.anew
}

// language returns the language of everything that heddle adds to the answer.
func (j *Job) language() phrases.Language { return phrases.In(j.Place.Locale) }

// Target completes an answer where it goes: in a new reply, or in the messages of an answer
// that it replaces.
type Target interface {
	// Buttons returns the buttons below an answer that is about to be recorded.
	Buttons(ctx context.Context, log *slog.Logger, made *store.Response) reply.Rows
	// Growing returns what is shown below the answer while it grows. It has stop called when
	// somebody stops the answer. The caller must call end. asker is the person whom the
	// answer is for.
	Growing(asker graph.UserID, stop func()) (below reply.Rows, end func())
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

	ready   func(context.Context) error // see reply.To
	started time.Time
}

// to returns where the answer is written.
func (p *Prepared) to() reply.To {
	to := p.Where
	to.Generation, to.Begun, to.Ready = p.Generation, p.Begun, p.ready
	to.CutText = p.language().Text("notice_cut", nil)
	to.Hosts = HostsNamed(p.Built.Path.Turns)
	return to
}

// HostsNamed returns the hosts that people named in a conversation. Hosts in files and
// earlier answers do not count, as people did not choose them. turns must not change
// afterwards.
func HostsNamed(turns []path.Turn) split.Hosts {
	return sync.OnceValue(func() []string {
		var texts []string
		for _, turn := range turns {
			if turn.Role == path.RoleUser {
				texts = append(texts, turn.PlainText())
			}
		}
		return split.HostsIn(texts...)
	})
}

// standing returns the messages that may show a part of a job's answer, given those
// that were sent, oldest first.
func (j *Job) standing(sent []reply.Sent) []graph.MessageID {
	all := append(reply.IDs(sent), j.Begun...)
	slices.Sort(all)
	return slices.Compact(all)
}

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
