package store

import (
	"context"
	"io"
	"time"
)

// Engine keeps the bytes of a Store: values and sets, each with a name in a scope and
// an expiry. A name is at most 200 bytes of any kind. An Engine may be used by several
// goroutines at once. Every call ends soon after its context, and fails with an error
// that wraps ErrUnavailable if the bytes cannot be reached.
type Engine interface {
	Reader
	// Apply applies changes in one round trip. Each change is atomic, and durable on
	// return; several are independent of each other. For each it returns Applied or the
	// index of the first Op whose condition did not hold. Applying a change again has
	// no further effect, except that OpCount and OpWindow count again.
	Apply(ctx context.Context, changes ...Change) ([]int, error)
	// Sweep removes some expired entries and returns how many. An engine that expires
	// entries by itself returns 0.
	Sweep(ctx context.Context) (int, error)
	io.Closer
}

// Reader is the reading part of an Engine.
type Reader interface {
	// Get reads values. An absent one is nil.
	Get(ctx context.Context, keys ...Key) ([][]byte, error)
	// Follow reads sets of one scope in one round trip, with the records that their
	// members name.
	Follow(ctx context.Context, scope Scope, queries ...Query) ([][]Member, error)
}

// Walker is the part of an engine by which whole stores are encrypted and copied.
type Walker interface {
	// Walk calls f with all entries that have not expired, some at a time and in no
	// particular order. Leases may be among them, and entries may come twice. It ends
	// with the first error of f, which may change the store. Whether it returns what is
	// stored or removed meanwhile is undefined.
	Walk(ctx context.Context, f func([]Entry) error) error
}

// Entry is a value, or a member of a set.
type Entry struct {
	Key
	Member string // "" for a value; no member is empty
	Value  []byte
	TTL    time.Duration // what is left of it, more than 0
}

// Query asks for the members of a set.
type Query struct {
	Set   string
	Limit int  // if not 0: return at most so many members
	Names bool // return only names, not records
	Last  bool // if the set has members, ignore all later queries
}

// Key is the full name of an entry.
type Key struct {
	Scope Scope
	Name  string
}

// Member is a member of a set. If its name is a record's, Value is the value of that
// name in the same scope, and Linked is the value that the record links to (see Link).
// Otherwise, and if there is no such value, both are nil.
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

// RecordPrefix starts the names of members whose values Follow reads. In a store that is
// encrypted it is in upper case.
const RecordPrefix = "r"

// IsRecord reports whether a name is a record's, encrypted or not.
func IsRecord(name string) bool { return name != "" && name[0]|0x20 == RecordPrefix[0] }

// KeyName is the name of the entry with a scope's key, in a store that is encrypted.
// Without it, nothing else in the scope can be read.
const KeyName = "key"

// IsLease reports whether an entry is a lease.
func IsLease(at Key) bool {
	if at.Scope != "" && at.Scope[0] == '_' {
		return at.Name == claimName
	}
	return at.Name != "" && at.Name[0]|0x20 == leadPrefix[0]
}

// Lasting reports whether an entry can still be found after the key of its scope was
// destroyed: a mark of a deletion, or a lease.
func Lasting(name string) bool {
	return name != "" && (name[0] == markPrefix[0] || name[0] == leadPrefix[0])
}

// Applied is what Apply returns for a change that was applied.
const Applied = -1

// Change is a list of steps in one scope. If all conditions among them hold, every step
// is taken in order; otherwise none is.
type Change struct {
	Scope Scope
	Ops   []Op
}

// Op is a condition or a step on the entry Name. Value is the value, the member of the
// set, or the owner of the lease. What OpBelow, OpSame and OpRaise compare is not
// encrypted: OpBelow compares what OpRaise set.
type Op struct {
	Kind  OpKind
	Name  string
	Value string
	TTL   time.Duration // from now, more than 0; an engine may add up to an eighth
	Skip  int           // only OpRemove
	Most  int64         // only OpCount and OpWindow; 0: any number
}

// OpKind is what an Op does. The numbers are not stored.
type OpKind uint8

// The first five are conditions, the others steps; OpHold, OpCount and
// OpWindow are both. OpBelow
// compares strings of digits of equal length. A lease may be lost when every process that
// could hold it has ended.
const (
	OpAbsent  OpKind = iota
	OpPresent        // the value exists
	OpSame           // the value is Value
	OpBelow          // the value is absent or less than Value
	OpHeld           // the owner Value holds the lease
	OpHold           // take or prolong the lease, to end after exactly TTL; the condition is that nobody else holds it
	OpFree           // end the lease if the owner holds it
	OpPut            // set a value; prolong its time, never shorten it
	OpRaise          // set a value if OpBelow holds; prolong its time
	OpAdd            // add a member to a set; prolong its time, never shorten it
	OpRemove         // remove a member; if the set is not empty then, skip the next Skip steps
	OpDelete         // remove a value, or a set with all its members
	OpCount          // add the whole number Value to a counter, never below 0; if it is positive, the condition is that the counter is then at most Most; prolong its time
	OpWindow         // OpCount, but a counter that exists keeps its time
)
