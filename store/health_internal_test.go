package store

import (
	"testing"
	"time"
)

// TestAFullEngineHasRoomOnceItRefusesNothingForAWhile notes the results of writes.
func TestAFullEngineHasRoomOnceItRefusesNothingForAWhile(t *testing.T) {
	var h health
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for i, write := range []struct {
		after time.Duration
		err   error
		full  bool
	}{
		{0, nil, false},
		{0, ErrFull, true},
		{roomAfter - 1, nil, true},
		{0, ErrFull, true},
		{roomAfter - 1, nil, true},
		{1, nil, false},
	} {
		now = now.Add(write.after)
		if _, state := h.note(true, write.err, now); state.full != write.full || state.away {
			t.Errorf("after write %d it is %+v, want full %t", i+1, state, write.full)
		}
	}
}
