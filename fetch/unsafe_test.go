package fetch_test

import "unsafe"

// unsafeText is a string over an array that the collector can be asked about.
func unsafeText(array *[20_000]byte) string { return unsafe.String(&array[0], len(array)) }
