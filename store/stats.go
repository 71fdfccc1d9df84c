package store

import "sync/atomic"

type counters struct {
	saved, erased, damaged, failed atomic.Int64
}

// Stats counts what happened since the Store was made.
type Stats struct {
	Saved   int64 // responses
	Erased  int64 // responses that a deletion reached
	Damaged int64 // entries passed over
	Failed  int64 // calls that the engine failed
	Renewed int64 // times that the engine found what it kept damaged and began anew
}

// Stats gives the counts.
func (s *Store) Stats() Stats {
	c := &s.base.counters
	return Stats{
		Saved: c.saved.Load(), Erased: c.erased.Load(), Damaged: c.damaged.Load(), Failed: c.failed.Load(),
		Renewed: s.base.renewals(),
	}
}
