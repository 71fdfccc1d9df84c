// Package chaos runs heddle as real processes between a Discord and a model of our own,
// and breaks what it depends on: processes are killed and paused, sockets are cut, events
// come twice and in another order, requests fail after they took effect, Redis stops and
// forgets, the way to it is slow, cut or half open for one process of several, the disk is
// full, the model fails in mid-answer, questions are deleted while they are answered. An
// oracle then reads what stands on Discord.
//
//	go test ./internal/chaos                     about a minute, as a gate
//	make soak                                    10,000 mentions, and an hour in which nothing may grow
//
// A mention is posted only while fewer than 40 are open, that is, wait for their answers.
// So what is measured is heddle and not a backlog: a question that waits in a queue for
// longer than CATCH_UP is dropped as too old, which is no fault.
//
// Each run prints one line with its seed. CHAOS_SEED repeats the choices of a run, though
// not its timing. CHAOS_LOGS names a directory for the logs of all processes and, if the
// oracle finds fault, for what Discord was asked to write.
package chaos
