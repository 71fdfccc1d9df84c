// Package clitest runs heddle for tests, with other timings than operators have.
package clitest

import (
	"io"
	"os"
	"strings"
	"time"

	"heddle/internal/cli"
)

// Process returns a process for cli.Run with an environment. Variables called like those of
// times become the process's timings and are removed; of several values the last counts.
func Process(environ []string, stdout, stderr io.Writer) cli.Process {
	p := cli.Process{Read: os.ReadFile, Stdout: stdout, Stderr: stderr}
	times := map[string]*time.Duration{
		"CLAIM_LEASE": &p.Timings.Lease, "SHUTDOWN_GRACE": &p.Timings.Grace,
		"LLM_PATIENCE": &p.Timings.Patience, "EDITED_TTL": &p.Timings.Edited, "RECORD_WAIT": &p.Timings.Record, "DEAF_AFTER": &p.Timings.Deaf,
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		timing, is := times[name]
		if !is {
			p.Environ = append(p.Environ, entry)
			continue
		}
		var err error
		if *timing, err = time.ParseDuration(value); err != nil {
			panic(err) // a fault of the test
		}
	}
	return p
}
