package e2e_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot"
	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// patience bounds what an end-to-end test waits for.
const patience = discordtest.Patience

// patient are settings for a machine on which everything may take long, where a test
// is not about how long heddle waits.
func patient() []string {
	return []string{"REDIS_TIMEOUT=10m", "CLAIM_LEASE=10m", "LLM_TIMEOUT=10m", "SHUTDOWN_GRACE=2m", "SHUTDOWN_FLUSH=1m"}
}

// scene is a Discord with a guild, a channel, two people and heddle, and a model.
type scene struct {
	t       testing.TB
	ctx     context.Context //nolint:containedctx // a test's own, for every wait of it
	discord *discordtest.Server
	model   *openaitest.Server
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bob     graph.UserID
	heddle  discordtest.Bot
	environ []string
	data    string // the folder of the embedded store
	// observer is told what the answers of the next run are made from. It may be nil.
	observer bot.Observer
	reply    atomic.Pointer[openaitest.Reply]
	script   atomic.Pointer[func(openaitest.Request) *openaitest.Reply]
}

// scripted has the model reply as script says where that gives a reply, and as
// always elsewhere.
func (s *scene) scripted(script func(openaitest.Request) *openaitest.Reply) { s.script.Store(&script) }

// answers is the model's reply to a request for which none is queued.
func (s *scene) answers(request openaitest.Request) openaitest.Reply {
	if script := s.script.Load(); script != nil {
		if reply := (*script)(request); reply != nil {
			return *reply
		}
	}
	return *s.reply.Load()
}

// patiently gives a scene of many answers more time: edits in a channel are paced.
func (s *scene) patiently() {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*patience)
	s.t.Cleanup(cancel)
	s.ctx = ctx
}

// always is the model's reply to every request for which none is queued.
func (s *scene) always(reply openaitest.Reply) { s.reply.Store(&reply) }

// newScene sets a scene in which nothing was said yet and heddle is not there yet.
func newScene(tb testing.TB, options discordtest.Options) *scene {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	s := &scene{t: tb, ctx: ctx, data: tb.TempDir()}
	s.always(openaitest.Reply{Status: 500})
	model, err := openaitest.Start(openaitest.Config{Script: s.answers})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = model.Close() })
	if options.Limits == nil {
		options.Limits = discordtest.NoLimits()
	}
	if options.AnswerWithin == 0 {
		options.AnswerWithin = patience // how fast heddle is must not decide a test
	}
	discord := discordtest.New(options)
	tb.Cleanup(discord.Close)
	s.discord, s.model = discord, model
	s.guild = discord.World.AddGuild("weavers")
	s.channel = discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "general"})
	s.ann, s.bob = discord.World.AddUser("ann", s.guild), discord.World.AddUser("bob", s.guild)
	s.heddle = discord.World.AddBot("heddle", s.guild)
	s.environ = append(patient(),
		"DISCORD_TOKEN="+s.heddle.Token, "DISCORD_API_URL="+discord.URL(),
		"OPENAI_BASE_URL="+model.URL(), "LLM_MODEL=test-model", "DATA_DIR="+s.data, "LOG_LEVEL=debug",
	)
	return s
}

// running is a run of the program.
type running struct {
	stop func() // as SIGTERM does
	// ended is closed when the program has ended; status and logs may be read then.
	ended  chan struct{}
	status int
	logs   lockedBuffer
}

// start runs the program as a person would and waits until it is connected.
func (s *scene) start(environ ...string) *running {
	s.t.Helper()
	connected := s.connecting()
	r := s.launch(environ...)
	if err := connected(); err != nil {
		s.t.Fatalf("heddle did not connect: %v\n%s", err, r.logs.String())
	}
	return r
}

// connecting gives what waits until heddle connects anew: the session of a run that
// has ended may still be there.
func (s *scene) connecting() func() error {
	before := s.discord.Gateway.State().Begun
	return func() error {
		return s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return g.Begun > before })
	}
}

// launch runs the program without waiting for anything. It is stopped with the test.
func (s *scene) launch(environ ...string) *running {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.status = cli.Run(ctx, nil, cli.Process{
			Environ: append(append([]string{}, s.environ...), environ...),
			Read:    os.ReadFile, // no .env lies here
			Stdin:   strings.NewReader(""), Stdout: &r.logs, Stderr: &r.logs,
			Observer: s.observer,
		})
	}()
	s.t.Cleanup(func() {
		stop()
		<-r.ended
		if s.t.Failed() {
			s.t.Logf("heddle's log:\n%s", r.logs.String())
		}
	})
	return r
}

