package encrypted

import (
	"fmt"
	"testing"

	"heddle/internal/heaptest"
	"heddle/internal/lru"
	"heddle/store"
)

func TestWhatIsHeldOfKeys(t *testing.T) {
	master := NewMaster()
	heaptest.AtMost(t, "the keys of scopes", func() any {
		scopes := lru.New[store.Scope, *key](maxKeys)
		for n := range maxKeys + 100 {
			scope := store.Scope(fmt.Sprintf("g%019d.c%019d", n, n))
			scopes.Add(scope, newKey(master, scope))
		}
		return scopes
	})
}
