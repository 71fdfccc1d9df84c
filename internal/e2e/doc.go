// Package e2e holds the end-to-end tests: the whole program, started as main starts
// it, against a Discord server and a model of our own.
package e2e
