package chaos_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/internal/wait"
)

// plan configures a run.
type plan struct {
	mentions  int
	channels  int
	processes int  // several processes share a Redis; a single one has the embedded store
	redis     bool // a single process has a Redis, too
	every     time.Duration
	open      int           // most mentions that may wait for their answers at a time
	settle    time.Duration // longest wait for outstanding answers at the end
	lives     bool          // people press buttons, go on in second messages, and ask by editing
}

// run is a run of chaos.
type run struct {
	t       *testing.T
	ctx     context.Context //nolint:containedctx // a test's own
	plan    plan
	seed    uint64
	discord *discordtest.Server
	redis   *redistest.Server
	relay   *relay // relay to Redis; may be nil
	disk    *disk  // disk of the embedded store; may be nil
	model   *model
	guild   graph.GuildID
	people  []graph.UserID
	in      []graph.ChannelID
	heddle  discordtest.Bot
	all     []*process
	kills   atomic.Int64
	faults  atomic.Int64
	emptied atomic.Int64    // when the store was last emptied, in Unix nanoseconds
	from    graph.MessageID // messages before it are not judged

	mu       sync.Mutex // guards the mentions and what they hold
	mentions []*mention
	open     []*mention // mentions without an answer so far
	presses  []*press

	reading sync.WaitGroup // of those who wait for what their presses bring
}

func newRun(t *testing.T, p plan) *run {
	t.Helper()
	r, err := makeRun(t, p)
	if redistest.IsMissing(err) {
		t.Skip(err)
	}
	errtest.None(t, err)
	return r
}

// makeRun is newRun for goroutines that are not the test's own.
func makeRun(t *testing.T, p plan) (*run, error) {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, err
		}
	}
	r := &run{t: t, ctx: t.Context(), plan: p, seed: seed}
	r.model = &model{random: rand.New(rand.NewPCG(seed, 2)), failing: 0.05}
	server, err := openaitest.Start(openaitest.Config{Script: r.model.reply})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = server.Close() })
	r.discord = discordtest.New(discordtest.Options{Limits: discordtest.NoLimits()})
	t.Cleanup(r.discord.Close)
	r.guild = r.discord.World.AddGuild("weavers")
	for i := range p.channels {
		r.in = append(r.in, r.discord.World.AddChannel(r.guild, discordtest.ChannelDraft{Name: "c" + strconv.Itoa(i)}))
	}
	for i := range 8 {
		r.people = append(r.people, r.discord.People.AddUser("p"+strconv.Itoa(i), r.guild))
	}
	r.heddle = r.discord.People.AddBot("heddle", r.guild)
	environ := []string{
		"DISCORD_TOKEN=" + r.heddle.Token, "DISCORD_API_URL=" + r.discord.URL(), "OPENAI_BASE_URL=" + server.URL(),
		"LLM_MODEL=test-model", "LOG_LEVEL=debug", "CLAIM_LEASE=2s", "SHUTDOWN_GRACE=1s", storeKey,
	}
	if p.processes > 1 || p.redis {
		if r.redis, err = redistest.StartDurable(r.ctx); err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = r.redis.Close() })
	}
	for range p.processes {
		one := &process{dir: t.TempDir()}
		one.environ = append(slices.Clip(environ), "DATA_DIR="+one.dir)
		if r.redis != nil {
			if one.redis, err = redistest.NewLink(r.redis); err != nil {
				return nil, err
			}
			t.Cleanup(one.redis.Close)
			one.environ = append(one.environ, "REDIS_URL="+redistest.Within(one.redis.URL(), "300ms"))
		}
		r.all = append(r.all, one)
	}
	return r, nil
}

// masterKey is the key of all stores, and storeKey is its setting.
const (
	masterKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	storeKey  = "STORE_KEY=" + masterKey
)

