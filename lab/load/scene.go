package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// client answers mentions until its context ends.
type client func(context.Context, *scene) error

// scene is a busy Discord server and a model that records when it is asked.
type scene struct {
	discord  *discordtest.Server
	model    *openaitest.Server
	heddle   discordtest.Bot
	people   []graph.UserID
	channels []graph.ChannelID

	peak int64 // bytes of memory that heddle took at most, known when it has ended

	mu    sync.Mutex
	pid   int // heddle's process, 0 for the wire
	sent  map[string]time.Time
	took  []time.Duration
	asked chan struct{} // one token for each request
}

// figures holds the measurements of one run.
type figures struct {
	took []time.Duration // times from each mention to the model, shortest first
	cpu  time.Duration   // CPU time for a mention and the chatter before it; zero if unknown
	peak int64           // bytes of memory at most; zero if unknown
}

// measure runs a client under the load that p describes.
func measure(ctx context.Context, p plan, answering client) (measured figures, err error) {
	s, err := newScene(p, nil) //nolint:contextcheck // close stops its servers
	if err != nil {
		return figures{}, err
	}
	defer s.close() //nolint:contextcheck // stops servers without a context
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- answering(running, s) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
		measured.peak = s.peak
	}()
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.discord.Gateway.Await(ready, func(g discordtest.GatewayState) bool { return g.Ready > 0 }); err != nil {
		return figures{}, fmt.Errorf("wait until it is connected: %w", err)
	}
	// One mention in each channel warms it up.
	for _, channel := range s.channels {
		if err := s.mention(channel, "warm-"+channel.String()); err != nil {
			return figures{}, err
		}
	}
	if err := s.await(ctx, len(s.channels)); err != nil {
		return figures{}, err
	}
	s.forget()
	before := s.cpu()
	if err := s.talk(ctx, p); err != nil {
		return figures{}, err
	}
	if err := s.await(ctx, p.mentions); err != nil {
		return figures{}, err
	}
	measured.cpu = (s.cpu() - before) / time.Duration(max(p.mentions, 1))
	s.mu.Lock()
	defer s.mu.Unlock()
	measured.took = slices.Sorted(slices.Values(s.took))
	return measured, nil
}

// cpu returns the CPU time that heddle has taken so far, or zero if that is unknown.
func (s *scene) cpu() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, err := useOf(s.pid)
	if err != nil {
		return 0 // the wire has no process of its own
	}
	return used.cpu
}

// talk posts mentions and chatter at an even pace.
func (s *scene) talk(ctx context.Context, p plan) error {
	ticker := time.NewTicker(p.every / time.Duration(p.chatter+1))
	defer ticker.Stop()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same load each time
	for i := range p.mentions * (p.chatter + 1) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		n, rest := i/(p.chatter+1), i%(p.chatter+1)
		say := func() error { return s.post(s.channels[random.IntN(len(s.channels))], "some words of chatter") }
		if rest == 0 {
			say = func() error { return s.mention(s.channels[n%len(s.channels)], fmt.Sprintf("question-%d", n)) }
		}
		if err := say(); err != nil {
			return err
		}
	}
	return nil
}

// newScene starts the servers, with the channels of a plan and a model that answers as
// script says; nil notes mentions. The caller must close it.
func newScene(p plan, script func(openaitest.Request) openaitest.Reply) (*scene, error) {
	s := &scene{sent: make(map[string]time.Time), asked: make(chan struct{}, p.mentions+p.channels)}
	if script == nil {
		script = s.note
	}
	model, err := openaitest.Start(openaitest.Config{Script: script})
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	s.model = model
	s.discord = discordtest.New(discordtest.Options{Limits: discordtest.NoLimits()})
	guild := s.discord.World.AddGuild("weavers")
	s.heddle = s.discord.People.AddBot("heddle", guild)
	for i := range 8 {
		s.people = append(s.people, s.discord.People.AddUser(fmt.Sprintf("person%d", i), guild))
	}
	for i := range p.channels {
		channel := s.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel-%d", i)})
		drafts := make([]discordtest.Draft, p.history)
		for j := range drafts {
			drafts[j] = discordtest.Draft{
				Author: s.people[j%len(s.people)], Content: fmt.Sprintf("message %d of the past, about looms and threads", j),
				At: time.Now().Add(-time.Hour - time.Duration(p.history-j)*time.Minute),
			}
		}
		if _, err := s.discord.Chat.Backfill(channel, drafts); err != nil {
			return nil, fmt.Errorf("fill a channel: %w", err)
		}
		s.channels = append(s.channels, channel)
	}
	return s, nil
}

func (s *scene) close() {
	s.discord.Close()
	_ = s.model.Close()
}

func (s *scene) post(channel graph.ChannelID, text string) error {
	if _, err := s.discord.Chat.Post(channel, s.people[rand.IntN(len(s.people))], discordtest.Draft{Content: text}); err != nil { //nolint:gosec // no secret
		return fmt.Errorf("post: %w", err)
	}
	return nil
}

func (s *scene) mention(channel graph.ChannelID, name string) error {
	s.mu.Lock()
	s.sent[name] = time.Now()
	s.mu.Unlock()
	return s.post(channel, "<@"+s.heddle.User.String()+"> ("+name+")")
}

// note answers a request to the model and records when its first byte came, which
// excludes the time for reading it.
func (s *scene) note(r openaitest.Request) openaitest.Reply {
	s.mu.Lock()
	for _, said := range strings.Split(string(r.Body), "heddle (")[1:] { // a mention that was answered may be quoted before and after the question
		name, _, _ := strings.Cut(said, ")")
		if sent, ok := s.sent[name]; ok {
			s.took = append(s.took, r.Began.Sub(sent))
			delete(s.sent, name)
		}
	}
	s.mu.Unlock()
	s.asked <- struct{}{}
	return openaitest.Answer("Noted.")
}

func (s *scene) await(ctx context.Context, n int) error {
	for range n {
		select {
		case <-s.asked:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *scene) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = nil
}

// report prints both distributions and their difference. On a busy machine the 10th
// percentile is the most meaningful, because other work hardly affects it. between, the
// wire between processes, may be empty.
func report(w io.Writer, p plan, wire, between, heddle figures) {
	fmt.Fprintf(w, "%d channels, %d mentions, one every %s, %d other messages between two\n", p.channels, p.mentions, p.every, p.chatter)
	fmt.Fprintf(w, "%-28s %10s %10s %10s %10s\n", "event to model request", "p10", "p50", "p99", "most")
	row := func(name string, d []time.Duration) {
		fmt.Fprintf(w, "%-28s %10s %10s %10s %10s\n", name, rank(d, 0.1), rank(d, 0.5), rank(d, 0.99), rank(d, 1))
	}
	row("wire", wire.took)
	if len(between.took) > 0 {
		row("wire between processes", between.took)
	}
	row("heddle", heddle.took)
	above := func(share float64) time.Duration { return rank(heddle.took, share) - rank(wire.took, share) }
	fmt.Fprintf(w, "%-28s %10s %10s %10s\n", "heddle on top of the wire", above(0.1), above(0.5), above(0.99))
	fmt.Fprintf(w, "heddle took %s of CPU for a mention and the chatter before it, and %d MB of memory at most\n", heddle.cpu.Round(10*time.Microsecond), heddle.peak>>20)
}

// rank returns the value at a share of sorted values, rounded to a microsecond.
func rank(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(share*float64(len(sorted)-1))].Round(time.Microsecond)
}
