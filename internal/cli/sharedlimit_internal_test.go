package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/redis"
)

// TestProcessesShareTheGlobalLimit has three processes make 300 requests in 100 channels
// at once. Without sharing, more than 200 would meet the global limit.
func TestProcessesShareTheGlobalLimit(t *testing.T) {
	server := discordtest.New(discordtest.Options{Limits: &discordtest.Limits{Global: 50}})
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("weavers")
	bot := server.People.AddBot("heddle", guild)
	var channels []graph.ChannelID
	for range 100 {
		channels = append(channels, server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"}))
	}
	shared := aRedis(t)
	var all sync.WaitGroup
	for range 3 {
		rest := oneMore(t, server.URL(), bot.Token, shared)
		for _, channel := range channels {
			all.Go(func() {
				if _, err := rest.Get(t.Context(), "/channels/"+channel.String(), nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	refused := len(server.Record.Requests(func(r discordtest.Request) bool { return r.Status == http.StatusTooManyRequests }))
	t.Logf("%d of 300 requests met the global limit", refused)
	if refused > 15 {
		t.Errorf("%d of 300 requests met the global limit, want 15 at most", refused)
	}
}

// TestALimitThatOneUsesUpHoldsTheOthers has one process use up the limit of a channel. Two
// others read the channel next, and do not meet the limit.
func TestALimitThatOneUsesUpHoldsTheOthers(t *testing.T) {
	limit := discordtest.Limit{Requests: 5, Window: 2 * time.Second}
	server := discordtest.New(discordtest.Options{Limits: &discordtest.Limits{Routes: map[string]discordtest.Limit{discordtest.RouteMessages: limit}}})
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("weavers")
	bot := server.People.AddBot("heddle", guild)
	channel := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	shared := aRedis(t)
	var processes []*discord.REST
	for range 3 {
		processes = append(processes, oneMore(t, server.URL(), bot.Token, shared))
	}
	for n := range 2 * limit.Requests {
		rest := processes[0]
		if n >= limit.Requests {
			rest = processes[1+n%2]
		}
		if _, err := rest.Get(t.Context(), "/channels/"+channel.String()+"/messages", nil); err != nil {
			t.Fatal(err)
		}
	}
	if refused := server.Record.Requests(func(r discordtest.Request) bool { return r.Status == http.StatusTooManyRequests }); len(refused) > 0 {
		t.Errorf("%d requests met the limit of the channel, want 0", len(refused))
	}
}

// TestProcessesShareTheCountOfRefusals has three processes whose requests are all
// refused. Together they stop far below the 10,000 in ten minutes at which Discord bans.
func TestProcessesShareTheCountOfRefusals(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	shared := aRedis(t)
	var all sync.WaitGroup
	for range 3 {
		rest := oneMore(t, server.URL, "x", shared)
		all.Go(func() {
			for range 3000 {
				// The interactions' routes are exempt from the global limit, so the test need not wait for it.
				if _, err := rest.Get(t.Context(), "/interactions/1/token/callback", nil); errors.Is(err, discord.ErrTooManyRefusals) {
					return
				}
			}
			t.Error("a process never holds back")
		})
	}
	all.Wait()
	if n := asked.Load(); n < refusedMost || n > refusedMost+3 {
		t.Errorf("%d requests were refused, want %d, and one more of each process at most", n, refusedMost)
	}
}

// aRedis returns a Redis for the test.
func aRedis(t *testing.T) *redistest.Server {
	t.Helper()
	shared, err := redistest.Start(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	return shared
}

// oneMore returns what one more process that uses a Redis makes requests with.
func oneMore(t *testing.T, url, token string, shared *redistest.Server) *discord.REST {
	t.Helper()
	engine, err := redis.Open(redis.Options{URL: shared.URL(), Timeout: discordtest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	stored := store.New(engine, store.Options{})
	t.Cleanup(func() { _ = stored.Close() })
	limit := sharedLimit{stored.Budgets}
	rest, err := discord.NewREST(discord.RESTConfig{BaseURL: url, Token: token, Shared: limit})
	if err != nil {
		t.Fatal(err)
	}
	return rest
}
