// Package errtest ends tests at errors that they do not expect.
package errtest

import "testing"

// Must returns a value, and ends the test if there is an error.
func Must[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		None(tb, err)
		return value
	}
}

// None ends the test if there is an error.
func None(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
