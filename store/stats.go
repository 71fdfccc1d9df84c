package store

import "sync/atomic"

type counters struct {
	saved, erased, damaged, failed atomic.Int64
}

// Stats counts events since the Store was made.
type Stats struct {
	Saved       int64 // responses
	Erased      int64 // responses that were erased
	Damaged     int64 // entries ignored
	Failed      int64 // calls that failed because the engine was unavailable
	Quarantined int64 // times that the engine quarantined damaged data and started empty
}

// Stats returns the counts.
func (s *Store) Stats() Stats {
	c := &s.base.counters
	return Stats{
		Saved: c.saved.Load(), Erased: c.erased.Load(), Damaged: c.damaged.Load(), Failed: c.failed.Load(),
		Quarantined: s.base.quarantines(),
	}
}
