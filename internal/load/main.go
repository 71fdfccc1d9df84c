// Load measures heddle under load. It runs heddle in a separate process, and test
// servers for Discord and the model in its own process.
//
//	go run ./internal/load -channels 100 -mentions 2000
//
// It prints the time from when Discord sends a mention until the first byte of the
// request reaches the model's server, and heddle's memory. For comparison it prints the
// same time for a client that only forwards mentions (the wire). With -guilds it prints
// the memory and CPU time of heddle in that many guilds in which nobody asks it
// anything. With -feel it prints how soon people see the first word of an answer, and
// its end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// plan describes the load.
type plan struct {
	channels int           // number of busy channels
	history  int           // messages in each at the start
	mentions int           // number of mentions to measure
	chatter  int           // other messages between two mentions
	every    time.Duration // time between two mentions
	apart    bool          // the wire is measured from a process of its own, too
	environ  []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1) //nolint:gocritic // the process ends, so deferred calls do not matter
	}
}

// run reads the flags and measures what they ask for.
func run(ctx context.Context) error {
	var p plan
	var c crowd
	var f feel
	p.register()
	c.register()
	f.register()
	alone := flag.Bool("relay", false, "run only the client of the wire, as -apart does; its arguments are where it connects to")
	program := flag.String("program", "", "measure this `FILE`, another version of heddle; empty builds this one")
	flag.Parse()
	if *alone && flag.NArg() == 4 {
		return (&relay{flag.Arg(0), flag.Arg(1), flag.Arg(2), flag.Arg(3)}).run(ctx)
	}
	p.environ = flag.Args() // NAME=value settings of heddle

	dir, err := os.MkdirTemp("", "heddle-load-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if *program == "" {
		*program = filepath.Join(dir, "heddle")
		build := exec.CommandContext(ctx, "go", "build", "-o", *program, "heddle") //nolint:gosec // a folder of our own
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build heddle: %w\n%s", err, out)
		}
	}

	if f.answers > 0 {
		return f.measure(ctx, *program, dir, p.environ, os.Stdout)
	}
	if c.guilds > 0 {
		return c.measure(ctx, *program, dir, p.environ, os.Stdout)
	}
	return compare(ctx, p, child(*program, dir, p.environ))
}

// compare measures the wire and heddle, and prints both.
func compare(ctx context.Context, p plan, heddle client) error {
	wire, err := measure(ctx, p, relayed)
	if err != nil {
		return fmt.Errorf("measure the wire: %w", err)
	}
	var between figures
	if p.apart {
		if between, err = measure(ctx, p, relayedApart); err != nil {
			return fmt.Errorf("measure the wire between processes: %w", err)
		}
	}
	measured, err := measure(ctx, p, heddle)
	if err != nil {
		return fmt.Errorf("measure heddle: %w", err)
	}
	report(os.Stdout, p, wire, between, measured)
	return nil
}

// register adds the flags of a load.
func (p *plan) register() {
	flag.IntVar(&p.channels, "channels", 100, "busy channels")
	flag.IntVar(&p.history, "history", 200, "messages in each at the start")
	flag.IntVar(&p.mentions, "mentions", 2000, "mentions to measure")
	flag.IntVar(&p.chatter, "chatter", 4, "other messages between two mentions")
	flag.DurationVar(&p.every, "every", 80*time.Millisecond, "time between two mentions; Discord takes 50 requests a second of one bot, and an answer is two or more")
	flag.BoolVar(&p.apart, "apart", false, "measure the wire from a process of its own, too, as heddle is one")
}

// register adds the flags of a measurement of many guilds.
func (c *crowd) register() {
	flag.IntVar(&c.guilds, "guilds", 0, "instead of mentions, measure so many guilds in which people talk to each other")
	flag.IntVar(&c.channels, "each", 50, "channels of each of these guilds")
	flag.IntVar(&c.rate, "rate", 1000, "messages a second in all of them")
	flag.DurationVar(&c.during, "during", 20*time.Second, "how long these are measured")
	flag.IntVar(&c.shards, "shards", 1, "shards that Discord recommends for them")
}

// register adds the flags of a measurement of what people see.
func (f *feel) register() {
	flag.IntVar(&f.answers, "feel", 0, "instead of mentions, measure how soon people see what the model says, in so many answers")
	flag.IntVar(&f.channels, "rooms", 4, "channels in which these are asked for, one after the other in each")
	flag.IntVar(&f.words, "words", 200, "tokens of each")
	flag.DurationVar(&f.each, "token", 20*time.Millisecond, "time between two tokens")
	flag.DurationVar(&f.wait, "first", 300*time.Millisecond, "time until the first token")
}

// servers are what a process of heddle connects to.
type servers struct{ token, discord, model string }

// process returns a process of heddle that was not started yet. environ are further
// settings, NAME=value each.
func process(ctx context.Context, program, dir string, environ []string, to servers) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(append(os.Environ(),
		"DISCORD_TOKEN="+to.token, "DISCORD_API_URL="+to.discord, "OPENAI_BASE_URL="+to.model,
		"LLM_MODEL=test-model", "DATA_DIR="+dir, "LOG_LEVEL=warn",
	), environ...)
	cmd.Stderr = os.Stderr
	return cmd
}

// child runs heddle as a process until ctx ends.
func child(program, dir string, environ []string) client {
	return func(ctx context.Context, s *scene) error {
		cmd := process(ctx, program, dir, environ, servers{s.heddle.Token, s.discord.URL(), s.model.URL()})
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 30 * time.Second
		if err := cmd.Run(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("run heddle: %w", err)
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			s.peak = usage.Maxrss << 10 // Linux counts kilobytes
		}
		return nil
	}
}
