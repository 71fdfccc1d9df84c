package chaos_test

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/limittest"
	"heddle/internal/wait"
)

// scenario is a sequence of failures that once left a mention without its one complete
// answer, or heddle disconnected for long.
type scenario struct {
	name  string
	plan  plan
	soaks bool // it takes minutes or an idle machine, and runs only with CHAOS_MENTIONS set
	goes  func(s *staged)
}

// staged is a running scenario.
type staged struct {
	*run

	asked int
}

// TestScenarios runs all scenarios. Each ends when every mention has its answer.
func TestScenarios(t *testing.T) {
	t.Parallel()
	alone, three := plan{channels: 4, processes: 1}, plan{channels: 4, processes: 3}
	create := discordtest.On(discordtest.RouteCreateMessage)
	channel40 := discordtest.TooMany(create, discordtest.ScopeUser, 40*time.Second)
	global60 := discordtest.TooMany(create, discordtest.ScopeGlobal, time.Minute)
	for _, scenario := range []scenario{
		{"a create is told to wait for 40 s, and its process dies", alone, false, dies(channel40)},
		{"a create is told to wait for 60 s everywhere, and its process dies", alone, false, dies(global60)},
		{"a create is told to wait for 40 s", alone, true, strikes(channel40)},
		{"a create is told to wait for 60 s everywhere", alone, true, strikes(global60)},
		{"Discord is away until an answer cannot be sent", alone, false, untilUnsent},
		{"Discord is away for 45 s", alone, true, away(45 * time.Second)},
		{"Discord is away for 45 s, for three processes", three, true, away(45 * time.Second)},
		{"the owner of an answer is paused past its lease", three, false, pauses},
		{"an answer is not recorded, and its question is edited", alone, false, unrecorded(edited)},
		{"an answer is not recorded, and its question is edited while heddle is away", alone, false, unrecorded(unheard(edited))},
		{"an answer is not recorded, and its question is deleted while heddle is away", alone, false, unrecorded(unheard(deleted))},
		{"processes are replaced in turn", three, false, replaces(4, 300*time.Millisecond)},
		{"processes are replaced in turn at 50 mentions a second", plan{channels: 64, processes: 3}, true, replaces(400, 20*time.Millisecond)},
		{"the process of a shard dies", plan{channels: 4, processes: 2}, true, diesWithShard},
	} {
		t.Run(scenario.name, func(t *testing.T) {
			t.Parallel()
			if scenario.soaks && os.Getenv("CHAOS_MENTIONS") == "" {
				t.Skip("it takes minutes; make soak runs it")
			}
			scenario.plan.settle = 3 * time.Minute
			s := &staged{run: newRun(t, scenario.plan)}
			s.model.failing = 0
			scenario.goes(s)
			s.settles()
		})
	}
}

// hears waits until the given number of connections are ready.
func (s *staged) hears(connections int) {
	s.t.Helper()
	s.must(s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return g.Ready == connections }))
}

// mention posts a mention in the next channel.
func (s *staged) mention() *mention {
	s.t.Helper()
	s.asked++
	m := errtest.Must(s.ask(mention{number: s.asked, channel: s.in[s.asked%len(s.in)], by: s.people[s.asked%len(s.people)]}))(s.t)
	return m
}

// await waits until a process has logged something.
func (s *staged) await(p *process, text string) {
	s.t.Helper()
	const patience = 2 * time.Minute
	said := p.says(s.ctx, text)
	if wait.Until(s.ctx, said, patience) != nil || !isClosed(said) {
		s.t.Fatalf("within %s want %q in the log", patience, text)
	}
}

// unsent is logged when Discord does not accept an answer for now.
const unsent = "an answer could not be sent, this is tried again"

// dies lets a fault keep an answer from being sent, and kills the process that holds
// it. The next process must send the answer without waiting.
func dies(fault discordtest.Fault) func(*staged) {
	strike := strikes(fault)
	return func(s *staged) {
		strike(s)
		s.all[0].end(syscall.SIGKILL)
		s.must(s.all[0].start())
	}
}

// strikes lets a fault keep an answer from being sent. The process must send it when
// the fault is over.
func strikes(fault discordtest.Fault) func(*staged) {
	return func(s *staged) {
		s.begins()
		s.discord.Faults.Inject(fault)
		s.mention()
		s.await(s.all[0], unsent)
	}
}

