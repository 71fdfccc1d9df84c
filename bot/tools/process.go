package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// process is the command of a server, to which the SDK writes messages. It has a group of its own,
// so that what it starts ends with it.
type process struct {
	io.WriteCloser

	command *exec.Cmd
}

// startProcess runs the command of a server. It outlives ctx, as it is ended by closing its input.
func startProcess(ctx context.Context, s Server) (*mcp.IOTransport, error) {
	command := exec.CommandContext(context.WithoutCancel(ctx), s.Command[0], s.Command[1:]...) //nolint:gosec // the operator names it
	command.Env, command.Dir, command.SysProcAttr = s.Environ, s.Dir, &syscall.SysProcAttr{Setpgid: true}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("connect its output: %w", err)
	}
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("connect its input: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	return &mcp.IOTransport{Reader: &lines{in: bufio.NewReader(out)}, Writer: &process{in, command}, MaxLineLength: -1}, nil
}

// Close closes the input of the process and waits until it ends. One that stays is told to end,
// and then killed.
func (p *process) Close() error {
	ended := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		defer close(ended)
		_ = p.command.Wait() // how it ends does not matter
	})
	_ = p.WriteCloser.Close() // it fails only if the process is gone
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-ended:
		case <-time.After(leaving):
		}
		_ = syscall.Kill(-p.command.Process.Pid, signal) // it fails if nobody is left
	}
	running.Wait()
	return nil
}

// lines reads what a server prints, and passes on the lines that are messages: some print other
// things as well, at which the SDK would end the session.
type lines struct {
	in  *bufio.Reader
	out bytes.Buffer
	err error
}

// Close implements io.Closer. The output ends with the process.
func (*lines) Close() error { return nil }

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for l.out.Len() == 0 && l.err == nil {
		var line []byte
		var whole bool
		line, whole, l.err = readLine(l.in, mostSent)
		message, ok := readable(line, nil)
		if !whole {
			message = failing(callNamed(line), tooLarge)
			ok = message != nil
		}
		if ok {
			l.out.Write(append(message, '\n'))
		}
	}
	if l.out.Len() == 0 {
		return 0, l.err
	}
	return l.out.Read(p) //nolint:wrapcheck // it never fails
}

// named finds the id of a call at the beginning or the end of an answer.
var named = regexp.MustCompile(`^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15})\b|"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

// callNamed returns the call that an answer names whose middle is left out, nil if it names none.
func callNamed(line []byte) *jsonrpc.Request {
	found := named.FindSubmatch(line)
	if found == nil {
		return nil
	}
	message, _ := jsonrpc.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s%s,"method":"tools/call"}`, found[1], found[2]))
	call, _ := message.(*jsonrpc.Request)
	return call
}
