// Package affinity finds which talk a message belongs to. For every message of a
// window, a small listwise model computes the probability that it answers each of the
// messages before it, or none of them. Package graph derives the conversation from
// these links.
//
// It is pure: everything is computed from the window alone, in times measured in
// the window's own pace, and no word of any language is known to it.
package affinity
