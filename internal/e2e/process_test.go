package e2e_test

import (
	"flag"
	"fmt"
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
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// built is the folder that the program is built into; the tests share it.
var built string //nolint:gochecknoglobals // set before any test runs

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil { // they mostly wait
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
	if out, err := exec.Command("go", append(args, "heddle")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build heddle: %w\n%s", err, out)
	}
	return file, nil
})

// child is heddle in a process of its own.
type child struct {
	s       *scene
	command *exec.Cmd
	logs    lockedBuffer
}

// spawn starts heddle in a process of its own and waits until it is connected.
func (s *scene) spawn(environ ...string) *child {
	s.t.Helper()
	return s.spawnBy(nil, environ...)
}

// spawnBy is spawn by a command that is given the program as its last argument.
func (s *scene) spawnBy(command []string, environ ...string) *child {
	s.t.Helper()
	program, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	command = append(slices.Clone(command), program)
	c := &child{s: s, command: exec.Command(command[0], command[1:]...)} //nolint:noctx // it is signalled, and killed with the test
	c.command.Env = append(append(slices.Clone(s.environ), "GORACE=atexit_sleep_ms=0"), environ...)
	c.command.Dir = s.t.TempDir()
	c.command.Stdout, c.command.Stderr = &c.logs, &c.logs
	connected := s.connecting()
	if err := c.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		c.kill()
		if s.t.Failed() {
			s.t.Logf("the process's log:\n%s", c.logs.String())
		}
	})
	if err := connected(); err != nil {
		s.t.Fatalf("the process did not connect: %v\n%s", err, c.logs.String())
	}
	return c
}

// kill ends the process as a crash does.
func (c *child) kill() {
	_ = c.command.Process.Kill() // it fails only where the process is gone
	_ = c.command.Wait()         // a killed process ends with an error
}

// terminate asks the process to end and gives its status.
func (c *child) terminate() int {
	c.s.t.Helper()
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil {
		c.s.t.Fatal(err)
	}
	_ = c.command.Wait() // the status says it
	return c.command.ProcessState.ExitCode()
}

// wholeAnswer waits for the answer to a trigger to read exactly so, and demands
// that it is the only one.
func (s *scene) wholeAnswer(trigger graph.MessageID, want string) {
	s.t.Helper()
	s.answer(s.channel, trigger, want)
	answers := s.answersOf(s.channel)[trigger]
	if len(answers) != 1 || answers[0].Content != want {
		s.t.Errorf("%d answers, the first of which reads %q, want one that reads %q", len(answers), answers[0].Content, want)
	}
}

func TestAProcessKilledInMidAnswerAnswersOnceAndWholeAfterwards(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	broken := openaitest.Answer("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(broken)
	first := s.spawn()
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a warp?")})
	s.begun(s.channel, trigger, "The warp is what runs lengthwise")
	first.kill()

	s.model.Queue(openaitest.Answer("The warp is what runs lengthwise. ", "The weft runs across it."))
	s.spawn()
	s.wholeAnswer(trigger, "The warp is what runs lengthwise. The weft runs across it.")
	s.model.Queue(openaitest.Answer("Indeed."))
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("really?")}), "Indeed.")
}

func TestAProcessKilledWithMentionsWaitingAnswersThemAfterwards(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	held := openaitest.Answer("Never said.")
	held.Wait = make(chan struct{})
	s.model.Queue(held)
	first := s.spawn()
	triggers := make([]graph.MessageID, 3)
	for i := range triggers {
		triggers[i] = s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("question %d", i))})
	}
	s.asked(1)
	first.kill()
	s.always(openaitest.Answer("Answered."))
	s.spawn()
	for _, trigger := range triggers {
		s.wholeAnswer(trigger, "Answered.")
	}
}

// TestSIGTERMEndsAnAnswerThatDoesNotEnd proves that who asked learns why there is
// no more, before the process is killed for being late.
func TestSIGTERMEndsAnAnswerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	endless := openaitest.Answer("Once upon a time, in a village of weavers", " there was")
	endless.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(endless)
	c := s.spawn("SHUTDOWN_GRACE=1s")
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me a story")})
	s.begun(s.channel, trigger, "Once upon a time")
	waiting := s.post(s.bob, discordtest.Draft{Content: s.mention("and me?")})
	if status := c.terminate(); status != cli.StatusDone {
		t.Errorf("it ended with status %d", status)
	}
	s.wholeAnswer(trigger, "Once upon a time, in a village of weavers\nI am being restarted and had to stop here. Mention me again in a moment.")
	if strings.Contains(c.logs.String(), "panic") {
		t.Error("it panicked")
	}

	s.model.Queue(openaitest.Answer("And you."))
	s.spawn()
	s.wholeAnswer(waiting, "And you.")
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times", got)
	}
}

func TestADirectMessageMissedWhileAwayIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.model.Queue(openaitest.Answer("Hello, Ann."), openaitest.Answer("I was away."))
	r := s.start()
	s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "hello"}), "Hello, Ann.")
	r.end()
	missed := s.postIn(direct, s.ann, discordtest.Draft{Content: "still there?"})
	for range 2 {
		r = s.start()
		s.answer(direct, missed, "I was away.")
		r.end()
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("two messages asked the model %d times", got)
	}
}

func TestPeopleAreToldOnceThatTheHistoryIsDenied(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.said(time.Hour, "bob: a secret of the past")
	s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.heddle.User, Deny: discordtest.ReadMessageHistory})
	s.always(openaitest.Answer("I see only this."))
	s.start()
	const told = "\n-# I can't read what was said here before. Ask an admin to give me Read Message History."
	for _, want := range []string{"I see only this." + told, "I see only this."} {
		s.post(s.ann, discordtest.Draft{Content: s.mention("what was said?")})
		if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
			return m.Author == s.heddle.User && m.Content == want
		}); err != nil {
			t.Fatalf("no answer reads %q: %v", want, err)
		}
	}
	if reads := s.discord.Record.Count(discordtest.RouteMessages); reads != 0 {
		t.Errorf("what is denied was read %d times", reads)
	}
	if got := strings.Join(s.asked(1), "\n"); strings.Contains(got, "a secret of the past") {
		t.Errorf("what is denied is in %q", got)
	}
}
