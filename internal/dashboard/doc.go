// Package dashboard shows an operator what a running heddle has just done: the graph of each
// of its latest answers, with what was sent, and its counts.
//
// What people wrote is not kept here. A drawing holds lengths in place of texts, and numbers
// in place of names. An operator who allows texts sees those that heddle's history still
// holds at that moment: what is deleted on Discord is gone from here as well.
//
// Without a token the pages are served on loopback addresses alone, and under these names
// alone, which defeats DNS rebinding. With one, every request needs it as the password of
// HTTP's basic authentication.
package dashboard
