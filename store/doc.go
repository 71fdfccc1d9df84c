// Package store keeps what heddle must remember: responses by the path they answer,
// claims and done-marks, waiting triggers, ratings, and the direct messages in which
// heddle talks. A Store implements the rules. An Engine, of package store/bolt or
// store/redis, stores the bytes. Both engines pass the contract in package
// store/storetest. Package store/encrypted is an Engine on top of another one, and
// encrypts what it stores there.
//
// Everything is stored in a Scope. Calls about stored text read one scope only. The
// paths of a scope form a tree, in which responses are the leaves. Every turn is stored
// once, by its prompt hash. A node of the tree is stored as the set of its children, so
// it disappears in the same step that erases its last response. Indexes by message,
// author and channel lead a deletion to everything that was derived from them.
//
// Each part of a Store, such as Responses or Deletions, is in the file that has its name.
// names.go lists the names of all entries.
package store
