package dispatch

import "runtime"

// mostStack is more stack than a job needs before it waits for the model, in bytes.
const mostStack = 28 << 10

// growStack grows the stack of its goroutine to mostStack at once. A goroutine begins with a
// few kilobytes. While a question is prepared, its stack would otherwise double four times,
// and each time all that is on it would be copied. docs/benchmarks.md tells what that costs.
//
// Go makes room for everything that a function declares when the function is called, also
// for what is declared in a branch that is not taken. This branch never is, as no machine has
// 0 processors. The compiler does not know that, so it keeps the array. If the branch were
// taken, the array would have to be cleared.
//
//go:noinline
func growStack() {
	if runtime.NumCPU() == 0 {
		var room [mostStack]byte
		runtime.KeepAlive(&room)
	}
}
