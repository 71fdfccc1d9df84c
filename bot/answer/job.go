// Package answer answers one question:
//
//	prepare → look up → ask → deliver → record
//
// Prepare reads the conversation and shapes it into a path. An equal path that was
// answered before is answered alike; for any other the model is asked, and its answer
// streams to Discord. The record is what follow-up questions build on.
//
// The package knows neither queues nor buttons. A Target, which package alternatives
// makes, decides where an answer goes and what stands below it.
package answer

import (
	"context"
	"log/slog"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// Question is a message that asks heddle.
type Question struct {
	Guild   graph.GuildID // zero in a direct message
	Channel graph.ChannelID
	ID      graph.MessageID
	Place   guilds.Place
	// Asker is who asks if that is not the author of the question. Tools may read what
	// the asker may read.
	Asker graph.UserID
	// Chosen is by what the question is answered in place of what the operator chose; nil
	// for what admins chose in its channel.
	Chosen *store.Override
	// said is the question itself if it stands in no message; else nil.
	said *graph.Message
	// Retried is set if the question was tried to be answered before, and Begun are the
	// messages that stand of that. The answer is written over them.
	Retried bool
	Begun   []graph.MessageID
	// Yields is set if a process of which the store does not know may answer the question,
	// too: see outbox.To.
	Yields bool
	// Sent, if set, is given the messages of the answer once all were sent.
	Sent func(sent []outbox.Sent)
}

// language returns the language of what is said below the question.
func (q *Question) language() phrases.Language { return phrases.In(q.Place.Locale) }

// Job is one answer to be given to a question.
type Job struct {
	Question

	Target Target
	Fresh  bool // no stored answer will do
	// Generation counts from 0 how often an edit of the question was answered.
	Generation int
}

// Target is where an answer goes: a new reply, or the messages of an answer that it
// replaces.
type Target interface {
	// To returns the messages to write. Its Trigger is the message to reply to; Over
	// is empty for a new reply.
	To() outbox.To
	// Final returns what ends an answer that is about to be recorded: the notice, and
	// whatever else stands below its text.
	Final(ctx context.Context, log *slog.Logger, made *store.Response, notice string) outbox.Final
	// Growing returns what stands below the answer while it grows, and a channel that is
	// closed when somebody stops it; nil if nobody can. End must be called. Asker is who
	// the answer is for.
	Growing(ctx context.Context, asker graph.UserID) (below outbox.Rows, stopped <-chan struct{}, end func())
	// Tell says something to whoever is waiting for this answer in particular, such as
	// the person who pressed a button for it, and to nobody else.
	Tell(ctx context.Context, said phrases.Phrase)
	// Restore shows the answer again that this one was to replace.
	Restore(ctx context.Context, log *slog.Logger) error
}

// to returns the messages that the job's answer is written to.
func (j *Job) to() outbox.To {
	to := j.Target.To()
	to.Generation, to.Begun, to.Yields = j.Generation, j.Begun, j.Yields
	return to
}

// answers returns the message that the answer replies to.
func (j *Job) answers() graph.MessageID { return j.Target.To().Trigger }

// over returns the messages of the answer that this one replaces; none for a new reply.
func (j *Job) over() []graph.MessageID { return j.Target.To().Over }

// Outcome is what came of a job, in the word that its claim is marked as done with.
type Outcome string

// The outcomes of a job.
const (
	Answered Outcome = "answered"
	Reused   Outcome = "reused"  // a stored answer was given again
	Failed   Outcome = "failed"  // people were told why
	Found    Outcome = "found"   // the answer stood already
	Dropped  Outcome = "dropped" // nobody is there to read an answer, or none is needed
	Denied   Outcome = "denied"  // heddle may not write there
)
