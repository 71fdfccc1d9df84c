// Heddle is a Discord bot that parts the threads of a busy channel before it answers.
package main

import (
	"context"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"heddle/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks heddle to end, the second kills it
	garbage := roomForGarbage()
	code := cli.Run(ctx, os.Args[1:], cli.Process{
		Environ: os.Environ(),
		Read:    os.ReadFile,
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
	})
	runtime.KeepAlive(garbage)
	os.Exit(code)
}

// roomForGarbage gives a block that is never touched and so takes no memory, but counts
// as memory in use: as much garbage may gather beside it before it is collected. Heddle
// uses some 12 MB, and would be collected four times a second under load, each time
// with a core for some milliseconds that a mention then lacks. Where the operator has
// bounded the memory there is none.
func roomForGarbage() []byte {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks only
		return nil
	}
	const room = 32 << 20
	return make([]byte, room)
}
