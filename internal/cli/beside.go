package cli

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"heddle/config"
)

// The embedded store belongs to one process. A command that needs the store while a heddle
// runs is sent to that heddle, over a socket in DATA_DIR that only its user can reach, and
// runs there. Each command has a connection of its own. The client sends an order, and the
// other side sends what the command prints. If either side is gone, the connection ends, and
// the command with it when it next prints.

// order is a command that another process is to run.
type order struct {
	Args    []string
	Environ []string
	Dir     string // names of files are relative to it
}

// report is what a command that runs elsewhere does next: it prints, or has ended.
type report struct {
	Out, Err []byte
	Ended    bool
	Status   int
}

// socketFile returns the name of the socket at which a heddle that runs takes commands.
func socketFile(c config.Config) string { return filepath.Join(c.DataDir, "heddle.sock") }

// usesStore reports whether a command works on the store while a heddle runs.
func usesStore(command string) bool {
	switch command {
	case "tree", "verify", "export", "forget", "opt-out", "opt-in", "backup", "config":
		return true
	default:
		return false
	}
}

// sendBeside sends a command to the heddle that holds the embedded store, and prints what
// it prints there. It reports false if no heddle does.
func sendBeside(ctx context.Context, args []string, p Process) (sent bool, err error) {
	quiet := p
	quiet.Stderr = io.Discard // the command itself warns
	c, err := quiet.load()
	if err != nil || c.RedisURL != "" {
		return false, nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socketFile(c))
	if err != nil {
		return false, nil
	}
	defer conn.Close() //nolint:errcheck // everything was read
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	dir, err := os.Getwd()
	if err == nil {
		err = gob.NewEncoder(conn).Encode(order{args, p.Environ, dir})
	}
	if err != nil {
		return true, fmt.Errorf("send the command to the heddle that runs: %w", err)
	}
	for reports := gob.NewDecoder(conn); ; {
		var r report
		if err := reports.Decode(&r); err != nil {
			return true, cmp.Or(ctx.Err(), fmt.Errorf("the heddle that runs has ended before the command was done: %w", err))
		}
		if r.Ended {
			return true, said(r.Status)
		}
		_, _ = p.Stdout.Write(r.Out) // an output keeps its error
		_, _ = p.Stderr.Write(r.Err) // nobody is left to tell
	}
}

// takeCommands runs commands that others send on a store that this process holds, until the
// returned function is called. If it cannot, commands have to wait until heddle has ended.
func takeCommands(ctx context.Context, c config.Config, log *slog.Logger, build Build, stored *opened) (end func()) {
	if c.RedisURL != "" {
		return func() {}
	}
	listener, err := listenAt(ctx, socketFile(c))
	if err != nil {
		log.InfoContext(ctx, "commands cannot use the store while heddle runs", "error", err)
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // it was closed
			}
			running.Go(func() { runOrder(ctx, conn, build, stored) })
		}
	})
	return func() {
		stop()
		_ = listener.Close() // it removes the socket; if that fails, nothing can be done
		running.Wait()
	}
}

// listenAt listens at a socket that only the user of this process can reach.
func listenAt(ctx context.Context, file string) (net.Listener, error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // left by a process that was killed
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", file)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", file, err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("restrict %s to its user: %w", file, err), listener.Close())
	}
	return listener, nil
}

// runOrder runs the command that comes over a connection.
func runOrder(ctx context.Context, conn net.Conn, build Build, stored *opened) {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer cancel()
	var o order
	if gob.NewDecoder(conn).Decode(&o) != nil || len(o.Args) == 0 || !usesStore(o.Args[0]) {
		return // its process has gone, or is not heddle
	}
	reports := gob.NewEncoder(conn) // it takes turns, as two outputs and a bar of progress print
	send := func(r report) error {
		err := reports.Encode(r)
		if err != nil {
			cancel() // the other side has gone
		}
		return err
	}
	status := Run(ctx, o.Args, Process{
		Environ: o.Environ, Build: build, dir: o.Dir, held: stored,
		Read:   func(name string) ([]byte, error) { return os.ReadFile(inFolder(o.Dir, name)) },
		Stdout: printer(func(b []byte) error { return send(report{Out: b}) }),
		Stderr: printer(func(b []byte) error { return send(report{Err: b}) }),
	})
	_ = send(report{Ended: true, Status: status}) // if the other side has gone, it needs no report
}

// inFolder returns a name of a file that is relative to a folder.
func inFolder(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// printer is the standard output or error of a command.
type printer func([]byte) error

// Write implements io.Writer.
func (p printer) Write(b []byte) (int, error) { return len(b), p(b) }
