// Package inspect shows what is stored, verifies it, and exports it as training data,
// for the commands tree, verify and export. It only reads.
package inspect
