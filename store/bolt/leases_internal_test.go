package bolt

import (
	"testing"
	"time"

	"heddle/store"
)

// TestAClaimWaitsForNoWrite claims, renews and releases while another goroutine has the
// turn to write.
func TestAClaimWaitsForNoWrite(t *testing.T) {
	t.Parallel()
	db, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(db, store.Options{})
	db.queue.turn <- struct{}{}
	lease, err := s.Claims.Claim(t.Context(), store.TriggerClaim(1), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if lease, err = s.Claims.Renew(t.Context(), lease, time.Minute); err != nil {
		t.Error(err)
	}
	if err := s.Claims.Release(t.Context(), lease); err != nil {
		t.Error(err)
	}
	<-db.queue.turn
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
