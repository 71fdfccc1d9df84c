package e2e_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// spawnInto starts heddle in a process of its own that logs to a file, waits until it is
// connected, and returns the process.
func (s *scene) spawnInto(log *os.File) *exec.Cmd {
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
	return process
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

// stalledPipe returns the two ends of a pipe that holds as much as it can.
func stalledPipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = read.Close(), write.Close() })
	if err := write.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := write.Write(make([]byte, 16<<20)); !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 {
		t.Fatalf("a pipe took %d bytes and then failed with %v, want it to be full", n, err)
	}
	return read, write
}

func TestALogWhoseReaderHasStalledCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Still here."))
	read, log := stalledPipe(t)
	process := s.spawnInto(log)
	_ = log.Close() // the process has its own
	for _, who := range []graph.UserID{s.ann, s.bob, s.ann} {
		s.wholeAnswer(s.ask(who, "are you there?"), "Still here.")
	}
	var got lockedBuffer
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		_, _ = io.Copy(&got, read) // ends with the process
	}()
	if err := got.awaitTimes(s.ctx, `msg="a task is done"`, 3); err != nil {
		t.Errorf("the log does not hold what was logged while nobody read it: %v", err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-reading
}

func TestALogWhoseReaderHasStalledDoesNotKeepHeddleFromEnding(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	_, log := stalledPipe(t)
	process := s.spawnInto(log)
	_ = log.Close() // the process has its own
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("heddle ended with %v, want status 0", err)
		}
	case <-s.ctx.Done():
		t.Fatal("heddle did not end, want it to end although nobody reads its log")
	}
}
