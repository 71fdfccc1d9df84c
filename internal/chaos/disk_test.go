package chaos_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"heddle/internal/redistest"
)

// disk stops a process with the embedded store right after a write to the store's file.
// A change takes two writes: first its pages, which have no effect by themselves, and
// then the page that makes them valid.
type disk struct {
	turnstile

	listener net.Listener
	// fill, if set, is called in place of stopping the process, which then continues.
	fill func()
}

// watched is the environment variable with the address of the socket at which a process
// built by watchedProgram reports each write, and waits for permission to continue.
const watched = "CHAOS_DISK"

// embedded returns a function that gives a process the embedded store on a disk that
// can stop it.
func embedded(t *testing.T) stores {
	t.Helper()
	if runtime.GOOS != "linux" {
		return func(*run, *process) error {
			return fmt.Errorf("%w: bbolt syncs files in another way", redistest.ErrMissing)
		}
	}
	program := sync.OnceValues(func() (string, error) { return watchedProgram(t) })
	return func(r *run, p *process) (err error) {
		if p.program, err = program(); err != nil {
			return err
		}
		r.disk, err = newDisk(r.ctx, r.t)
		if err == nil {
			p.environ = append(p.environ, watched+"="+r.disk.listener.Addr().String())
		}
		return err
	}
}

// watchedProgram builds heddle with a copy of bbolt in which the function that syncs
// the file is replaced. The replacement reports each write and waits until it may
// continue.
func watchedProgram(t *testing.T) (string, error) {
	t.Helper()
	var found struct{ Main, Bbolt string }
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "heddle", "go.etcd.io/bbolt") //nolint:noctx // it takes no time
	folders, err := list.Output()
	if err == nil {
		_, err = fmt.Sscan(string(folders), &found.Main, &found.Bbolt)
	}
	if err != nil {
		return "", fmt.Errorf("find bbolt: %w", err)
	}
	dir := t.TempDir()
	patched, modules, program := filepath.Join(dir, "bbolt"), filepath.Join(dir, "go.mod"), filepath.Join(dir, "heddle")
	if err := os.CopyFS(patched, os.DirFS(found.Bbolt)); err != nil {
		return "", fmt.Errorf("copy bbolt: %w", err)
	}
	for _, c := range []struct{ from, to, more string }{
		{filepath.Join("testdata", "bolt_linux.go"), filepath.Join(patched, "bolt_linux.go"), ""},
		{filepath.Join(found.Main, "go.sum"), filepath.Join(dir, "go.sum"), ""},
		{filepath.Join(found.Main, "go.mod"), modules, "\nreplace go.etcd.io/bbolt => " + patched + "\n"},
	} {
		content, err := os.ReadFile(c.from)
		if err == nil {
			_ = os.Remove(c.to) // files copied from the module cache are read-only
			err = os.WriteFile(c.to, append(content, c.more...), 0o600)
		}
		if err != nil {
			return "", fmt.Errorf("replace a part of bbolt: %w", err)
		}
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-modfile", modules, "-o", program, "heddle/internal/clitest/heddletest") //nolint:noctx // it has to end
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build heddle: %w\n%s", err, out)
	}
	return program, nil
}

func newDisk(ctx context.Context, t *testing.T) (*disk, error) {
	t.Helper()
	d := &disk{turnstile: newTurnstile()}
	var err error
	d.listener, err = listens(ctx, t, d.serve)
	return d, err
}

// serve lets a process continue after each write, until the process is to be stopped.
func (d *disk) serve(_ context.Context, process net.Conn) {
	defer func() { _ = process.Close() }()
	for asked := make([]byte, 1); ; {
		if _, err := process.Read(asked); err != nil {
			return
		}
		switch passes, first := d.pass(); {
		case passes:
		case d.fill == nil:
			continue // the process waits until it is killed
		case first:
			d.fill()
		}
		if _, err := process.Write(asked); err != nil {
			return
		}
	}
}
