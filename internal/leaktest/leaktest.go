// Package leaktest fails the tests of a package if they leave goroutines behind.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heddle/internal/discordtest"
)

// Main runs a package's tests and exits with status 1 if a goroutine outlives them by
// more than discordtest.Patience. goleak.VerifyTestMain allows half a second, which is
// too short for closed connections on a loaded machine.
func Main(m *testing.M) {
	if m.Run() != 0 {
		return // the testing package exits with the status
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
