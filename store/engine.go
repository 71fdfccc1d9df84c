package store

import (
	"context"
	"io"
	"time"
)

// Engine stores the bytes of a Store: values and sets, each with a name in a scope and
// an expiry. A name is at most 200 arbitrary bytes. An Engine may be used by several
// goroutines at once. Every call returns soon after its context ends. It fails with an
// error that wraps ErrUnavailable if the bytes cannot be reached.
type Engine interface {
	Reader
	// Apply applies changes in one round trip. Each change is atomic, and durable when
	// Apply returns. Several changes are independent of each other. For each, Apply
	// returns Applied or the index of the first Op whose condition did not hold.
	// Applying a change twice has the same effect as applying it once, except that
	// OpCount and OpWindow count twice.
	Apply(ctx context.Context, changes ...Change) ([]int, error)
	// Sweep removes some expired entries and returns how many. An engine that expires
	// entries by itself returns 0.
	Sweep(ctx context.Context) (int, error)
	io.Closer
}

// Reader is the reading part of an Engine.
type Reader interface {
	// Get reads values. An absent value is nil.
	Get(ctx context.Context, keys ...Key) ([][]byte, error)
	// Follow reads sets of one scope in one round trip, together with the records that
	// the members are names of.
	Follow(ctx context.Context, scope Scope, queries ...Query) ([][]Member, error)
}

// Walker is the part of an engine that encrypts and copies whole stores.
type Walker interface {
	// Walk calls f with all entries that have not expired, some at a time and in no
	// particular order. Leases may be among them, and entries may come twice. Entries
	// that are stored or removed during the walk may come or not. f may change the
	// store. Walk ends with the first error of f.
	Walk(ctx context.Context, f func([]Entry) error) error
}

// Entry is a value, or a member of a set.
type Entry struct {
	Key
	Member string // "" for a value; no member is empty
	Value  []byte
	TTL    time.Duration // time left until the entry expires, more than 0
}

// Query asks for the members of a set.
type Query struct {
	Set   string
	Limit int  // if not 0: return at most this many members
	Names bool // return only names, not records
	Last  bool // if the set has members, ignore all later queries
}

// Key is the full name of an entry.
type Key struct {
	Scope Scope
	Name  string
}

// Member is a member of a set. If its name is a record's, Value is the value with that
// name in the same scope, and Linked is the value that the record links to (see Link).
// Both are nil if the name is not a record's or if there is no such value.
type Member struct {
	Name   string
	Value  []byte
	Linked []byte
}

// linkAt is the offset in a record of the length of a linked name, one byte. The name
// follows.
const linkAt = 5

// Link returns the name of the entry that a record links to, or "".
func Link(record []byte) string {
	if len(record) <= linkAt || len(record) <= linkAt+int(record[linkAt]) {
		return ""
	}
	return string(record[linkAt+1 : linkAt+1+int(record[linkAt])])
}

// RecordPrefix begins the names of records. Follow reads the values of members whose
// names begin with it. In an encrypted store it is in upper case.
const RecordPrefix = "r"

// IsRecord reports whether a name is a record's, encrypted or not.
func IsRecord(name string) bool { return name != "" && name[0]|0x20 == RecordPrefix[0] }

// KeyName is the name of the entry with a scope's key in an encrypted store. Without it
// nothing else in the scope can be read.
const KeyName = "key"

// IsLease reports whether an entry is a lease.
func IsLease(at Key) bool {
	if at.Scope != "" && at.Scope[0] == '_' {
		return at.Name == claimName
	}
	return at.Name != "" && at.Name[0]|0x20 == leadPrefix[0]
}

// Lasting reports whether an entry can still be found after the key of its scope was
// destroyed. That holds for marks of deletions and for leases.
func Lasting(name string) bool {
	return name != "" && (name[0] == markPrefix[0] || name[0] == leadPrefix[0])
}

// Applied is what Apply returns for a change that was applied.
const Applied = -1

// Change is a list of ops in one scope. If the conditions of all ops hold, every step
// is taken, in order. Otherwise none is.
type Change struct {
	Scope Scope
	Ops   []Op
}

// Op is a condition or a step on the entry Name. Value is the value, the member of the
// set, or the owner of the lease. Values that OpBelow, OpSame and OpRaise compare are
// not encrypted. OpBelow compares values that OpRaise set.
type Op struct {
	Kind  OpKind
	Name  string
	Value string
	TTL   time.Duration // time until the entry expires, more than 0; an engine may add up to an eighth
	Skip  int           // only OpRemove
	Most  int64         // only OpCount and OpWindow; 0: any number
}

// OpKind is what an Op does. The numbers are not stored.
type OpKind uint8

// The first five are conditions, and the others are steps. OpHold, OpCount and OpWindow
// are both. OpBelow compares strings of digits of equal length. An engine may drop a
// lease once every process that could hold it has ended.
const (
	OpAbsent  OpKind = iota
	OpPresent        // the value exists
	OpSame           // the value is Value
	OpBelow          // the value is absent or less than Value
	OpHeld           // the owner Value holds the lease
	OpHold           // take or prolong the lease, to end after exactly TTL; the condition is that nobody else holds it
	OpFree           // end the lease if the owner holds it
	OpPut            // set a value; prolong its expiry, never shorten it
	OpRaise          // set a value if OpBelow holds; prolong its expiry
	OpAdd            // add a member to a set; prolong its expiry, never shorten it
	OpRemove         // remove a member; if the set is not empty then, skip the next Skip steps
	OpDelete         // remove a value, or a set with all its members
	OpCount          // add the whole number Value to a counter, never below 0; the condition for a positive Value is that the result is at most Most; prolong its expiry
	OpWindow         // like OpCount, but a counter that exists keeps its expiry
)
