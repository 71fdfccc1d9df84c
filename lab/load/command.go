package load

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"heddle/lab/chatlog"
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

// Command is the command "lab load". Its arguments are settings of heddle, NAME=value.
func Command(ctx context.Context, args []string, streams chatlog.Streams) error {
	var p plan
	var c crowd
	var f feel
	var b burst
	line := chatlog.NewCommandLine("load", streams.Usage)
	p.register(line.FlagSet)
	c.register(line.FlagSet)
	f.register(line.FlagSet)
	b.register(line.FlagSet)
	walks := line.Bool("way", false, "instead of times, count the functions that the first mention enters and a start does not")
	alone := line.Bool("relay", false, "run only the client of the wire, as --apart does; its arguments are where it connects to")
	programs := line.StringArray("program", nil, "measure this `FILE`, another version of heddle; none builds this one. With --burst it may be given several times, and \"\" is this version")
	rest, err := line.Rest(args, streams.Out)
	if err != nil {
		return err
	}
	if *alone && len(rest) == 4 {
		return (&relay{rest[0], rest[1], rest[2], rest[3]}).run(ctx)
	}
	p.environ = rest

	dir, err := os.MkdirTemp("", "heddle-load-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if *walks {
		return way(ctx, dir, p.environ, streams.Out)
	}
	if len(*programs) == 0 {
		*programs = []string{""}
	}
	if i := slices.Index(*programs, ""); i >= 0 {
		(*programs)[i] = filepath.Join(dir, "heddle")
		if err := build(ctx, (*programs)[i]); err != nil {
			return err
		}
	}
	switch program := (*programs)[0]; {
	case b.rounds > 0:
		return b.measure(ctx, *programs, dir, p.environ, streams.Out)
	case f.answers > 0:
		return f.measure(ctx, program, dir, p.environ, streams.Out)
	case c.guilds > 0:
		return c.measure(ctx, program, dir, p.environ, streams.Out)
	default:
		return compare(ctx, p, child(program, dir, p.environ), streams.Out)
	}
}

// build builds heddle, in the folder of its own module. flags are those of go build.
func build(ctx context.Context, program string, flags ...string) error {
	folder, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "heddle").Output()
	if err != nil {
		return fmt.Errorf("find the folder of heddle; run this in it, or in lab: %w", err)
	}
	args := append([]string{"build", "-o", program}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...) //nolint:gosec // a folder of our own
	cmd.Dir = strings.TrimSpace(string(folder))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build heddle: %w\n%s", err, out)
	}
	return nil
}

// compare measures the wire and heddle, and prints both.
func compare(ctx context.Context, p plan, heddle client, out io.Writer) error {
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
	report(out, p, wire, between, measured)
	return nil
}

// register adds the flags of a load.
func (p *plan) register(flags *pflag.FlagSet) {
	flags.IntVar(&p.channels, "channels", 100, "busy channels")
	flags.IntVar(&p.history, "history", 200, "messages in each at the start")
	flags.IntVar(&p.mentions, "mentions", 2000, "mentions to measure")
	flags.IntVar(&p.chatter, "chatter", 4, "other messages between two mentions")
	flags.DurationVar(&p.every, "every", 80*time.Millisecond, "time between two mentions; Discord takes 50 requests a second of one bot, and an answer is two or more")
	flags.BoolVar(&p.apart, "apart", false, "measure the wire from a process of its own, too, as heddle is one")
}

// register adds the flags of a measurement of many guilds.
func (c *crowd) register(flags *pflag.FlagSet) {
	flags.IntVar(&c.guilds, "guilds", 0, "instead of mentions, measure so many guilds in which people talk to each other")
	flags.IntVar(&c.channels, "each", 50, "channels of each of these guilds")
	flags.IntVar(&c.rate, "rate", 1000, "messages a second in all of them")
	flags.DurationVar(&c.during, "during", 20*time.Second, "how long these are measured")
	flags.IntVar(&c.shards, "shards", 1, "shards that Discord recommends for them")
}

// register adds the flags of a measurement of what people see.
func (f *feel) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.answers, "feel", 0, "instead of mentions, measure how soon people see what the model says, in so many answers")
	flags.IntVar(&f.channels, "rooms", 4, "channels in which these are asked for, one after the other in each")
	flags.IntVar(&f.words, "words", 200, "tokens of each")
	flags.DurationVar(&f.each, "token", 20*time.Millisecond, "time between two tokens")
	flags.DurationVar(&f.wait, "first", 300*time.Millisecond, "time until the first token")
}

// register adds the flags of a measurement of channels that ask at once.
func (b *burst) register(flags *pflag.FlagSet) {
	flags.IntVar(&b.rounds, "burst", 0, "instead of mentions one after the other, measure those of many channels at once, in so many rounds for each program")
	flags.IntVar(&b.channels, "at-once", 20, "channels that ask at once")
	flags.IntVar(&b.words, "say", 1, "tokens of each answer to them")
	flags.DurationVar(&b.each, "pause", 10*time.Millisecond, "time between two of these tokens")
}

// servers are what a process of heddle connects to.
type servers struct{ token, discord, model string }

// process returns a process of heddle that was not started yet. environ are further
// settings, NAME=value each.
func process(ctx context.Context, program, dir string, environ []string, to servers) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(append(cmd.Environ(),
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
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start heddle: %w", err)
		}
		s.mu.Lock()
		s.pid = cmd.Process.Pid
		s.mu.Unlock()
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("run heddle: %w", err)
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			s.peak = usage.Maxrss << 10 // Linux counts kilobytes
		}
		return nil
	}
}
