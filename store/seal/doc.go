// Package seal encrypts what a store keeps under one master key. A name is replaced by a
// keyed hash. A value and a member of a set are sealed by AES-SIV with the place where
// they are stored as associated data, so that they open nowhere else. Inside, each
// carries its own name, so that a store can be read entry by entry and written anew under
// another key. Equal contents of one place look equal; nothing else can be compared.
//
// Without a key all is sealed with one that everybody knows. That hides nothing from
// whoever looks for it, but tells damage.
package seal
