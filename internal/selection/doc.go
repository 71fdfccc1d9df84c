// Package selection implements simple strategies for choosing a context, with which
// heddle is compared: the newest messages, a window of time, a chain of replies. heddle
// eval measures them, and heddle explain shows what they would have taken.
package selection
