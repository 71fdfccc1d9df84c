package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/clitest"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/limittest"
	"heddle/internal/waittest"
)

// built is the folder that the program is built into; the tests share it.
var built string //nolint:gochecknoglobals // set before any test runs

// wantsFiles is the variable in which the program of the tests is told to run another whose
// files have so many bytes.
const wantsFiles = "HEDDLE_TEST_FILES"

func TestMain(m *testing.M) {
	if kind := os.Getenv(wantsServer); kind != "" {
		outside(kind).run()
		return
	}
	if bytes := os.Getenv(wantsFiles); bytes != "" {
		most, err := strconv.ParseUint(bytes, 10, 64)
		panic(errors.Join(err, limittest.Exec(most, os.Args[1:], os.Environ()))) // it returns only if it failed
	}
	flag.Parse()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if err := flag.Set("test.parallel", strconv.Itoa(max(16, runtime.GOMAXPROCS(0)))); err != nil { // they mostly wait
		panic(err)
	}
	var err error
	if built, err = os.MkdirTemp("", "heddle-e2e-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(built) //nolint:errcheck // a temporary folder
	return m.Run()
}

// program builds heddle once, with the race detector if the tests have it, and
// returns the name of its file.
//
//nolint:gochecknoglobals // built once, never changed
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(built, "heddle")
	args := []string{"build", "-buildvcs=false", "-o", file}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "heddle/internal/clitest/heddletest")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build heddle: %w\n%s", err, out)
	}
	return file, nil
})

// running is a run of the program.
type running struct {
	stop func() // stops the program as SIGTERM does
	// ended is closed when the program has ended; status and logs may be read then.
	ended  chan struct{}
	status int
	logs   waittest.Log
}

// start runs the program as a person would and waits until it is connected.
func (s *scene) start(environ ...string) *running {
	s.t.Helper()
	connected := s.connecting()
	r := s.launch(environ...)
	s.ok(connected())
	return r
}

// connecting returns a function that waits until heddle has connected after this call.
// The session of a run that has ended does not count.
func (s *screen) connecting() func() error {
	before := s.discord.Gateway.State().Begun
	return func() error {
		return s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return g.Begun > before })
	}
}

// launch runs the program without waiting for anything. It is stopped with the test.
func (o *operator) launch(environ ...string) *running {
	o.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		p := clitest.Process(append(slices.Clone(o.environ), environ...), &r.logs, &r.logs)
		r.status = cli.Run(ctx, nil, p)
	}()
	o.t.Cleanup(func() {
		stop()
		<-r.ended
		o.consistent(&r.logs)
		if o.t.Failed() {
			o.t.Logf("heddle's log:\n%s", r.logs.String())
		}
	})
	return r
}

// consistent fails the test if heddle made a record that contradicts itself.
func (o *operator) consistent(logs *waittest.Log) {
	o.t.Helper()
	if strings.Contains(logs.String(), "does not fit its path_hash") {
		o.t.Error("an answer was to be recorded with another path than its own")
	}
}

// settled waits until heddle has finished with a mention, as its answer appears on
// Discord before it is stored.
func (r *running) settled(s *scene, trigger graph.MessageID) {
	s.t.Helper()
	s.awaits(&r.logs, `msg="a task is done" trigger=`+trigger.String())
}

// answer waits for the finished text of the answer to a trigger, and until heddle has
// finished with it.
func (r *running) answer(s *scene, channel graph.ChannelID, trigger graph.MessageID, text string) discordtest.Message {
	s.t.Helper()
	m := s.answer(channel, trigger, text)
	r.settled(s, trigger)
	return m
}

// wholeAnswer is answer for a text that has to read exactly as wanted.
func (r *running) wholeAnswer(s *scene, trigger graph.MessageID, want string) {
	s.t.Helper()
	s.wholeAnswer(trigger, want)
	r.settled(s, trigger)
}

// answers has somebody ask a question, waits for an answer that contains a text and until heddle
// has finished with it, and returns the question.
func (r *running) answers(s *scene, who graph.UserID, text, want string) graph.MessageID {
	s.t.Helper()
	question := s.ask(who, text)
	r.answer(s, s.channel, question, want)
	return question
}

// end stops a run and waits for its end.
func (r *running) end() {
	r.stop()
	<-r.ended
}

// outages returns how often the log reports that the store failed or was full, and
// that it works again. It fails the test if the log holds other warnings.
func (s *scene) outages(r *running) (went, back int) {
	s.t.Helper()
	logs := r.logs.String()
	went = strings.Count(logs, "the store is unavailable") + strings.Count(logs, "the store is full")
	back = strings.Count(logs, "the store works again") + strings.Count(logs, "the store has room again")
	s.same("warnings, one for each outage", len(r.warnings()), went)
	return went, back
}

// warnings returns the warnings and errors in the log, apart from those about the
// connection to Discord: a slow machine loses it.
func (r *running) warnings() (all []string) {
	for line := range strings.Lines(r.logs.String()) {
		if warns := strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR"); warns && !strings.Contains(line, "the gateway connection ended") {
			all = append(all, line)
		}
	}
	return all
}

// noFiles reads files from a disk that is empty.
func noFiles(string) ([]byte, error) { return nil, fs.ErrNotExist }

