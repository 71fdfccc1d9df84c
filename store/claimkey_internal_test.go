package store

import (
	"strings"
	"testing"
	"time"

	"heddle/graph"
)

func TestClaimKeysNeverCollide(t *testing.T) {
	t.Parallel()
	const id = 1 << 62
	at := time.Unix(1, 0)
	seen := make(map[ClaimKey]bool)
	for _, key := range []ClaimKey{
		TriggerClaim(id), DisplayClaim(id), InteractionClaim(graph.MessageID(id)),
		EditClaim(id, at), EditClaim(id, at.Add(time.Microsecond)), EditClaim(id+1, at),
	} {
		if seen[key] || len(key.scope) > maxScope || !strings.HasPrefix(string(key.scope), "_") {
			t.Errorf("the key %s is taken, too long or a scope of callers, want one of its own below _", key)
		}
		seen[key] = true
	}
}
