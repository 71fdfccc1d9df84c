package dispatch

import "runtime"

// mostStack is more stack than a job needs before it waits for the model, in bytes.
const mostStack = 28 << 10

// growStack grows the stack of its goroutine to mostStack. A goroutine begins with a few
// kilobytes. Its stack would double four times while a question is prepared, and all of
// it is copied and adjusted each time.
//
//go:noinline
func growStack() {
	// The stack grows when the function is entered. The array is never used, as it would
	// have to be cleared first: no machine has 0 processors, but the compiler must assume so.
	if runtime.NumCPU() == 0 {
		var room [mostStack]byte
		runtime.KeepAlive(&room)
	}
}
