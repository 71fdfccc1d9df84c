// Package encrypted puts encryption between a store and its engine. What the engine
// stores can then be read only with the master key, which is kept elsewhere.
//
// Every scope has a random key, which is stored in the scope, wrapped by the master
// key. Separate keys for values, for names and for members of sets are derived from it:
//
//   - A value is encrypted with XChaCha20-Poly1305. Its scope and name are associated
//     data, so a value that was moved to another place does not decrypt.
//   - A name is replaced by a keyed hash, HMAC-SHA-256. The id of a record is encrypted
//     instead, because it is also a member of sets.
//   - A member of a set must both be found by its value and be read back. It is
//     therefore encrypted deterministically, with AES-SIV. The name of its set is
//     associated data.
//
// Destroying a scope's key makes everything in the scope unreadable, even in copies of
// the store. Every write is conditional on the scope's key, so that nothing is written
// under a key that another process has destroyed.
//
// Entries that contain no text are not encrypted: leases, marks of deletions, lists of
// scopes, and the names in the store's own scopes. The names of marks and leases are
// hashed with a key of the whole store, because a mark outlives the key of its scope.
package encrypted
