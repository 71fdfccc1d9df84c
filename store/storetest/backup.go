package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/backup"
)

// RunBackup tests backups of one engine that are restored into another. open and anew
// create empty engines.
func RunBackup(t *testing.T, open, anew func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(copied){
		"a backup holds everything, under another key":    backupWhole,
		"a backup made during writes is whole":            backupDuringWrites,
		"a backup that is cut or damaged is refused":      backupDamaged,
		"a restore that is interrupted is completed":      restoredInSteps,
		"nothing is restored into a store that is in use": restoredIntoNothing,
	} {
		t.Run(name, func(t *testing.T) {
			test(copied{newBench(t, Encrypted(open)(t)), newBench(t, Encrypted(anew)(t))})
		})
	}
}

// copied is a store, and an empty store with another key into which it is copied.
type copied struct {
	of bench
	to bench
}

// backup returns a backup of the store.
func (c *copied) backup(from *store.Store) []byte {
	c.of.Helper()
	var file bytes.Buffer
	_, err := backup.Write(c.of.ctx, &file, from.Archive, c.of.subject.Key)
	errtest.None(c.of, err)
	return file.Bytes()
}

// restore restores a backup.
func (c *copied) restore(file []byte) error {
	_, err := backup.Restore(c.of.ctx, bytes.NewReader(file), c.to.store.Archive, c.of.subject.Key)
	return err
}

// contents returns everything that can be read of a store as text.
func contents(b bench) map[string]string {
	b.Helper()
	seen := look(b)
	for _, scope := range []store.Scope{home, lone} {
		for id, text := range walk(b, scope) {
			seen[id.String()] = text
		}
	}
	return seen
}

func backupWhole(c copied) {
	everything(c.of)
	forget(c.of, []graph.MessageID{40})
	_, err := c.of.store.Claims.Claim(c.of.ctx, store.TriggerClaim(9), time.Hour)
	errtest.None(c.of, err)
	file := c.backup(c.of.store)
	if bytes.Contains(file, []byte(canary)) {
		c.of.Error("a word can be read in the backup")
	}
	_, err = backup.Restore(c.of.ctx, bytes.NewReader(file), c.to.store.Archive, c.to.subject.Key)
	c.of.ends("with another key, restoring", err, backup.ErrKey)
	errtest.None(c.of, c.restore(file))
	errtest.None(c.to, c.to.store.Ping(c.of.ctx))
	is(c.of, contents(c.to), contents(c.of))
	if day, _, err := c.to.store.Budgets.Spending(c.of.ctx, c.of.subject.Now(), store.Spender{Person: 9}); err != nil || day.Prompt != 20 {
		c.of.Errorf("%d tokens are counted, %v, want 20", day.Prompt, err)
	}
	if _, err := c.to.store.Claims.Claim(c.of.ctx, store.TriggerClaim(9), time.Hour); err != nil {
		c.of.Errorf("what was claimed then cannot be claimed now: %v", err)
	}
	c.of.ends("with the old key, opening the restored store", c.to.process(c.of.subject.Key).store.Ping(c.of.ctx), store.ErrKey)
	if bytes.Contains(c.to.subject.Dump(), []byte(canary)) {
		c.of.Error("a word can be read in the restored store")
	}
}

// racing is an engine that calls a function between the parts of a walk.
type racing struct {
	store.Engine

	between func()
}

