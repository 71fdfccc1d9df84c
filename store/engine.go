package store

import (
	"context"
	"io"
	"time"
)

// Engine keeps the bytes of a Store: values and sets, each with a name in a scope
// and a time after which it is gone. Names hold at most 200 bytes, of any kind.
// Engines may be used by several goroutines at once. Every call ends soon after
// its context, and fails with an error that wraps ErrUnavailable when the bytes
// cannot be reached.
type Engine interface {
	Reader
	// Apply applies changes in one round trip. Each is atomic and durable on
	// return, and happens entirely or not at all; several are independent of each
	// other. For each it returns Applied or the index of the first Op whose
	// condition did not hold. Applying a change again leaves what one left.
	Apply(ctx context.Context, changes ...Change) ([]int, error)
	// Sweep removes some entries whose time is over, and says how many. An engine
	// that does this by itself removes none.
	Sweep(ctx context.Context) (int, error)
	io.Closer
}

// Reader is the part of an Engine that reads.
type Reader interface {
	// Get reads values, nil where there is none.
	Get(ctx context.Context, keys ...Key) ([][]byte, error)
	// Follow reads sets of one scope in one round trip, with the records that
	// their members name.
	Follow(ctx context.Context, scope Scope, queries ...Query) ([][]Member, error)
}

// Query asks for the members of a set.
type Query struct {
	Set   string
	Limit int  // where it is not 0, for some: at most so many
	Names bool // for their names alone, not for the records
	Last  bool // where the set has any, no later query is looked at
}

// Key is the full name of an entry.
type Key struct {
	Scope Scope
	Name  string
}

// Member is a member of a set. Where its name starts with RecordPrefix, Value is
// what the entry of that name in the same scope holds, and Linked what the entry
// holds that the record links to (see Link); else, and where there is none, nil.
type Member struct {
	Name   string
	Value  []byte
	Linked []byte
}

// linkAt is where in a record the length of a name stands, in a byte; the name follows.
const linkAt = 5

// Link gives the name of the entry that a record links to, "" where it links to none.
func Link(record []byte) string {
	if len(record) <= linkAt || len(record) <= linkAt+int(record[linkAt]) {
		return ""
	}
	return string(record[linkAt+1 : linkAt+1+int(record[linkAt])])
}

// RecordPrefix starts the names of the values that Follow reads for the members
// that name them.
const RecordPrefix = "r"

// Applied is what Apply returns for a change that was applied.
const Applied = -1

// Change is a list of steps in one scope: first every condition is looked at, and
// where all hold, every step is taken in order.
type Change struct {
	Scope Scope
	Ops   []Op
}

// Op is a condition or a step on the entry Name. Value is the value, the member of
// the set, or the owner of the lease.
type Op struct {
	Kind  OpKind
	Name  string
	Value string
	TTL   time.Duration // from now, more than 0; an engine may add up to an eighth
	Skip  int           // only OpRemove
}

// OpKind says what an Op does. Its numbers are no part of what is stored.
type OpKind uint8

// The conditions: that a value is absent or present, that it is absent or, as a
// string of digits of equal length, less than Value, that a lease is held by the
// owner Value; and the steps. A lease may be lost when every process that could
// hold it has ended.
const (
	OpAbsent  OpKind = iota
	OpPresent        // a value is there
	OpBelow          // no value, or one less than Value
	OpHeld           // the lease is held by the owner
	OpHold           // take or prolong the lease to end after exactly TTL; as a condition, nobody else holds it
	OpFree           // end the lease if the owner holds it
	OpPut            // set a value; its time is prolonged, never shortened
	OpRaise          // set a value where OpBelow would hold; prolong
	OpAdd            // add a member to a set; its time is prolonged, never shortened
	OpRemove         // remove a member; where the set is not empty then, skip the next Skip steps
	OpDelete         // remove a value, or a set with all its members
)