// asks posts the mentions of a round, no faster than they are answered. Some mentions
// are edited or deleted soon after, and people press the buttons below answers.
func (r *run) asks(round int) {
	random := rand.New(rand.NewPCG(r.seed, uint64(round)<<8|3))
	var changing sync.WaitGroup
	defer func() {
		changing.Wait()
		r.reading.Wait()
	}()
	for n := range r.plan.mentions {
		n += round * r.plan.mentions
		if !r.keepsPace() {
			return
		}
		channel, by := r.in[random.IntN(len(r.in))], r.people[random.IntN(len(r.people))]
		late := r.plan.lives && random.IntN(20) == 0
		m, err := r.ask(mention{number: n + 1, channel: channel, by: by, late: late})
		if err != nil {
			r.t.Error(err)
			return
		}
		how := r.plan.changesOf(random)
		if late {
			how = append([]change{{after: time.Duration(random.IntN(2000)) * time.Millisecond}}, how...)
		}
		if len(how) > 0 {
			changing.Go(func() { r.changes(m, how) })
		}
		if presses := r.plan.pressesOf(random); len(presses) > 0 {
			changing.Go(func() { r.plays(m, presses) })
		}
		if wait.For(r.ctx, r.plan.every) != nil {
			return
		}
	}
}

// keepsPace waits until another mention may be posted. It reports false if the test
// ends before.
func (r *run) keepsPace() bool {
	for r.stillOpen() >= r.plan.open {
		if wait.For(r.ctx, 100*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// stillOpen returns the number of mentions without an answer. It ignores mentions that
// have waited for longer than plan.settle, because they would hold up the others; the
// oracle finds them at the end.
func (r *run) stillOpen() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(m *mention) bool {
		v, _ := r.judge(m, r.said(m.channel, m.id))
		return v == fine || v == bare || time.Since(m.asked) > r.plan.settle
	})
	return len(r.open)
}

// ask posts one mention, or a message that an edit is to make one.
func (r *run) ask(m mention) (*mention, error) {
	text := r.says(m.number, 0)
	if m.late {
		text = r.words(m.number, 0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id, err := r.discord.Chat.Post(m.channel, m.by, discordtest.Draft{Content: text})
	if err != nil {
		return nil, err
	}
	m.id, m.asked, m.withdrawn = id, time.Now(), -1
	r.mentions, r.open = append(r.mentions, &m), append(r.open, &m)
	return &m, nil
}

// says returns the text of a question that was edited a number of times.
func (r *run) says(number, edits int) string {
	return fmt.Sprintf("<@%s> %s", r.heddle.User, r.words(number, edits))
}

// words returns what a question asks that was edited a number of times.
func (*run) words(number, edits int) string { return fmt.Sprintf("q-%d.%d, please", number, edits) }

func (r *run) must(err error) {
	if err != nil {
		r.t.Error(err)
	}
}

// said returns the messages of a channel from one on.
func (r *run) said(channel graph.ChannelID, from graph.MessageID) []discordtest.Message {
	messages, _, _ := r.discord.Chat.Near(channel, from, 0, math.MaxInt32)
	return messages
}

// judge returns the verdict on the answer to a mention as it reads now. r.mu must be held
// while mentions may change.
func (r *run) judge(m *mention, messages []discordtest.Message) (verdict, string) {
	m.failed = r.model.hasFailed(version{m.number, m.edits})
	v, text := judge(*m, r.heddle.User, messages)
	switch {
	case v == bare && !r.plan.lives,
		v == returned && m.pressed.UnixNano() < r.emptied.Load(): // the store has forgotten that it was withdrawn
		return fine, ""
	case v == fine && r.model.files && countFiles(answerTo(m, r.heddle.User, messages)) != 1:
		return fileless, text
	}
	return v, text
}

// judged judges all mentions. A mention of which only the buttons are missing is bare; see audited.
func (r *run) judged() (all counts, worst []flaw) {
	r.mu.Lock()
	defer r.mu.Unlock()
	messages := make(map[graph.ChannelID][]discordtest.Message)
	for _, channel := range r.in {
		messages[channel] = r.said(channel, r.from)
	}
	for _, m := range r.mentions {
		v, text := r.judge(m, messages[m.channel])
		all[v]++
		if v != fine {
			worst = append(worst, flaw{m, v, text})
		}
	}
	return all, worst
}

// flaw is a mention whose answer is not fine.
type flaw struct {
	of   *mention
	is   verdict
	text string
}

func (f flaw) String() string {
	text := f.text
	if len(text) > 400 {
		text = text[:200] + " … " + text[len(text)-200:]
	}
	return fmt.Sprintf("%s: mention %d (%s in %s): %q", f.is, f.of.number, f.of.id, f.of.channel, text)
}

// begins starts all processes, and waits until they are connected.
func (r *run) begins() {
	r.t.Helper()
	for _, p := range r.all {
		r.must(p.start())
	}
	r.t.Cleanup(func() {
		for _, p := range r.all {
			p.end(syscall.SIGKILL)
			if dir := os.Getenv("CHAOS_LOGS"); dir != "" {
				r.must(os.WriteFile(fmt.Sprintf("%s/%d-%p.log", dir, r.seed, p), []byte(p.log.String()), 0o600))
			}
		}
	})
	r.must(r.discord.Gateway.Await(r.ctx, func(g discordtest.GatewayState) bool { return g.Ready == len(r.all) }))
}

// hears waits until the only process of a run is connected. It fails the test and reports false if that
// takes longer than a minute.
func (r *run) hears() bool {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	err := r.discord.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready == 1 })
	if err != nil {
		r.t.Errorf("%v; logged was\n%s", err, r.all[0].log.String())
	}
	return err == nil
}

// settled judges all mentions once each has one complete answer, or after a time. Buttons are waited
// for briefly: an answer that is not stored has none; see audited.
func (r *run) settled(most time.Duration) (all counts, worst []flaw) {
	const brief = 30 * time.Second // what another process left behind is taken up after its lease
	end, rest := time.Now().Add(most), time.Now().Add(brief)
	for all, worst = r.judged(); len(worst) > 0; all, worst = r.judged() {
		now := time.Now()
		if !all.onlyBare() {
			rest = now.Add(brief)
		}
		if now.After(end) || now.After(rest) {
			break
		}
		_ = wait.For(r.ctx, 100*time.Millisecond)
	}
	return all, worst
}

// settles waits until each mention has one complete answer, and fails the test if that
// takes longer than plan.settle.
func (r *run) settles() {
	r.t.Helper()
	all, worst := r.settled(r.plan.settle)
	if r.plan.lives {
		all, worst = r.audited(all, worst)
	}
	for _, w := range worst {
		r.t.Error(w)
	}
	if dir := os.Getenv("CHAOS_LOGS"); dir != "" && len(worst) > 0 {
		r.must(os.WriteFile(fmt.Sprintf("%s/%d-requests.log", dir, r.seed), r.written(), 0o600))
	}
	var line strings.Builder
	fmt.Fprintf(&line, "seed=%d mentions=%d kills=%d faults=%d presses=%d", r.seed, len(r.mentions), r.kills.Load(), r.faults.Load()+int64(r.model.faults), len(r.presses))
	for v := lost; v < verdicts; v++ {
		fmt.Fprintf(&line, " %s=%d", v, all[v])
	}
	r.t.Log(line.String())
}

// written returns the requests that wrote to Discord, one per line.
func (r *run) written() []byte {
	var lines bytes.Buffer
	for _, q := range r.discord.Record.Requests(func(q discordtest.Request) bool { return q.Method != http.MethodGet && q.Channel() != 0 }) {
		fmt.Fprintf(&lines, "%s %s %s %d %s\n", q.At.Format(time.RFC3339Nano), q.Method, q.Path, q.Status, q.Body)
	}
	return lines.Bytes()
}

// goes carries out the plan, and fails the test unless each mention has one complete
// answer.
func (r *run) goes() {
	r.t.Helper()
	r.begins()
	breaking, stop := context.WithCancel(r.ctx)
	var broken sync.WaitGroup
	broken.Go(func() { r.breaks(breaking) })
	broken.Go(func() { r.breaksStores(breaking, 0) })
	r.asks(0)
	stop()
	broken.Wait()
	r.settles()
}
