// Package lru makes caches that hold a bounded number of entries and drop the least
// recently used one for a new one.
package lru

import lru "github.com/hashicorp/golang-lru/v2"

// Cache is such a cache. It may be used by any goroutine.
type Cache[K comparable, V any] = lru.Cache[K, V]

// New returns an empty cache of at most size entries. It panics unless size is positive.
func New[K comparable, V any](size int) *Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil {
		panic(err)
	}
	return c
}
