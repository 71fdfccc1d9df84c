package storetest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"heddle/graph"
	"heddle/store"
	"heddle/store/backup"
	"heddle/store/encrypted"
)

// RunBackup tests backups of one engine that are restored into another. open and anew
// create empty engines.
func RunBackup(t *testing.T, open, anew func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(copied){
		"a backup holds everything, encrypted":            backupWhole,
		"a backup made during writes is whole":            backupDuringWrites,
		"a backup that is cut or damaged is refused":      backupDamaged,
		"a restore that is interrupted is completed":      restoredInSteps,
		"nothing is restored into a store that is in use": restoredIntoNothing,
	} {
		t.Run(name, func(t *testing.T) { test(copied{cipher(t, open), cipher(t, anew)}) })
	}
}

// copied is a store, and an empty store into which it is copied.
type copied struct {
	enciphered

	to enciphered
}

// backup returns a backup of the store.
func (c *copied) backup(from store.Walker) []byte {
	c.Helper()
	var file bytes.Buffer
	_, err := backup.Write(c.ctx, &file, from)
	c.must(err)
	return file.Bytes()
}

// restored restores a backup and returns the restored store, with the key of the
// original.
func (c *copied) restored(file []byte) bench {
	c.Helper()
	_, err := backup.Restore(c.ctx, bytes.NewReader(file), c.to.inner)
	c.must(err)
	return c.to.process(encrypted.New(c.to.inner, encrypted.Options{Master: c.key, Now: c.to.subject.Now}))
}

func backupWhole(c copied) {
	c.must(c.store.Ping(c.ctx))
	everything(c.bench)
	forget(c.bench, []graph.MessageID{40})
	_, err := c.store.Claims.Claim(c.ctx, store.TriggerClaim(9), time.Hour)
	c.must(err)
	file := c.backup(c.inner)
	if bytes.Contains(file, []byte(canary)) {
		c.Error("a word can be read in the backup")
	}
	to := c.restored(file)
	to.must(to.store.Ping(c.ctx))
	is(c.bench, dumpOf(to), dumpOf(c.bench))
	waiting, err := to.store.Backlog.Pending(c.ctx)
	c.must(err)
	if len(waiting) != 1 {
		c.Errorf("%d mentions wait, want 1", len(waiting))
	}
	if _, err := to.store.Claims.Claim(c.ctx, store.TriggerClaim(9), time.Hour); err != nil {
		c.Errorf("what was claimed then cannot be claimed now: %v", err)
	}
	if err := c.to.store.Ping(c.ctx); !errors.Is(err, store.ErrKey) {
		c.Errorf("with another key, opening the restored store returns %v, want %v", err, store.ErrKey)
	}
}

// backupDuringWrites saves and forgets between the steps of a backup. Every answer in
// the backup that was not erased meanwhile must be complete.
func backupDuringWrites(c copied) {
	c.must(c.store.Ping(c.ctx))
	last := graph.MessageID(0)
	saves := func([]store.Entry) {
		last += 10
		c.save(response(home, last, said("Ann", "question "+last.String()), said("Bob", "and?")))
		if last%30 == 0 {
			forget(c.bench, []graph.MessageID{last - 200})
		}
	}
	for range 60 { // enough that a walk takes several steps
		saves(nil)
	}
	to := c.restored(c.backup(&racing{c.inner, saves}))
	report, err := to.store.Archive.Verify(c.ctx, home)
	c.must(err)
	there := make(map[store.ResponseID]bool)
	for r, err := range c.store.Archive.All(c.ctx, home) {
		c.must(err)
		there[r.ID] = !r.Gone()
	}
	for _, fault := range report.Faults {
		if there[fault.Response] {
			c.Errorf("an answer is incomplete: %+v", fault)
		}
	}
	kept := 0
	for r, err := range to.store.Archive.All(c.ctx, home) {
		c.must(err)
		if there[r.ID] {
			kept++
			c.one(to, r)
		}
	}
	if kept < 40 {
		c.Errorf("%d answers are restored, want all 40", kept)
	}
}

// one fails the test unless exactly one answer is found by its trigger, and one by its
// reply.
func (c *copied) one(in bench, r store.Response) {
	c.Helper()
	asked, err := in.store.Responses.ByTrigger(c.ctx, r.Scope, r.Trigger)
	c.must(err)
	if sent := in.byReply(r); len(asked) != 1 || len(sent) != 1 {
		c.Errorf("the answer to %s is found %d times by its trigger, %d times by its reply", r.Trigger, len(asked), len(sent))
	}
}

func backupDamaged(c copied) {
	c.must(c.store.Ping(c.ctx))
	everything(c.bench)
	file := c.backup(c.inner)
	refused := func(what string, file []byte) {
		c.Helper()
		_, err := backup.Restore(c.ctx, bytes.NewReader(file), c.to.inner)
		if !errors.Is(err, backup.ErrDamaged) {
			c.Errorf("%s is restored with %v, want %v", what, err, backup.ErrDamaged)
		}
	}
	refused("nothing", nil)
	refused("another file", []byte("PK\x03\x04"))
	for at := 1; at < len(file); at += len(file)/40 + 1 {
		refused("a cut backup", file[:at])
		flipped := bytes.Clone(file)
		flipped[at] ^= 1
		if at > 9 { // some bytes of gzip's header are not used
			refused("a damaged backup", flipped)
		}
	}
	if left := c.to.entries(); len(left) != 0 {
		c.Errorf("%d entries of damaged backups were restored, want 0", len(left))
	}
}

func restoredInSteps(c copied) {
	c.must(c.store.Ping(c.ctx))
	everything(c.bench)
	file := c.backup(c.inner)
	for steps := 0; ; steps++ {
		_, err := backup.Restore(c.ctx, bytes.NewReader(file), &failing{c.to.inner, steps})
		if err == nil {
			break
		}
		if !errors.Is(err, errEnded) {
			c.Fatal(err)
		}
		if steps == 0 {
			continue // nothing was done
		}
		if _, err := encrypted.IsEncrypted(c.ctx, c.to.inner); !errors.Is(err, store.ErrRestoring) {
			c.Errorf("after %d steps, the store returns %v, want %v", steps, err, store.ErrRestoring)
		}
	}
	is(c.bench, dumpOf(c.to.process(c.to.engine(c.key))), dumpOf(c.bench))
}

func restoredIntoNothing(c copied) {
	c.must(c.store.Ping(c.ctx))
	file := c.backup(c.inner)
	c.must(c.to.store.Ping(c.ctx))
	if _, err := backup.Restore(c.ctx, bytes.NewReader(file), c.to.inner); !errors.Is(err, backup.ErrNotEmpty) {
		c.Errorf("restoring returns %v, want %v", err, backup.ErrNotEmpty)
	}
	c.must(c.to.store.Ping(c.ctx))
}
