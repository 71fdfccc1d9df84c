// Package seal encrypts what a store keeps under one master key. A name is replaced by a
// keyed hash. A value and a member of a set are sealed by AES-SIV with the place where
// they are stored as associated data, so that they open nowhere else. Inside, each
// carries its own name, so that a store can be read entry by entry and written anew under
// another key. Equal contents of one place look equal; nothing else can be compared.
//
// Without a key nothing is hidden, and a checksum takes the place of the seal.
package seal
