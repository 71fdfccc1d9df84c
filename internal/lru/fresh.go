package lru

import "time"

// Fresh is a cache of values that are read again once they are old. It may be used by any
// goroutine.
type Fresh[K comparable, V any] struct {
	held *Cache[K, dated[V]]
	age  time.Duration
}

// dated is a value with the time at which it was read.
type dated[V any] struct {
	value V
	read  time.Time
}

// NewFresh returns an empty cache of at most size values. Each is read again once it is as
// old as age. NewFresh panics unless size is positive.
func NewFresh[K comparable, V any](size int, age time.Duration) *Fresh[K, V] {
	return &Fresh[K, V]{New[K, dated[V]](size), age}
}

// Get returns the value of a key. It calls read unless it holds a value that is young
// enough. If read fails, Get returns its error together with the last value that was read,
// or the zero value if there is none. Concurrent calls may read the same key several times.
func (f *Fresh[K, V]) Get(key K, read func() (V, error)) (V, error) { //nolint:ireturn // V is what the caller caches
	last, held := f.held.Get(key)
	if held && time.Since(last.read) < f.age {
		return last.value, nil
	}
	value, err := read()
	if err != nil {
		return last.value, err
	}
	f.held.Add(key, dated[V]{value, time.Now()})
	return value, nil
}

// Forget drops all values.
func (f *Fresh[K, V]) Forget() { f.held.Purge() }
