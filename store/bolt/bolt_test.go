package bolt_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"heddle/internal/errtest"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

// clock is a clock that tests can advance.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, subject)
}

func TestContractEncrypted(t *testing.T) {
	t.Parallel()
	storetest.RunEncrypted(t, subject)
}

func TestABackupRestoresTheWholeStore(t *testing.T) {
	t.Parallel()
	storetest.RunBackup(t, subject, subject)
}

func TestInterruptedOperations(t *testing.T) {
	t.Parallel()
	storetest.Interrupted(t, subject)
}

func subject(t *testing.T) storetest.Subject {
	t.Helper()
	dir, clock := t.TempDir(), new(clock)
	db := open(t, bolt.Options{Dir: dir, Now: clock.Now})
	db.Unsynced()
	return storetest.Subject{
		Engine: db, Now: clock.Now, Advance: clock.Advance,
		Dump: func() []byte {
			return errtest.Must(os.ReadFile(filepath.Join(dir, bolt.FileName)))(t)
		},
	}
}

func open(tb testing.TB, options bolt.Options) *bolt.DB {
	tb.Helper()
	if options.LockTimeout == 0 {
		options.LockTimeout = time.Minute // a process that another test has just started may hold the file for a moment
	}
	db := errtest.Must(bolt.Open(options))(tb)
	tb.Cleanup(func() { errtest.None(tb, db.Close()) })
	return db
}
