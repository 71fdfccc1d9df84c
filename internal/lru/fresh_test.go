package lru_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/lru"
	"heddle/internal/wait"
)

var errAway = errors.New("away")

// TestAValueIsReadAgainOnceItIsOld reads a value that grows with each read, and cannot be
// read in between.
func TestAValueIsReadAgainOnceItIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values, reads := lru.NewFresh[string, int](2, time.Second), 0
		for i, step := range []struct {
			pause time.Duration
			fails error
			drop  bool
			want  int
			reads int
		}{
			{0, nil, false, 1, 1},
			{time.Second - 1, nil, false, 1, 1},
			{1, nil, false, 2, 2},
			{time.Second, errAway, false, 2, 3},
			{0, errAway, false, 2, 4},
			{0, nil, false, 5, 5},
			{0, errAway, true, 0, 6},
		} {
			_ = wait.For(t.Context(), step.pause)
			if step.drop {
				values.Forget()
			}
			got, err := values.Get("key", func() (int, error) {
				reads++
				return reads, step.fails
			})
			if read := reads == step.reads; got != step.want || !read || read && !errors.Is(err, step.fails) {
				t.Errorf("step %d: the value is %d, %v, after %d reads, want %d, %v, after %d", i+1, got, err, reads, step.want, step.fails, step.reads)
			}
		}
	})
}

func TestValuesBeyondTheBoundAreReadAgain(t *testing.T) {
	t.Parallel()
	values, reads := lru.NewFresh[int, int](2, time.Hour), 0
	for _, key := range []int{1, 2, 3, 1} {
		if _, err := values.Get(key, func() (int, error) { reads++; return key, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 4 {
		t.Errorf("three values in a cache of two were read %d times, want 4", reads)
	}
}
