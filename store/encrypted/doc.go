// Package encrypted puts encryption between a store and its engine. What the engine
// then holds can be read only with the master key, which is kept elsewhere.
//
// Every scope has a random key, which is stored in the scope, wrapped by the master
// key. From it derive the keys for values, for names and for members of sets:
//
//   - A value is encrypted with XChaCha20-Poly1305. Its scope and name are associated
//     data, so that a value that was moved elsewhere does not decrypt.
//   - A name is replaced by a keyed hash, HMAC-SHA-256. A record's id is encrypted
//     instead, because it is also a member of sets.
//   - A member of a set has to be found and read back, so it is encrypted
//     deterministically, with AES-SIV. The name of its set is associated data.
//
// Destroying a scope's key makes everything in it unreadable, in copies too. Every
// write is on the condition that the scope's key is still the one it was made with, so
// that nothing is written under a key that another process has destroyed.
//
// What holds no text stays as it is: leases, marks of deletions, lists of scopes, and
// the names in the store's own scopes. The names of marks and leases are hashed with a
// key of the whole store, because a mark outlasts the key of its scope.
package encrypted
