// Package cli is heddle's command line. It reads the settings, puts the parts of the
// program together and runs one command, each from a file of its own.
package cli
