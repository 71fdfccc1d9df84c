// Package selection holds the ways of choosing a context that heddle is set beside:
// the newest messages, a window of time, a chain of replies. heddle eval measures
// them, heddle explain shows what they would have taken.
package selection
