package answer

import (
	"errors"
	"log/slog"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/store"
)

// Cause is the reason for which Answer is called.
type Cause uint8

// The causes.
const (
	Asked   Cause = iota // the question was just heard
	Changed              // it was edited, or got another part
	Deleted              // it was deleted
	Missed               // it was found in a channel or in the store: anything may have happened to it
	Checked              // its answer is looked at once more, as another process may have written to it
	Pressed              // ↻: it is answered once more, in place of what a message shows
)

// Question is a question, and what the caller knows of its answer.
type Question struct {
	conversation.Question

	Cause Cause
	// Asks is set if the question is to be answered. Otherwise only an answer that it has is to
	// agree with it.
	Asks    bool
	Version time.Time // of the newest edit that was heard of; zero for none
	// Answer lists the messages of the answer to a deleted question, if they are known. Nothing is
	// read then.
	Answer []graph.MessageID
	Before Outcome       // of this process's attempt before; zero for none
	Late   bool          // its lifetime has ended
	Press  *Press        // nil unless Pressed
	Taken  store.Pending // what the store holds of the question until it is settled
	// Stored is closed once the store holds that, or is away. Nothing is sent before; nil for no wait.
	Stored <-chan struct{}
	// Beside is the message that says "again", if the question is asked once more there. It holds
	// the claim then, and the answer replies to it.
	Beside graph.MessageID
}

// repliesTo returns the message that the answer replies to. Its claim is that of the answer.
func (q *Question) repliesTo() graph.MessageID {
	if q.Beside != 0 {
		return q.Beside
	}
	return q.ID
}

// log returns the log of what is done with the question.
func (q *Question) log(log *slog.Logger) *slog.Logger {
	return log.With("trigger", q.ID, "channel", q.Channel)
}

// at returns a message in the question's channel.
func (q *Question) at(message graph.MessageID) store.Place {
	return store.Place{Scope: q.Place.Scope, Channel: q.Channel, Message: message}
}

// Ended is what became of a question, in one word. The done-mark of its claim holds it.
type Ended string

// The ways in which an attempt ends.
const (
	Answered Ended = "answered"
	Reused   Ended = "reused"  // a stored answer was given again
	Failed   Ended = "failed"  // people were told why
	Found    Ended = "found"   // there already was an answer
	Dropped  Ended = "dropped" // nobody can read an answer, or none is needed
	Gone     Ended = "gone"    // the question was deleted
	Denied   Ended = "denied"  // heddle may not write there
	Torn     Ended = "torn"    // a message of the answer was deleted while it was sent
)

// Outcome is the outcome of an attempt. The caller passes it to the next attempt.
type Outcome struct {
	Ended   Ended     // "" if the attempt failed
	Version time.Time // of the question as it was read; zero for the first
	// Sent holds the whole answer if this process sent it, and SentFor the version of the question
	// that it answers. They tell what the store may have forgotten.
	Sent     []reply.Sent
	SentFor  time.Time
	Unkept   bool           // the answer was sent and could not be stored
	Unmarked store.Lease    // under which it was done, if the store could not be told; else zero
	Begun    bool           // a part of an answer may stand
	Doubt    bool           // another process may have written to the answer, so it is looked at once more
	Done     bool           // another process did it; nothing was looked at
	Looked   bool           // some attempt had the claim
	Err      error          // with which the attempt failed
	Tell     phrases.Phrase // for the person who pressed; zero for nothing
}

// The errors of Answer after which it may be called again; so it may after store.ErrHeld and
// store.ErrUnavailable. Any other error is final. They are also the causes with which contexts of
// answers end.
var (
	// ErrShutdown means that heddle is stopping.
	ErrShutdown = errors.New("heddle is stopping")
	// ErrLost means that the lease has ended and another process may have taken over.
	ErrLost = errors.New("the claim was lost")
	// ErrUnsent means that Discord did not accept an answer, but may do so later.
	ErrUnsent = errors.New("the answer could not be sent yet")
	// ErrChanged means that the question was edited and is to be answered again.
	ErrChanged = errors.New("the question was edited")
	// ErrHalted means that somebody stopped an answer. Its text so far is the whole answer.
	ErrHalted = errors.New("somebody stopped the answer")
)
