package shared

import (
	"errors"
	"fmt"

	"heddle/store"
)

// request is one call. Its first field that is set determines the method.
type request struct {
	Get     []store.Key
	Follow  *follow
	Changes []store.Change
	Walk    bool
	Sweep   bool
}

type follow struct {
	Scope   store.Scope
	Queries []store.Query
}

// answer is the result of a call or, for Walk, a part of it.
type answer struct {
	Values  []value
	Members [][]member
	Failed  []int
	Entries []entry
	Swept   int

	Last  bool
	Fault fault
}

// value is the wire form of a value. It exists because gob does not distinguish nil
// from empty.
type value struct {
	There bool
	Bytes []byte
}

func outValue(b []byte) value { return value{b != nil, b} }

func (v value) in() []byte {
	if v.There && v.Bytes == nil {
		return []byte{}
	}
	return v.Bytes
}

type member struct {
	Name          string
	Value, Linked value
}

type entry struct {
	store.Entry

	Value value
}

// fault is the wire form of an error.
type fault struct {
	Kind int // index in kinds plus 1; 0: another error, or none
	Text string
}

// kinds returns the errors that callers distinguish, more specific ones first.
func kinds() []error {
	return []error{store.ErrFull, store.ErrUntried, store.ErrUnavailable, store.ErrCorrupt, store.ErrSchema}
}

func outFault(err error) fault {
	if err == nil {
		return fault{}
	}
	for i, kind := range kinds() {
		if errors.Is(err, kind) {
			return fault{i + 1, err.Error()}
		}
	}
	return fault{0, err.Error()}
}

// remoteError is an error of the process that holds the store.
type remoteError struct {
	kind error
	text string
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.kind }

func (f fault) in() error {
	switch {
	case f.Text == "":
		return nil
	case f.Kind > 0 && f.Kind <= len(kinds()):
		return remoteError{kinds()[f.Kind-1], f.Text}
	default:
		return fmt.Errorf("%w: %s", store.ErrUnavailable, f.Text)
	}
}
