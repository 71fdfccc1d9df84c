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
	// observer receives what the answers of the next run are made from. It may be nil.
	observer answer.Observer
	reply    atomic.Pointer[openaitest.Reply]
	script   atomic.Pointer[func(openaitest.Request) *openaitest.Reply]
}

// patiently allows a scene of many answers more time, as edits in a channel are paced.
func (s *scene) patiently() {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*patience)
	s.t.Cleanup(cancel)
	s.ctx = ctx
}

// takeTime allows a test with many steps the time of several.
func (s *scene) takeTime() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 4*patience)
	s.t.Cleanup(cancel)
	s.ctx = ctx
}

// newScene creates a scene without messages, in which heddle does not run yet.
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
	s.ann, s.bob = discord.People.AddUser("ann", s.guild), discord.People.AddUser("bob", s.guild)
	s.heddle = discord.People.AddBot("heddle", s.guild)
	s.environ = append(patient(),
		"DISCORD_TOKEN="+s.heddle.Token, "DISCORD_API_URL="+discord.URL(),
		"OPENAI_BASE_URL="+model.URL(), "LLM_MODEL=test-model", "DATA_DIR="+s.data, "LOG_LEVEL=debug",
	)
	return s
}

// person returns the person of a name.
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
