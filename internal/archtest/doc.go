// Package archtest holds the shape of the program in tests: who may import what and
// why, where the environment is read, that documents name what exists. A rule that
// is in the way is changed here, with its reason, or not at all.
package archtest
