// Package affinity tells which talk a message belongs to. A small listwise model
// gives every message of a window a probability for each earlier message of being
// what it answers, or for answering none of them; from these follows, exactly, the
// probability of every message to hang together with the trigger, and the cut
// where the expected F1 of the conversation is highest.
//
// It is pure: everything is computed from the window alone, in times measured in
// the window's own pace, and no word of any language is known to it.
package affinity
