package e2e_test

import (
	"os"
	"os/exec"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// spawnInto starts heddle in a process of its own that logs to a file, and waits until it is
// connected.
func (s *scene) spawnInto(log *os.File) {
	s.t.Helper()
	program, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	process := exec.Command(program) //nolint:noctx // it is killed with the test
	process.Env, process.Dir = s.environ, s.t.TempDir()
	process.Stdout, process.Stderr = log, log
	connected := s.connecting()
	if err := process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = process.Process.Kill() // it fails only where the process is gone
		_ = process.Wait()         // a killed process ends with an error
	})
	if err := connected(); err != nil {
		s.t.Fatalf("heddle did not connect: %v", err)
	}
}

func TestALogThatNobodyReadsAnyMoreCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Still here."))
	read, log, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	s.spawnInto(log)
	_ = log.Close() // the process has its own
	s.wholeAnswer(s.ask(s.ann, "are you there?"), "Still here.")
}

func TestALogOnAFullDiskCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Still here."))
	log, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err) // only Linux has it
	}
	s.spawnInto(log)
	_ = log.Close() // the process has its own
	s.wholeAnswer(s.ask(s.ann, "are you there?"), "Still here.")
}
