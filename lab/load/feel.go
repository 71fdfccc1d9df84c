package load

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// feel describes a load of answers that people watch as they grow. In each of some
// channels one answer follows another, under Discord's observed rate limits.
type feel struct {
	answers, channels int
	words             int           // words of an answer, each of which is a token
	each              time.Duration // time between two tokens
	wait              time.Duration // time until the first token
}

// streamed holds the times at which the model sent an answer and at which people saw it.
type streamed struct {
	first, last   time.Time // first and last token
	shown, ended  time.Time // first text, and the complete text
	edits, typing int
}

// watching measures answers as they are shown.
type watching struct {
	feel

	discord *discordtest.Server
	model   *openaitest.Server
	heddle  discordtest.Bot
	ann     graph.UserID

	speaking sync.WaitGroup // the model's goroutines

	mu   sync.Mutex
	seen map[graph.ChannelID]*streamed
	all  []streamed
}

// measure runs heddle and prints how soon people see what the model says.
func (f *feel) measure(ctx context.Context, program, dir string, environ []string, w io.Writer) error {
	v := &watching{feel: *f, seen: make(map[graph.ChannelID]*streamed)}
	model, err := openaitest.Start(openaitest.Config{Script: v.speak}) //nolint:contextcheck // closed below
	if err != nil {
		return fmt.Errorf("start the model: %w", err)
	}
	defer model.Close() //nolint:errcheck,contextcheck // the measurement is over
	v.model = model
	v.discord = discordtest.New(discordtest.Options{Limits: discordtest.DefaultLimits()}) //nolint:contextcheck // closed below
	defer v.discord.Close()
	guild := v.discord.World.AddGuild("weavers")
	v.heddle, v.ann = v.discord.People.AddBot("heddle", guild), v.discord.People.AddUser("ann", guild)
	cmd := process(ctx, program, dir, environ, servers{v.heddle.Token, v.discord.URL(), model.URL()})
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start heddle: %w", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := v.discord.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready > 0 }); err != nil {
		return fmt.Errorf("wait until heddle is connected: %w", err)
	}
	var asking sync.WaitGroup
	for i := range f.channels {
		channel := v.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel-%d", i)})
		asking.Go(func() {
			for n := range f.answers / f.channels {
				if err := v.watch(ctx, channel, n); err != nil {
					fmt.Fprintln(os.Stderr, "load:", err)
					return
				}
			}
		})
	}
	asking.Wait()
	v.speaking.Wait()
	v.report(w)
	return nil
}

// speak answers a request token by token and records the times.
func (v *watching) speak(r openaitest.Request) openaitest.Reply {
	_, name, _ := strings.Cut(string(r.Body[strings.LastIndex(string(r.Body), "(in "):]), "(in ")
	name, _, _ = strings.Cut(name, ")")
	var channel graph.ChannelID
	if channel.UnmarshalText([]byte(name)) != nil {
		return openaitest.Reply{Status: 400}
	}
	chunks, gates := make([]openaitest.Chunk, v.words), make([]chan struct{}, v.words)
	for i := range chunks {
		gates[i] = make(chan struct{})
		chunks[i] = openaitest.Chunk{Wait: gates[i], Text: fmt.Sprintf("word%d ", i)}
	}
	v.speaking.Go(func() {
		time.Sleep(v.wait) //nolint:forbidigo // it simulates a slow model
		for i, gate := range gates {
			v.mu.Lock()
			said := v.seen[channel]
			if i == 0 {
				said.first = time.Now()
			}
			said.last = time.Now()
			v.mu.Unlock()
			close(gate)
			time.Sleep(v.each) //nolint:forbidigo // as above
		}
	})
	return openaitest.Reply{Chunks: chunks, FinishReason: "stop"}
}

// watch asks one question and records when people see the answer.
func (v *watching) watch(ctx context.Context, channel graph.ChannelID, n int) error {
	v.mu.Lock()
	now := &streamed{}
	v.seen[channel] = now
	v.mu.Unlock()
	watcher := v.discord.Chat.Watch()
	defer watcher.Close()
	question := fmt.Sprintf("<@%s> question %d (in %s)", v.heddle.User, n, channel)
	if _, err := v.discord.Chat.Post(channel, v.ann, discordtest.Draft{Content: question}); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	whole := fmt.Sprintf("word%d", v.words-1)
	for {
		h, err := watcher.Next(ctx)
		if err != nil {
			return err
		}
		if h.Channel != channel || h.Message.Author != v.heddle.User {
			continue
		}
		at := time.Now()
		v.mu.Lock()
		switch h.Kind {
		case discordtest.Typing:
			now.typing++
		case discordtest.Created:
			if now.shown.IsZero() {
				now.shown = at
			}
		case discordtest.Edited:
			now.edits++
		case discordtest.Deleted, discordtest.Private, discordtest.Reacted:
		}
		done := (h.Kind == discordtest.Created || h.Kind == discordtest.Edited) && strings.HasSuffix(strings.TrimSpace(h.Message.Content), whole)
		if done {
			now.ended = at
			v.all = append(v.all, *now)
		}
		v.mu.Unlock()
		if done {
			return nil
		}
	}
}

// report prints how long after the model's tokens people saw them.
func (v *watching) report(w io.Writer) {
	var first, last []time.Duration
	edits, typing := 0, 0
	for _, s := range v.all {
		first, last = append(first, s.shown.Sub(s.first)), append(last, s.ended.Sub(s.last))
		edits, typing = edits+s.edits, typing+s.typing
	}
	slices.Sort(first)
	slices.Sort(last)
	fmt.Fprintf(w, "%d answers in %d channels, %d tokens %s apart, the first after %s\n", len(v.all), v.channels, v.words, v.each, v.wait)
	fmt.Fprintf(w, "%-28s %10s %10s %10s %10s\n", "", "p10", "p50", "p99", "most")
	for name, d := range map[string][]time.Duration{"first word to first text": first, "last token to last edit": last} {
		fmt.Fprintf(w, "%-28s %10s %10s %10s %10s\n", name, rank(d, 0.1), rank(d, 0.5), rank(d, 0.99), rank(d, 1))
	}
	n := max(len(v.all), 1)
	fmt.Fprintf(w, "%.1f edits and %.1f typing indicators an answer\n", float64(edits)/float64(n), float64(typing)/float64(n))
}