// child is heddle in a process of its own.
type child struct {
	s       *scene
	command *exec.Cmd
	logs    waittest.Log
}

// spawn starts heddle in a process of its own and waits until it is connected.
func (s *scene) spawn(environ ...string) *child {
	s.t.Helper()
	return s.spawnBy(nil, environ...)
}

// spawnBy is spawn through a command, which gets the program as its last argument.
func (s *scene) spawnBy(command []string, environ ...string) *child {
	s.t.Helper()
	c := s.child(command, environ...)
	c.start()
	return c
}

// child is spawnBy without the start.
func (s *scene) child(command []string, environ ...string) *child {
	s.t.Helper()
	program := errtest.Must(program())(s.t)
	command = append(slices.Clone(command), program)
	c := &child{s: s, command: exec.Command(command[0], command[1:]...)} //nolint:noctx // it is signalled, and killed with the test
	c.command.Env = append(append(slices.Clone(s.environ), "GORACE=atexit_sleep_ms=0"), environ...)
	c.command.Dir = s.t.TempDir()
	c.command.Stdout, c.command.Stderr = &c.logs, &c.logs
	return c
}

// start starts the process and waits until it is connected. It is killed with the test.
func (c *child) start() {
	s := c.s
	s.t.Helper()
	connected := s.connecting()
	s.ok(c.command.Start())
	s.t.Cleanup(func() {
		c.kill()
		s.consistent(&c.logs)
		if s.t.Failed() {
			s.t.Logf("the process's log:\n%s", c.logs.String())
		}
	})
	s.ok(connected())
}

// kill ends the process as a crash does.
func (c *child) kill() {
	_ = c.command.Process.Kill() // it fails only where the process is gone
	_ = c.command.Wait()         // a killed process ends with an error
}

// terminate asks the process to end and returns its status.
func (c *child) terminate() int {
	c.s.t.Helper()
	errtest.None(c.s.t, c.command.Process.Signal(syscall.SIGTERM))
	_ = c.command.Wait() // the status says it
	return c.command.ProcessState.ExitCode()
}

// command runs a command with the settings of the scene.
func (o *operator) command(environ []string, args ...string) (status int, stdout, stderr string) {
	o.t.Helper()
	var out, told bytes.Buffer
	status = cli.Run(context.Background(), args, clitest.Process(append(slices.Clone(o.environ), environ...), &out, &told))
	return status, out.String(), told.String()
}

// must is command for one that has to succeed.
func (o *operator) must(environ []string, args ...string) (stdout, stderr string) {
	o.t.Helper()
	status, stdout, stderr := o.command(environ, args...)
	if status != cli.StatusDone {
		o.t.Fatalf("heddle %v ended with %d: %s, want %d", args, status, stderr, cli.StatusDone)
	}
	return stdout, stderr
}

// prints returns what a command prints that has to succeed.
func (o *operator) prints(environ []string, args ...string) string {
	o.t.Helper()
	stdout, _ := o.must(environ, args...)
	return stdout
}

// misuse fails the test unless a command ends as misused, prints nothing and says a text.
func (o *operator) misuse(want string, environ []string, args ...string) {
	o.t.Helper()
	status, stdout, stderr := o.command(environ, args...)
	if status != cli.StatusMisuse || stdout != "" || !strings.Contains(stderr, want) {
		o.t.Errorf("heddle %v ends with %d, prints %q and says %q, want %d, nothing and %q in it", args, status, stdout, stderr, cli.StatusMisuse, want)
	}
}

// refused is a test of something that keeps heddle from running.
type refused struct {
	arrange func(*scene) []string // returns settings
	status  int
	want    string
}

// isRefused starts heddle, which has to end at once with one sentence that holds no secret.
func (s *scene) isRefused(test refused) {
	s.t.Helper()
	r := s.launch(append(test.arrange(s), "LOG_LEVEL=error")...)
	select {
	case <-r.ended:
	case <-s.ctx.Done():
		s.t.Fatal("it did not end")
	}
	said := strings.TrimSpace(r.logs.String())
	if r.status != test.status || !strings.HasPrefix(said, "heddle: ") || !strings.Contains(said, test.want) || strings.Contains(said, "\n") {
		s.t.Errorf("it ended with status %d and %q, want status %d and %q", r.status, said, test.status, test.want)
	}
	if strings.Contains(said, "swordfish") || strings.Contains(said, s.heddle.Token) {
		s.t.Error("a secret is told")
	}
}

// set returns an arrangement that sets one variable.
func set(name string, value func(*scene) string) func(*scene) []string {
	return func(s *scene) []string { return []string{name + "=" + value(s)} }
}

// page starts a web server that is neither Discord nor a model and returns its address.
func (o *operator) page(status int) string {
	o.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<!doctype html><title>Welcome to nginx!</title>"))
	}))
	o.t.Cleanup(server.Close)
	return server.URL
}

// file creates an empty file and returns its path.
func (o *operator) file(name string) string {
	o.t.Helper()
	path := filepath.Join(o.t.TempDir(), name)
	o.write(path, "")
	return path
}

// write writes a file.
func (o *operator) write(name, text string) {
	o.t.Helper()
	o.ok(os.WriteFile(name, []byte(text), 0o600))
}
