// Package store keeps what heddle must remember: responses by the path they answer,
// claims and done-marks, waiting triggers, ratings, and the direct messages in which
// heddle talks. A Store implements the rules. An Engine, of package store/bolt or
// store/redis, stores the bytes. Both engines pass the contract in package
// store/storetest.
//
// A rule that depends on what is stored is a transaction (tx) in one scope: its
// conditions are Go, it reads what was stored before it, and it writes when it ends. It
// may run several times, and therefore takes its own writes for success. It also seals
// what is written and opens what is read, so that neither the rules nor the engines know
// of encryption.
//
// Everything is stored in a Scope. Calls about stored text read one scope only. A response
// is a record, and its path and tools are an entry of their own, because a mention reads the
// records of all answers among its messages and the paths of none. Indexes by message,
// author and channel lead a deletion to everything that was derived from them. There is
// one walk over these indexes, of the eraser, whatever was deleted.
//
// Each part of a Store, such as Claims or Deletions, is in the file that has its name;
// responses.go stores responses, lookup.go finds them, and choices.go holds what people and
// admins chose. names.go lists the names of all entries.
package store
