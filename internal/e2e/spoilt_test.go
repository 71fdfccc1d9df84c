package e2e_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/bolt"
)

// TestAFlippedByteIsPassedOverAndToldOnce damages a stored answer on disk.
func TestAFlippedByteIsPassedOverAndToldOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four, as ever."), openaitest.Answer("Afresh: four."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	r.end()
	if n := s.flip(); n != 1 {
		t.Fatalf("%d answers are found on disk, want 1", n)
	}

	r = s.start()
	s.sums(r, "Afresh: four.")
	s.sums(r, "Afresh: four.")
	r.end()
	logs := r.logs.String()
	if n := strings.Count(logs, "a stored entry is damaged and is ignored"); n != 1 {
		t.Errorf("it is logged %d times, want 1", n)
	}
	if !strings.Contains(logs, "counts.requests=2 counts.hits=1 counts.misses=0 counts.coalesced=0 counts.bypassed=0 counts.rejected=1") {
		t.Error("the damaged answer is not counted")
	}
}

// flip changes a bit of every answer on disk, and returns how many there are.
func (o *operator) flip() (flipped int) {
	o.t.Helper()
	engine, err := bolt.Open(bolt.Options{Dir: o.data})
	if err != nil {
		o.t.Fatal(err)
	}
	err = engine.Walk(o.ctx, func(entries []store.Entry) error {
		for _, entry := range entries {
			if !store.IsRecord(entry.Name) || entry.Member != "" {
				continue
			}
			flipped++
			entry.Value[len(entry.Value)-1] ^= 1
			_, err := engine.Apply(o.ctx, store.Change{Scope: entry.Scope, Ops: []store.Op{
				{Kind: store.OpPut, Name: entry.Name, Value: string(entry.Value), TTL: entry.TTL},
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, engine.Close()); err != nil {
		o.t.Fatal(err)
	}
	return flipped
}

// TestARedisThatRefusesCostsNoAnswer lets a Redis become full, or a replica, while
// heddle runs. The log reports it and its end, each in one line.
func TestARedisThatRefusesCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refuse, mend []string
		over         string
	}{
		"OOM":        {[]string{"CONFIG", "SET", "maxmemory", "1"}, []string{"CONFIG", "SET", "maxmemory", "0"}, "the store has room again"},
		"READONLY":   {[]string{"REPLICAOF", "127.0.0.1", "1"}, []string{"REPLICAOF", "NO", "ONE"}, "the store works again"},
		"NOREPLICAS": {[]string{"CONFIG", "SET", "min-replicas-to-write", "1"}, []string{"CONFIG", "SET", "min-replicas-to-write", "0"}, "the store works again"},
		"NOPERM":     {[]string{"ACL", "SETUSER", "default", "-@all", "+acl"}, []string{"ACL", "SETUSER", "default", "+@all"}, "the store works again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			server := s.redis()
			r := s.start("REDIS_URL=" + server.URL())
			s.asks("one?", "One.")
			if _, err := server.Do(s.ctx, test.refuse...); err != nil {
				t.Fatal(err)
			}
			s.asks("two?", "Two.")
			s.asks("three?", "Three.")
			if went, back := r.outages(t); went != 1 || back != 0 {
				t.Errorf("the log says %d times that the store went and %d times that it came back, want 1 and 0", went, back)
			}
			if _, err := server.Do(s.ctx, test.mend...); err != nil {
				t.Fatal(err)
			}
			for question := 'a'; !strings.Contains(r.logs.String(), test.over); question++ {
				s.asks(string(question)+"?", "Yes.")
			}
			if went, back := r.outages(t); went != 1 || back != 1 {
				t.Errorf("the log says %d times that the store went and %d times that it came back, want 1 and 1", went, back)
			}
		})
	}
}

// TestARedisThatAnswersWithErrorsCostsNoAnswer lets Redis answer every command of heddle's
// with an error for a while. The log reports it once, with what to mend, and its end once.
func TestARedisThatAnswersWithErrorsCostsNoAnswer(t *testing.T) {
	t.Parallel()
	for refusal, logged := range map[string]string{
		"LOADING Redis is loading the dataset in memory":                                 "Redis is loading",
		"MOVED 3999 127.0.0.1:6381":                                                      "REDIS_URL must begin with redis+cluster:",
		"MISCONF Redis is configured to save RDB snapshots":                              "MISCONF",
		"NOSCRIPT No matching script":                                                    "NOSCRIPT",
		"WRONGTYPE Operation against a key holding the wrong kind of value":              "WRONGTYPE",
		"CLUSTERDOWN The cluster is down":                                                "CLUSTERDOWN",
		"TRYAGAIN Multiple keys request during rehashing of slot":                        "TRYAGAIN",
		"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN": "BUSY",
	} {
		name, _, _ := strings.Cut(refusal, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			relay := s.relayed()
			r := s.start("REDIS_URL=" + relay.URL())
			s.asks("one?", "One.")
			relay.Refuse(map[string]string{"": refusal})
			s.asks("two?", "Two.")
			s.asks("three?", "Three.")
			r.oneOutage(t, 0)
			if warnings := r.warnings(); len(warnings) != 1 || !strings.Contains(warnings[0], logged) {
				t.Errorf("the log warns %q, want one line with %q in it", warnings, logged)
			}
			relay.Refuse(nil)
			for question := 'a'; !strings.Contains(r.logs.String(), "the store works again"); question++ {
				s.asks(string(question)+"?", "Yes.")
			}
			s.asks("and now?", "Now.")
			r.oneOutage(t, 1)
			s.oneEach(s.channel)
		})
	}
}

// TestARedisThatForgetsScriptsIsSentThemAgain lets Redis know no script by its digest, as
// after a restart.
func TestARedisThatForgetsScriptsIsSentThemAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	relay := s.relayed()
	r := s.start("REDIS_URL=" + relay.URL())
	relay.Refuse(map[string]string{"evalsha": "NOSCRIPT No matching script. Please use EVAL."})
	s.asks("one?", "One.")
	s.asks("two?", "Two.")
	if warnings := r.warnings(); len(warnings) > 0 {
		t.Errorf("the log warns %q, want no warnings", warnings)
	}
}