// distant puts a proxy between heddle and Discord, which can be closed.
func (s *staged) distant() *toxiproxy.Proxy {
	s.t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	direct := strings.TrimPrefix(s.discord.GatewayURL(), "ws://")
	direct, _, _ = strings.Cut(direct, "/")
	proxy := toxiproxy.NewProxy(server, "", "127.0.0.1:0", direct)
	errtest.None(s.t, proxy.Start())
	s.t.Cleanup(proxy.Stop)
	for _, p := range s.all {
		p.environ = append(p.environ, "DISCORD_API_URL="+strings.Replace(s.discord.URL(), direct, proxy.Listen, 1))
	}
	through := func(document []byte) []byte {
		return bytes.ReplaceAll(document, []byte("ws://"+direct), []byte("ws://"+proxy.Listen))
	}
	s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(discordtest.RouteGateway, discordtest.RouteGatewayBot), Times: -1, Rewrite: through})
	s.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		e.Data = through(e.Data)
		return []discordtest.Event{e}
	})
	return proxy
}

// untilUnsent takes Discord away during an answer, until the answer could not be sent.
func untilUnsent(s *staged) {
	s.begins()
	down := discordtest.BadGateway(discordtest.On(discordtest.RouteCreateMessage))
	down.Times = -1
	struck := s.discord.Faults.Inject(down)
	s.mention()
	s.await(s.all[0], unsent)
	struck.Remove()
}

// away takes Discord away for a time in which people ask, and measures how soon heddle
// is connected again.
func away(long time.Duration) func(*staged) {
	return func(s *staged) {
		way := s.distant()
		s.begins()
		s.mention()
		way.Stop()
		for range 4 {
			s.mention()
		}
		s.hears(0)
		s.must(wait.For(s.ctx, long))
		s.must(way.Start())
		returned := time.Now()
		s.hears(len(s.all))
		deaf := time.Since(returned)
		s.t.Logf("heard again %s after Discord was back", deaf.Round(100*time.Millisecond))
		if deaf > 10*time.Second {
			s.t.Errorf("heddle was disconnected for %s after Discord was back, want 10 s at most", deaf)
		}
	}
}

// unrecorded fills the disk of a process while it answers, so that nothing is known of the
// answer, and then lets its question change.
func unrecorded(change func(*staged, *mention)) func(*staged) {
	return func(s *staged) {
		limittest.Need(s.t)
		s.begins()
		s.all[0].room(0)
		m := s.mention()
		s.await(s.all[0], "an answer could not be recorded")
		s.all[0].room(limittest.Unlimited)
		s.await(s.all[0], `msg="a task is done"`)
		change(s, m)
	}
}

func edited(s *staged, m *mention) { s.changes(m, []change{{}}) }

func deleted(s *staged, m *mention) { s.changes(m, []change{{how: deletes}}) }

// unheard changes a question while heddle is away.
func unheard(change func(*staged, *mention)) func(*staged, *mention) {
	return func(s *staged, m *mention) {
		s.all[0].end(syscall.SIGKILL)
		change(s, m)
		s.must(s.all[0].start())
	}
}

// pauses pauses the process that answers, for longer than a lease.
func pauses(s *staged) {
	s.begins()
	s.model.tokens = 120
	s.mention()
	const other = "another process does a task"
	owner := s.all[0]
	for left := 0; left < len(s.all)-1; {
		s.must(wait.For(s.ctx, 10*time.Millisecond))
		left = 0
		for _, p := range s.all {
			if p.log.Count(other) > 0 {
				left++
			} else {
				owner = p
			}
		}
		if s.t.Failed() {
			return
		}
	}
	owner.signal(syscall.SIGSTOP)
	s.settles()
	owner.signal(syscall.SIGCONT)
	s.mention()
}

// replaces posts mentions at the interval apart, while one process after another is
// replaced.
func replaces(mentions int, apart time.Duration) func(*staged) {
	return func(s *staged) {
		s.begins()
		var replacing sync.WaitGroup
		replacing.Go(func() {
			for _, p := range s.all {
				p.end(syscall.SIGTERM)
				s.must(p.start())
				_ = wait.For(s.ctx, 10*apart)
			}
		})
		for range mentions {
			s.mention()
			if wait.For(s.ctx, apart) != nil {
				return
			}
		}
		replacing.Wait()
	}
}

// diesWithShard kills one of two processes that share two shards, and measures how soon
// the other runs both.
func diesWithShard(s *staged) {
	s.discord.Gateway.Recommend(2)
	for _, p := range s.all {
		p.environ = append(p.environ, "SHARDS=leased")
	}
	s.begins()
	s.await(s.all[1], "connected to Discord")
	s.hears(2)
	s.all[0].end(syscall.SIGKILL)
	died := time.Now()
	s.hears(1)
	for range 4 {
		s.mention()
	}
	s.hears(2)
	deaf := time.Since(died)
	s.t.Logf("its shard was heard again after %s", deaf.Round(100*time.Millisecond))
	if deaf > 15*time.Second {
		s.t.Errorf("a shard was taken over after %s, want 15 s at most", deaf)
	}
	s.must(s.all[0].start())
}
