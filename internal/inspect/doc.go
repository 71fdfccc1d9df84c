// Package inspect shows what is stored, verifies it, and exports it as training data,
// for the commands tree, verify and export. It only reads.
//
// Read (tree.go) makes a Tree of a scope's paths, which show.go writes. Match (match.go) looks
// up how much of a conversation is stored. Verify (verify.go) recalculates every hash. An
// Exporter (export.go) makes samples of responses (sample.go) and a row of each (row.go).
package inspect
