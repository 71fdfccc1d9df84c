// Package dispatch starts work, and starts each piece of work once. Each channel has a
// queue, whose questions are answered one after the other. A claim makes sure that only
// one of several processes answers a question. Questions that were asked while heddle was
// away are answered when it is back.
//
// A question that heddle hears goes through these files:
//
//	dispatch.go  an event comes in: a new message, an edit
//	intake.go    is heddle asked, and may whoever asks be answered
//	asking.go    the question becomes a task
//	queues.go    the task waits for its turn: lane.go orders those of one channel, shares.go
//	             divides what runs between people and guilds, stack.go prepares the goroutine
//	perform.go   an attempt at the task: what is done after it, and whether there is another
//	once.go      this process claims the task, and marks it as done
//	ledger.go    the store keeps the question until it is settled
//
// Attempts fail, and processes end in the middle of one:
//
//	task.go      what a task is, and how long it is tried
//	progress.go  what is known of a task between two attempts: each of its states, and what
//	             leads from one to another
//	delays.go    the next attempt waits until it is due
//	standing.go  which parts of an answer stand on Discord, and whether they are all of it
//	verify.go    an answer to which another process may have written is looked at once more
//	takeover.go  the questions of a process that died are resumed
//	stored.go    questions that found their queue full wait in the store
//
// What was asked while nobody heard it is found by reading channels:
//
//	absence.go   in which channels something may have been missed
//	heard.go     the newest message that was heard in each channel
//	threads.go   threads that were archived meanwhile
//	directs.go   direct messages, which Discord does not list
//	overdue.go   the channels that wait to be read, and their order
//	pace.go      how fast they are read
//	catchup.go   one channel is read, and what was missed in it answered
//	reader.go    the requests for that
//
// What else starts here:
//
//	press.go     presses of buttons, and commands
//	newest.go    an edit or a press that somebody repeats waits once
//	takeback.go  the answers to deleted questions are deleted
//	after.go     writes to the store that wait for the answers in progress
package dispatch