func (r *racing) Walk(ctx context.Context, f func([]store.Entry) error) error {
	const some = 100
	return r.Engine.Walk(ctx, func(entries []store.Entry) error {
		for part := range slices.Chunk(entries, some) {
			r.between()
			if err := f(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// backupDuringWrites saves and forgets between the steps of a backup. Every answer in
// the backup that was not erased meanwhile must be complete.
func backupDuringWrites(c copied) {
	last := graph.MessageID(0)
	saves := func() {
		last += 10
		c.of.save(response(home, last, said("Ann", "question "+last.String()), said("Bob", "and?")))
		if last%30 == 0 {
			forget(c.of, []graph.MessageID{last - 200})
		}
	}
	for range 60 { // enough that a walk takes several steps
		saves()
	}
	raced := c.of.subject
	raced.Engine = &racing{c.of.subject.Engine, saves}
	errtest.None(c.of, c.restore(c.backup(newBench(c.of.T, raced).store)))
	faults, _ := c.to.verify(home)
	there := make(map[store.ResponseID]bool)
	for r, err := range c.of.store.Archive.All(c.of.ctx, home) {
		errtest.None(c.of, err)
		there[r.ID] = !r.Gone()
	}
	for id, fault := range faults {
		if there[id] {
			c.of.Errorf("an answer is incomplete: %v", fault)
		}
	}
	kept := 0
	for r, err := range c.to.store.Archive.All(c.of.ctx, home) {
		errtest.None(c.of, err)
		if there[r.ID] {
			kept++
			c.one(c.to, r)
		}
	}
	if kept < 40 {
		c.of.Errorf("%d answers are restored, want all 40", kept)
	}
}

// one fails the test unless exactly one answer is found by its trigger, and one by its
// reply.
func (c *copied) one(in bench, r store.Response) {
	c.of.Helper()
	asked, err := in.store.Responses.ByTrigger(c.of.ctx, r.Scope, r.Trigger)
	errtest.None(c.of, err)
	if sent := in.byReply(r); len(asked) != 1 || len(sent) != 1 {
		c.of.Errorf("the answer to %s is found %d times by its trigger, %d times by its reply", r.Trigger, len(asked), len(sent))
	}
}

func backupDamaged(c copied) {
	everything(c.of)
	file := c.backup(c.of.store)
	refused := func(what string, file []byte) {
		c.of.Helper()
		if err := c.restore(file); !errors.Is(err, backup.ErrDamaged) && !errors.Is(err, backup.ErrFormat) && !errors.Is(err, backup.ErrKey) {
			c.of.Errorf("%s is restored with %v, want it refused", what, err)
		}
	}
	refused("nothing", nil)
	refused("another file", []byte("PK\x03\x04"))
	refused("more than a backup", append(bytes.Clone(file), 0))
	for at := 1; at < len(file); at += len(file)/40 + 1 {
		refused("a cut backup", file[:at])
		flipped := bytes.Clone(file)
		flipped[at] ^= 1
		refused("a damaged backup", flipped)
	}
	c.of.ends("restoring a backup of an earlier version", c.restore([]byte("\x1f\x8b\x08 as earlier versions wrote\n")), backup.ErrFormat)
	if left := c.to.entries(); len(left) != 0 {
		c.of.Errorf("%d entries of damaged backups were restored, want 0", len(left))
	}
}

func restoredInSteps(c copied) {
	everything(c.of)
	file := c.backup(c.of.store)
	for steps := 0; ; steps++ {
		ends := c.to.over(&faulty{Engine: c.to.subject.Engine, left: steps})
		_, err := backup.Restore(c.of.ctx, bytes.NewReader(file), ends.store.Archive, c.of.subject.Key)
		if err == nil {
			break
		}
		if !errors.Is(err, errEnding) {
			c.of.Fatal(err)
		}
		if steps == 0 {
			continue // nothing was done
		}
		c.of.ends(fmt.Sprintf("after %d steps, opening the store", steps), c.to.process(c.to.subject.Key).store.Ping(c.of.ctx), store.ErrRestoring)
	}
	is(c.of, contents(c.to.process(c.to.subject.Key)), contents(c.of))
}

func restoredIntoNothing(c copied) {
	errtest.None(c.of, c.of.store.Ping(c.of.ctx))
	file := c.backup(c.of.store)
	errtest.None(c.of, c.to.store.Ping(c.of.ctx))
	c.of.ends("restoring", c.restore(file), store.ErrNotEmpty)
	errtest.None(c.of, c.to.store.Ping(c.of.ctx))
}
