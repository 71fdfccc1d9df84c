package fetch_test

import "unsafe"

// unsafeText returns a string that shares memory with an array, so that a test can tell
// when the string is collected.
func unsafeText(array *[20_000]byte) string { return unsafe.String(&array[0], len(array)) }
