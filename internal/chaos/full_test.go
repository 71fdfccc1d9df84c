package chaos_test

import (
	"syscall"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/limittest"
	"heddle/internal/wait"
)

// TestADiskThatFillsAtAnyWriteCostsNoAnswer fills the disk after each write of an answer to
// the embedded store, in turn, so that all later ones fail: the last is the mark that the
// answer is done. Then it kills heddle and starts it again with room. The answer must be
// whole before and after that, and stand once.
func TestADiskThatFillsAtAnyWriteCostsNoAnswer(t *testing.T) {
	t.Parallel()
	limittest.Need(t)
	store := embedded(t)
	t.Logf("the disk was filled after %d writes", eachStep(0, 1, func(writes int) bool { return fillsAt(t, store, writes) }))
}

// fillsAt fills the disk after a number of writes. It reports false if the answer has
// fewer.
func fillsAt(t *testing.T, store stores, writes int) bool {
	t.Helper()
	r := makeStored(t, 2, store)
	if r == nil {
		return false
	}
	f := filling{r, r.all[0], writes}
	f.r.must(f.p.start())
	defer func() { f.p.end(syscall.SIGKILL) }()
	r.must(r.discord.Gateway.Await(r.ctx, func(g discordtest.GatewayState) bool { return g.Ready == 1 }))
	r.disk.fill = func() { f.p.room(0) }
	if r.disk.stopAt(writes - 1); writes == 0 {
		f.p.room(0)
	}
	f.answers(1, "before there is room again")
	f.ends()
	_ = wait.Until(r.ctx, r.disk.stopped, afterwards)
	was := writes == 0 || isClosed(r.disk.stopped)
	f.p.end(syscall.SIGKILL)
	r.disk.open() // the new process has room from its first write on
	r.must(f.p.start())
	f.answers(2, "once there is room again")
	return was
}

// filling is a run whose only process loses its disk after a number of writes.
type filling struct {
	r      *run
	p      *process
	writes int
}

// answers asks the question with this number. It fails the test unless this and all
// earlier questions have one whole answer each.
func (f filling) answers(number int, when string) {
	f.r.t.Helper()
	if _, err := f.r.ask(mention{number: number, channel: f.r.in[0], by: f.r.people[0]}); err != nil {
		f.r.t.Error(err)
		return
	}
	_, worst := f.r.settled(discordtest.Patience)
	for _, w := range worst {
		f.r.t.Errorf("the disk was full after %d writes, and %s this is wrong: %s; want all answers whole, and each once; logged was\n%s", f.writes, when, w, f.p.log.String())
	}
}

// ends waits until the process has finished with a question.
func (f filling) ends() {
	f.r.t.Helper()
	select {
	case <-f.p.says(f.r.ctx, "a task is done"):
	case <-f.p.says(f.r.ctx, "a task could not be marked as done"): // the disk is full
	case <-time.After(discordtest.Patience):
		f.r.t.Errorf("the disk was full after %d writes, and heddle has not finished with the question, want that it goes on; logged was\n%s", f.writes, f.p.log.String())
	}
}
