// Package chaos runs heddle as real processes between test servers for Discord and the
// model, and breaks what it depends on: processes are killed and paused, sockets are
// cut, events come twice and in another order, requests fail after they took effect,
// Redis stops and loses its data, the connection to it is slow, cut or half open for
// one of several processes, the disk is full, the model fails in the middle of an
// answer, and questions are edited and deleted before, while and after they are answered. Some are asked
// by an edit, and some go on in a second message. People press the buttons below answers within a
// second. An oracle then reads the messages on Discord, what is stored, and what those read who
// pressed, and judges the answers.
//
//	go test ./internal/chaos                     about three minutes, as a gate
//	make soak                                    10,000 mentions, and an hour in which nothing may grow
//
// A mention is posted only while fewer than 40 others wait for their answers. Otherwise
// questions could wait in a queue for longer than CATCH_UP and be dropped as too old,
// which is not a fault.
//
// Each run prints one line with its seed and a count for each verdict, and fails if one is not fine.
// CHAOS_SEED repeats the choices of a run,
// though not its timing. CHAOS_LOGS names a directory for the logs of all processes. If
// the oracle finds a fault, the requests that wrote to Discord are stored there, too.
package chaos
