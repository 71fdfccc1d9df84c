// Package store keeps what heddle must remember: responses by the path they answer,
// what is claimed and done, triggers that wait, ratings, and the channels in which
// people talk to heddle alone. A Store holds these rules once. An Engine, of package
// store/bolt or store/redis, holds the bytes. Both pass the contract of package
// store/storetest. Package store/encrypted stands between a Store and its Engine, and
// encrypts what goes down.
//
// Everything lives in a Scope, and no call reads across two. A response is a record and
// a leaf of a tree. Every turn is stored once, by its prompt hash. Every node of a path
// is the set of what hangs below it, so that a node with nothing below it disappears in
// the same step that erases its last response. Indexes by message, author and channel
// lead a deletion to everything derived from them.
package store