// noFiles is a disk that holds nothing.
func noFiles(string) ([]byte, error) { return nil, fs.ErrNotExist }

// settled waits until all of a mention is done: its answer is seen before it is stored.
func (r *running) settled(s *scene, trigger graph.MessageID) {
	s.t.Helper()
	if err := r.logs.await(s.ctx, `msg="a mention is settled" trigger=`+trigger.String()); err != nil {
		s.t.Fatal(err)
	}
}

// said makes a past conversation: each line "ann: text" so long after the one before.
func (s *scene) said(apart time.Duration, lines ...string) []graph.MessageID {
	s.t.Helper()
	drafts := make([]discordtest.Draft, len(lines))
	for i, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		at := time.Now().Add(-time.Duration(len(lines)-i) * apart)
		drafts[i] = discordtest.Draft{Author: s.person(name), Content: text, At: at}
	}
	ids, err := s.discord.Chat.Backfill(s.channel, drafts)
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
}

func (s *scene) person(name string) graph.UserID {
	switch name {
	case "ann":
		return s.ann
	case "bob":
		return s.bob
	default:
		s.t.Fatalf("nobody is called %q", name)
		return 0
	}
}

// post says something now.
func (s *scene) post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	s.t.Helper()
	return s.postIn(s.channel, author, draft)
}

func (s *scene) postIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	s.t.Helper()
	id, err := s.discord.Chat.Post(channel, author, draft)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// mention is a text that calls heddle.
func (s *scene) mention(text string) string { return "<@" + s.heddle.User.String() + "> " + text }

// answer waits for the finished text of heddle's answer to a trigger and gives it.
// What is stored of it comes after: see settled.
func (s *scene) answer(channel graph.ChannelID, trigger graph.MessageID, text string) discordtest.Message {
	s.t.Helper()
	return s.answerThat(channel, trigger, text, func(m discordtest.Message) bool { return !growing(m) })
}

// begun waits for the beginning of an answer of which more is to come.
func (s *scene) begun(channel graph.ChannelID, trigger graph.MessageID, text string) discordtest.Message {
	s.t.Helper()
	return s.answerThat(channel, trigger, text, growing)
}

func (s *scene) answerThat(channel graph.ChannelID, trigger graph.MessageID, text string, is func(discordtest.Message) bool) discordtest.Message {
	s.t.Helper()
	m, err := s.discord.Chat.AwaitMessage(s.ctx, channel, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && m.Reference != nil && m.Reference.Message == trigger && strings.Contains(m.Content, text) && is(m)
	})
	if err != nil {
		s.t.Fatalf("no answer %q to %s: %v", text, trigger, err)
	}
	return m
}

// growing says whether more of a message is to come: it ends with the indicator, or
// with what is being done.
func growing(m discordtest.Message) bool {
	return strings.HasSuffix(m.Content, outbox.DefaultIndicator) || strings.HasSuffix(m.Content, " …")
}

// says waits until heddle has said a text anywhere in a channel: the end of an
// answer in several parts, say. It gives the message.
func (s *scene) says(channel graph.ChannelID, text string) discordtest.Message {
	s.t.Helper()
	m, err := s.discord.Chat.AwaitMessage(s.ctx, channel, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && strings.Contains(m.Content, text) && !growing(m)
	})
	if err != nil {
		s.t.Fatalf("heddle does not say %q: %v", text, err)
	}
	return m
}

// asked waits for the nth request to the model and gives its messages, the system
// prompt and the tail left out.
func (s *scene) asked(n int) []string {
	s.t.Helper()
	requests, err := s.model.Await(s.ctx, n)
	if err != nil {
		s.t.Fatalf("the model was not asked %d times: %v", n, err)
	}
	messages := requests[n-1].Chat.Messages
	var turns []string
	for _, m := range messages[1 : len(messages)-1] {
		turns = append(turns, m.Role+": "+m.Text())
	}
	return turns
}

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu   sync.Mutex
	b    strings.Builder
	more chan struct{} // closed by the next write; nil while nobody waits
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.b.Write(p)
}

// await waits until a text was written.
func (l *lockedBuffer) await(ctx context.Context, text string) error {
	for {
		l.mu.Lock()
		if strings.Contains(l.b.String(), text) {
			l.mu.Unlock()
			return nil
		}
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("wait for %q in the log: %w", text, ctx.Err())
		}
	}
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
