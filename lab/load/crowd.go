package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// crowd describes a load of many guilds in which people talk to each other and not to
// heddle.
type crowd struct {
	guilds, channels int // number of guilds, and of channels in each
	rate             int // messages per second in all
	during           time.Duration
	shards           int
}

// use is the memory and CPU time of a process.
type use struct {
	cpu      time.Duration
	resident int64 // bytes
}

// useOf reads the use of a process from /proc.
func useOf(pid int) (use, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return use{}, fmt.Errorf("read what heddle uses: %w", err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	const utime, stime, rss = 11, 12, 21 // proc(5), counted after the name
	if len(fields) <= rss {
		return use{}, errors.New("/proc has another format")
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64) // a value that does not parse shows as 0
		return n
	}
	const tick = time.Second / 100 // USER_HZ
	return use{time.Duration(number(utime)+number(stime)) * tick, number(rss) * int64(os.Getpagesize())}, nil
}

// town holds the servers for a crowd.
type town struct {
	discord  *discordtest.Server
	model    *openaitest.Server
	heddle   discordtest.Bot
	ann      graph.UserID
	channels []graph.ChannelID
}

// town creates the servers and guilds of a crowd. The caller must close it.
func (c *crowd) town() (*town, error) {
	model, err := openaitest.Start(openaitest.Config{})
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	t := &town{model: model}
	t.discord = discordtest.New(discordtest.Options{Limits: discordtest.NoLimits(), Shards: c.shards, MaxConcurrency: c.shards})
	t.heddle = t.discord.People.AddBot("heddle")
	for i := range c.guilds {
		guild := t.discord.World.AddGuild(fmt.Sprintf("guild %d", i))
		t.discord.People.Join(guild, t.heddle.User)
		for j := range c.channels {
			t.channels = append(t.channels, t.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel-%d", j)}))
		}
	}
	t.ann = t.discord.People.AddUser("ann")
	return t, nil
}

func (t *town) close() {
	t.discord.Close()
	_ = t.model.Close()
}

// measure runs heddle in the guilds of the crowd and prints its memory and CPU time.
func (c *crowd) measure(ctx context.Context, program, dir string, environ []string, w io.Writer) error {
	t, err := c.town() //nolint:contextcheck // the servers live until they are closed
	if err != nil {
		return err
	}
	defer t.close() //nolint:contextcheck // it ends what has no context
	cmd := process(ctx, program, dir, environ, servers{t.heddle.Token, t.discord.URL(), t.model.URL()})
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start heddle: %w", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := t.discord.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready >= c.shards }); err != nil {
		return fmt.Errorf("wait until heddle is connected: %w", err)
	}
	return c.talk(ctx, t, cmd.Process.Pid, w)
}

// post posts messages at the rate for a duration, and returns their number.
func (c *crowd) post(ctx context.Context, t *town, during time.Duration) (posted int, err error) {
	const slices = 50 // of a second
	tick := time.NewTicker(time.Second / slices)
	defer tick.Stop()
	for end := time.Now().Add(during); time.Now().Before(end); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return posted, ctx.Err()
		}
		for range max(c.rate/slices, 1) {
			channel := t.channels[rand.IntN(len(t.channels))] //nolint:gosec // no secret
			if _, err := t.discord.Chat.Post(channel, t.ann, discordtest.Draft{Content: "the warp is what runs lengthwise, and the weft across it"}); err != nil {
				return posted, fmt.Errorf("post: %w", err)
			}
			posted++
		}
	}
	return posted, nil
}

// talk posts messages and prints the memory and CPU time that heddle takes meanwhile.
func (c *crowd) talk(ctx context.Context, t *town, pid int, w io.Writer) error {
	if _, err := c.post(ctx, t, c.during/4); err != nil { // until memory and garbage collection have settled
		return err
	}
	before, err := useOf(pid)
	if err != nil {
		return err
	}
	requests := t.discord.Record.Requests(func(discordtest.Request) bool { return true })
	fmt.Fprintf(w, "the start took %s of CPU and %d requests to Discord\n", before.cpu, len(requests))
	began := time.Now()
	posted, err := c.post(ctx, t, c.during)
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, err := useOf(pid)
	if err != nil {
		return err
	}
	cpu := after.cpu - before.cpu
	fmt.Fprintf(w, "%d guilds of %d channels, %d shards: %d messages in %s, %.0f a second\n",
		c.guilds, c.channels, c.shards, posted, took.Round(time.Millisecond), float64(posted)/took.Seconds())
	fmt.Fprintf(w, "CPU %.1f%% of a core, %s a message; resident %d MB\n",
		100*cpu.Seconds()/took.Seconds(), (cpu / time.Duration(max(posted, 1))).Round(time.Microsecond), after.resident>>20)
	return nil
}
