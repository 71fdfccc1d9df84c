package store

import (
	"context"
	"io"
	"time"
)

// Engine stores bytes: values and sets, each under a name in a scope and with an expiry. It
// knows nothing of what they mean, nor of encryption. A name is at most 200 arbitrary
// bytes. A value and a set may not have the same name. An Engine may be used by several
// goroutines at once. Every call returns soon after its context ends. It fails with an
// error that wraps ErrUnavailable if the bytes cannot be reached.
type Engine interface {
	// Read calls read with a Reader of a scope, maybe several times, and returns its error.
	Read(ctx context.Context, scope Scope, read func(Reader) error) error
	// Update makes changes, in order. Each is atomic, and all are durable when Update
	// returns. The first change that fails ends the call with its error; those before it
	// are made.
	Update(ctx context.Context, changes ...Change) error
	// Walk calls f with all entries that have not expired, some at a time and in no
	// particular order. Leases may be among them, and entries may come twice. Entries
	// that are stored or removed during the walk may come or not. f may change the
	// store. Walk ends with the first error of f.
	Walk(ctx context.Context, f func([]Entry) error) error
	// Sweep removes some expired entries and returns how many. An engine that expires
	// entries by itself returns 0.
	Sweep(ctx context.Context) (int, error)
	io.Closer
}

// Change is a transaction in one scope. Make decides what to write from what it reads.
// If it returns an error, nothing is written. It may be called several times: if what it
// read has changed meanwhile, or if the reply to its writes was lost. So it must
// take its own writes, when it finds them, for success.
type Change struct {
	Scope Scope
	Make  func(Reader) ([]Write, error)
}

// Reader reads in one scope. In a transaction it returns what was stored before that.
type Reader interface {
	// Get reads values in one round trip. An absent value is nil.
	Get(names ...string) ([][]byte, error)
	// Members reads sets in one round trip, of each those members first that expire last.
	Members(sets ...string) ([][]string, error)
}

// Write is a step of a transaction.
type Write struct {
	Kind   WriteKind
	Name   string
	Value  string        // of WritePut and WriteKeep
	Member string        // of WriteAdd and WriteRemove
	TTL    time.Duration // of WritePut, WriteKeep and WriteAdd: the time until the entry expires, more than 0
}

// WriteKind is what a Write does.
type WriteKind uint8

// The kinds of writes.
const (
	WritePut    WriteKind = iota // set a value; prolong its expiry, never shorten it
	WriteKeep                    // set a value that expires when the one before it does
	WriteDelete                  // remove a value, or a set with all its members
	WriteAdd                     // add a member to a set; prolong its expiry, never shorten it
	WriteRemove                  // remove a member of a set
)

// Key is the full name of an entry.
type Key struct {
	Scope Scope
	Name  string
}

// Entry is a value, or a member of a set.
type Entry struct {
	Key
	Member string // "" unless it is a member of a set; no member is empty
	Value  []byte
	TTL    time.Duration // time left until the entry expires, more than 0
}

// leasePrefix begins the names of leases, and no others.
const leasePrefix = "l"

// IsLease reports whether a name is that of a lease, sealed or not. A lease is a value
// that an engine may drop once every process that could hold it has ended.
func IsLease(name string) bool { return name != "" && name[:1] == leasePrefix }
