// Package questions decides what a question is (of.go) and who may ask one (gate.go), tells the others
// why they are not answered (told.go), and has every question answered once (questions.go).
//
// There is one thing to do with a question: make its answer agree with the question as it
// reads now. A new question, an edit, a deletion, a question that nobody heard, and one that
// another process left behind all become a task of the same kind, and a question has one open
// task at most. Three parts do the rest.
//
// The queue. Each channel has a queue (queue.go). Askers take turns in it, and what runs at a time
// is divided between people and guilds. A queue is bounded: what finds it full waits in the store,
// and is looked up there once there is room.
//
// The attempt (attempt.go). A new question, an edit, a deletion or a question that was missed starts a
// task, which waits in its channel's queue. Its turn calls answer.Answerer.Answer, which claims the
// question, looks at what stands, and decides. The outcome decides whether it is called again: an
// answer to which another process may have written is looked at once more when that process can write
// no longer, and what fails is tried again with growing pauses until the lifetime of the question
// ends, and for longer if a half answer stands. What is known of each open question is in open.go.
//
// The parts. A question may stand in several messages (parts.go). Which they are follows from the
// channel alone, so a process that does not know them reads it.
//
// The recovery. The store holds a record of every question from when it is heard until it is
// settled. Each process looks there for questions that others left behind (resume.go). After a gap
// in the events the channels that may hold missed questions are read (missed.go, reader.go), and
// everything that answers were made from is compared with Discord (check.go). A shard that hears
// nothing for suspiciously long is treated like one that was away (deaf.go).
//
// What comes in is taken by questions.go, and by interactions.go for buttons and commands.
package questions
