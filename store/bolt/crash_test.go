package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// TestMain lets the test binary also be the process that tests kill. With the arguments
// "child" and a directory it saves responses there, and prints each one after it was
// saved.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		if err := child(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	m.Run()
}

func child(dir string) error {
	db, err := bolt.Open(bolt.Options{Dir: dir})
	if err != nil {
		return err
	}
	s := store.New(db, store.Options{})
	if _, err := s.Claims.Claim(context.Background(), store.TriggerClaim(1), 1e12); err != nil {
		return err
	}
	for trigger := graph.MessageID(1); ; trigger++ {
		if err := s.Responses.Save(context.Background(), storetest.Example("g1", trigger)); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(os.Stdout, trigger)
	}
}

func spawn(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "child", dir)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	return command, bufio.NewScanner(out)
}

func TestAKilledProcessLeavesNothingHalfDoneAndNoClaim(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{1, 2, 7, 20} {
		t.Run(strconv.Itoa(lines), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			command, out := spawn(t, dir)
			saved := 0
			for saved < lines && out.Scan() {
				saved++
			}
			if _, err := bolt.Open(bolt.Options{Dir: dir, LockTimeout: 1}); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "DATA_DIR") {
				t.Errorf("a second process gets %v, want %v and %q in it", err, store.ErrLocked, "DATA_DIR")
			}
			must(t, command.Process.Kill())
			for out.Scan() {
				saved++
			}
			_ = command.Wait() // it was killed
			s := store.New(open(t, bolt.Options{Dir: dir}), store.Options{})
			if _, err := s.Claims.Claim(t.Context(), store.TriggerClaim(1), 1e9); err != nil {
				t.Errorf("the dead process's claim is not free: %v, want no error", err)
			}
			for trigger := range graph.MessageID(saved + 3) {
				if n := whole(t, s, storetest.Example("g1", trigger+1)); n == 0 && int(trigger) < saved {
					t.Fatalf("response %d is lost, want all of the %d that were saved", trigger+1, saved)
				}
			}
		})
	}
}

// whole returns how often a response is stored. It fails the test if only a part of the
// response is stored.
func whole(t *testing.T, s *store.Store, r store.Response) int {
	t.Helper()
	byPath, err := storetest.ByPath(t.Context(), s, r)
	must(t, err)
	byTrigger, err := s.Responses.ByTrigger(t.Context(), r.Scope, r.Trigger)
	must(t, err)
	byReply, err := s.Responses.ByReplies(t.Context(), r.Scope, []graph.MessageID{r.Replies[0].ID})
	must(t, err)
	n := len(byPath)
	if n != len(byTrigger) || n != len(byReply) || n > 1 {
		t.Fatalf("response %d is found %d times by path, %d by trigger, %d by reply, want it once or never, by each alike", r.Trigger, n, len(byTrigger), len(byReply))
	}
	for _, found := range byPath {
		_, err := s.Responses.Turns(t.Context(), found)
		must(t, err)
	}
	return n
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
