package bolt_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"heddle/internal/redistest"
	"heddle/store/bolt"
	"heddle/store/shared"
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
	storetest.Run(t, storetest.Encrypted(subject))
}

func TestABackupRestoresTheWholeStore(t *testing.T) {
	t.Parallel()
	storetest.RunBackup(t, subject, subject)
}

// TestContractShared runs the contract over a socket, as a process that does not hold
// the file itself would use the store.
func TestContractShared(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Encrypted(besideSubject))
	storetest.RunEncrypted(t, besideSubject)
}

// besideSubject is subject with a socket between the store and the engine.
func besideSubject(t *testing.T) storetest.Subject {
	t.Helper()
	s := subject(t)
	dir, err := redistest.ShortDir("heddle")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	file := filepath.Join(dir, "socket")
	held, _ := s.Engine.(shared.Engine)
	server, err := shared.Serve(t.Context(), stays{held}, file)
	must(t, err)
	t.Cleanup(func() { must(t, server.Close()) })
	s.Engine, err = shared.Dial(t.Context(), file)
	must(t, err)
	return s
}

// stays is an engine that ignores Close, because somebody else closes it.
type stays struct{ shared.Engine }

func (stays) Close() error { return nil }

func TestInterruptedEncryptedOperations(t *testing.T) {
	t.Parallel()
	storetest.InterruptedCalls(t, storetest.Encrypted(subject))
}

func TestInterruptedOperations(t *testing.T) {
	t.Parallel()
	storetest.InterruptedCalls(t, subject)
}

func subject(t *testing.T) storetest.Subject {
	t.Helper()
	dir, clock := t.TempDir(), new(clock)
	db := open(t, bolt.Options{Dir: dir, Now: clock.Now})
	return storetest.Subject{
		Engine: db, Now: clock.Now, Advance: clock.Advance, Readable: true,
		Dump: func() []byte {
			content, err := os.ReadFile(filepath.Join(dir, bolt.FileName))
			if err != nil {
				t.Fatal(err)
			}
			return content
		},
	}
}

func open(tb testing.TB, options bolt.Options) *bolt.DB {
	tb.Helper()
	if options.LockTimeout == 0 {
		options.LockTimeout = time.Minute // a process that another test has just started may hold the file for a moment
	}
	db, err := bolt.Open(options)
	must(tb, err)
	tb.Cleanup(func() { must(tb, db.Close()) })
	return db
}
