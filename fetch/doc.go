// Package fetch hides where messages come from: Discord's REST history, a bounded
// log of each channel that gateway events keep true, and the files attached to
// messages.
//
// The log of a channel holds messages ordered by graph Position, and knows for
// which stretches of ids ("spans") it holds everything there is. Reads are answered
// from spans; what lies outside costs a REST read, of which a mention may cause
// one for its channel and one for each reference outside of what is held.
//
// # Locks
//
// History.mu guards which channel logs exist, their order of use and the sum of
// what they hold. channelLog.mu guards one channel's log. Where both are held,
// History.mu was taken first. Neither is held over I/O, over a callback or while
// waiting for anything else. Methods whose names end in Locked expect the lock of
// their receiver to be held.
package fetch
