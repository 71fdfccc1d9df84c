// Package leaktest fails the tests of a package that leave goroutines behind.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heddle/internal/discordtest"
)

// Main runs a package's tests, and fails them where a goroutine of theirs does not
// end. goleak by itself gives goroutines half a second, which those of a connection
// that was closed may need on a loaded machine.
func Main(m *testing.M) {
	if m.Run() != 0 {
		return // and the program ends with that status
	}
	for began := time.Now(); ; {
		err := goleak.Find()
		if err == nil {
			return
		}
		if time.Since(began) > discordtest.Patience {
			fmt.Fprintf(os.Stderr, "goroutines outlive the tests: %v\n", err)
			os.Exit(1)
		}
	}
}
