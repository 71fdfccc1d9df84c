// Package store keeps what heddle must remember: responses by the path they
// answer, claims and done-marks of triggers, triggers that wait, and where
// people talk to heddle alone. A Store holds these rules once; an Engine, of package
// store/bolt or store/redis, holds the bytes, and both pass the contract of
// package store/storetest.
//
// Everything lives in a Scope, and no call reads across two. A response is a
// record and a leaf of a tree: every turn is kept once by its prompt hash, every
// node of a path is the set of what hangs below it, so that what nothing hangs
// below any more goes away in the same step that erases a response. Indexes by
// message, author and channel lead a deletion to all that was derived from them.
package store
