package e2e_test

import (
	"context"
	"sync/atomic"
	"testing"

	"heddle/bot/answer"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// patience bounds the waits of an end-to-end test.
const patience = discordtest.Patience

// patient returns settings for a slow machine, for tests that are not about how long
// heddle waits.
func patient() []string {
	return []string{"REDIS_TIMEOUT=10m", "CLAIM_LEASE=10m", "LLM_TIMEOUT=10m", "LLM_PATIENCE=10m", "SHUTDOWN_GRACE=2m", "SHUTDOWN_FLUSH=1m"}
}

// scene is the setup of an end-to-end test: people who talk on a Discord server, a model,
// and heddle as a program between the two. Each part holds only what it needs.
type scene struct {
	*trial
	*world
	*screen
	*people
	*commands
	*provider
	*operator
}

// trial is a test with the time that it may take.
type trial struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // a test's own, for every wait of it
}

// world is a Discord with a guild, a channel, two people and heddle.
type world struct {
	discord *discordtest.Server
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bob     graph.UserID
	heddle  discordtest.Bot
}

// screen shows what is on Discord.
type screen struct {
	*trial
	*world
}

// people talk on Discord: they post, edit, react and press buttons.
type people struct{ *screen }

// commands are what people do with heddle's commands, and what only they see of it.
type commands struct{ *people }

// provider is the model: what it answers, and what it was asked.
type provider struct {
	*trial

	model  *openaitest.Server
	reply  atomic.Pointer[openaitest.Reply]
	script atomic.Pointer[func(openaitest.Request) *openaitest.Reply]
}

// operator runs heddle: with settings, with files and by its command line.
type operator struct {
	*trial

	environ []string
	data    string // the folder of the embedded store
	// observer receives what the answers of the next run are made from. It may be nil.
	observer answer.Observer
}

// patiently allows a scene of many answers more time, as edits in a channel are paced.
func (r *trial) patiently() {
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*patience)
	r.t.Cleanup(cancel)
	r.ctx = ctx
}

// takeTime allows a test with many steps the time of several.
func (r *trial) takeTime() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 4*patience)
	r.t.Cleanup(cancel)
	r.ctx = ctx
}

// newScene creates a scene without messages, in which heddle does not run yet.
func newScene(tb testing.TB, options discordtest.Options) *scene {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	test := &trial{t: tb, ctx: ctx}
	model, discord := newProvider(test), newWorld(test, options)
	seen := &screen{test, discord}
	talking := &people{seen}
	s := &scene{
		trial: test, world: discord, screen: seen, people: talking, commands: &commands{talking}, provider: model,
		operator: &operator{trial: test, data: tb.TempDir()},
	}
	s.environ = append(patient(),
		"DISCORD_TOKEN="+s.heddle.Token, "DISCORD_API_URL="+s.discord.URL(),
		"OPENAI_BASE_URL="+s.model.URL(), "LLM_MODEL=test-model", "DATA_DIR="+s.data, "LOG_LEVEL=debug",
	)
	return s
}

// newProvider returns a provider whose model fails until it is told what to answer.
func newProvider(test *trial) *provider {
	test.t.Helper()
	p := &provider{trial: test}
	p.always(openaitest.Reply{Status: 500})
	model, err := openaitest.Start(openaitest.Config{Script: p.answers})
	if err != nil {
		test.t.Fatal(err)
	}
	test.t.Cleanup(func() { _ = model.Close() })
	p.model = model
	return p
}

// newWorld returns a world in which nobody has said anything.
func newWorld(test *trial, options discordtest.Options) *world {
	test.t.Helper()
	if options.Limits == nil {
		options.Limits = discordtest.NoLimits()
	}
	if options.AnswerWithin == 0 {
		options.AnswerWithin = patience // how fast heddle is must not decide a test
	}
	w := &world{discord: discordtest.New(options)}
	test.t.Cleanup(w.discord.Close)
	w.guild = w.discord.World.AddGuild("weavers")
	w.channel = w.discord.World.AddChannel(w.guild, discordtest.ChannelDraft{Name: "general"})
	w.ann, w.bob = w.discord.People.AddUser("ann", w.guild), w.discord.People.AddUser("bob", w.guild)
	w.heddle = w.discord.People.AddBot("heddle", w.guild)
	return w
}

// person returns the person of a name.
func (p *people) person(name string) graph.UserID {
	switch name {
	case "ann":
		return p.ann
	case "bob":
		return p.bob
	default:
		p.t.Fatalf("nobody is called %q", name)
		return 0
	}
}
