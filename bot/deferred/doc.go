// Package deferred makes changes to the store in the background, in order, and repeats
// them while the store cannot be reached.
package deferred
