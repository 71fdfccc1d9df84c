// Package affinity finds which earlier message each message of a channel answers. For every
// message of a window, a small network computes the probability that it answers each of the
// messages before it, or none of them. Package graph derives conversations from these
// links.
//
// It is pure: everything is computed from the window alone. Times are measured in the
// window's own pace, and no word of any language is known in advance.
//
// # How a window is judged
//
// window.go reads the messages and compares each two of them; features.go reads their
// texts. Then each message in turn, oldest first, is the answer of a row (infer.go):
// candidates.go chooses what it may answer, row.go and later.go compute the inputs of each
// such pair (layout.go lists them), and network.go turns inputs into scores and scores into
// probabilities. belief.go follows from them which messages are connected, which later rows
// have as inputs. slow.go corrects scores in slow channels and after pauses.
//
// Teach (teach.go) hands out the inputs of rows, from which lab/train learns the weights
// (weights.go).
package affinity