// relayed returns a Relay to a Redis of its own.
func (s *scene) relayed() *redistest.Relay {
	s.t.Helper()
	relay, err := redistest.Forward(s.ctx, s.redis())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return relay
}

// TestAStoreOfAnotherHeddleIsRefusedInASentence is about files that cannot be used.
func TestAStoreOfAnotherHeddleIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	newer := func(s *scene) []string {
		engine, err := bolt.Open(bolt.Options{Dir: s.data})
		if err != nil {
			s.t.Fatal(err)
		}
		change := store.Change{Scope: store.ScopeMeta, Ops: []store.Op{{Kind: store.OpPut, Name: "schema", Value: "99", TTL: time.Hour}}}
		if _, err := engine.Apply(s.ctx, change); err != nil {
			s.t.Fatal(err)
		}
		if err := engine.Close(); err != nil {
			s.t.Fatal(err)
		}
		return nil
	}
	foreign := func(s *scene) []string {
		db, err := bbolt.Open(filepath.Join(s.data, bolt.FileName), 0o600, nil)
		if err == nil {
			err = errors.Join(db.Update(func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("recipes"))
				return err
			}), db.Close())
		}
		if err != nil {
			s.t.Fatal(err)
		}
		return nil
	}
	newerRedis := func(s *scene) []string {
		server := s.redis()
		if _, err := server.Do(s.ctx, "SET", "heddle:{_meta}:schema", "99"); err != nil {
			s.t.Fatal(err)
		}
		return []string{"REDIS_URL=" + server.URL()}
	}
	for name, test := range map[string]refused{
		"a newer schema":          {newer, cli.StatusMisuse, "newer"},
		"a newer schema in Redis": {newerRedis, cli.StatusMisuse, "newer"},
		"another program's file":  {foreign, cli.StatusMisuse, "heddle.db holds none of heddle's data and is left as it is; name a folder of heddle's own"},
	} {
		t.Run(name, test.holds)
	}
}

// TestAFullDiskCostsNoAnswer runs heddle where files cannot grow. Small entries still fit
// into free pages, but the log reports the full disk and its end in one line each.
func TestAFullDiskCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to bound files with")
	}
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("there is nothing to give a process room with")
	}
	s.always(openaitest.Answer("Noted: " + strings.Repeat("over and under, ", 100)))
	s.stored().Close()
	// In blocks of 512 or 1024 bytes: more than the new file has, less than it would grow to.
	c := s.spawnBy([]string{shell, "-c", `ulimit -S -f 400 && exec "$0"`})
	notes := 0
	note := func() {
		notes++
		s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("note %d %s", notes, strings.Repeat("x", 1000)))}), "Noted")
	}
	told := func(of string) int { return strings.Count(c.logs.String(), of) }
	for told("the disk is full") == 0 {
		note()
	}
	for told("an answer could not be recorded") < 3 {
		note()
	}
	if full, room := told("the store is full"), told("the store has room again"); full != 1 || room != 0 {
		t.Errorf("it is logged %d times that the store is full and %d times that it has room, want 1 and 0", full, room)
	}
	lift := exec.CommandContext(s.ctx, prlimit, "--pid", strconv.Itoa(c.command.Process.Pid), "--fsize=unlimited")
	if out, err := lift.CombinedOutput(); err != nil {
		t.Fatalf("room could not be given: %v: %s", err, out)
	}
	for told("the store has room again") == 0 {
		note()
	}
	if full, away := told("the store is full"), told("the store is unavailable"); full != 1 || away != 0 {
		t.Errorf("it is logged %d times that the store is full and %d times that it does not work, want 1 and 0", full, away)
	}
	if status := c.terminate(); status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", status, cli.StatusDone)
	}
}
