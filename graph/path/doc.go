// Package path turns a graph into what a model is sent: turns, oldest first, with
// the system prompt as root and the trigger last, and a tail with what changes from
// mention to mention. It also names paths: every turn, path, answer and request has
// a hash over a canonical encoding.
package path
