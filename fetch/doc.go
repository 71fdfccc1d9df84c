// Package fetch hides where messages come from: Discord's REST history, a bounded log
// of each channel that gateway events keep up to date, and the files attached to
// messages.
//
// The log of a channel holds messages ordered by their graph Position, and knows the
// stretches of ids ("spans") of which it holds every message. Reads are answered from
// spans. Anything else costs a REST read. A mention may cause one for its channel, and
// one for each reference that leads outside of the spans.
//
// # Locks
//
// logs.mu guards which channel logs exist, their order of use and the sum of their
// sizes. channelLog.mu guards the log of one channel. If both are held, logs.mu was
// taken first. Neither is held over I/O, over a callback or while waiting for anything
// else. Methods whose names end in Locked expect the lock of their receiver to be held.
package fetch
