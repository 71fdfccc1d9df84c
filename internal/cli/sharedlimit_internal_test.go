package cli

import (
	"net/http"
	"sync"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
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
	shared := redistest.Started(redistest.Start(t.Context()))(t)
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

// oneMore returns what one more process that uses a Redis makes requests with.
func oneMore(t *testing.T, url, token string, shared *redistest.Server) *discord.REST {
	t.Helper()
	engine := errtest.Must(redis.Open(redis.Options{URL: shared.URL(), Timeout: discordtest.Patience}))(t)
	stored := store.New(engine, store.Options{})
	t.Cleanup(func() { _ = stored.Close() })
	limit := sharedLimit{stored.Budgets}
	return discord.NewREST(discord.RESTConfig{BaseURL: url, Token: token, Shared: limit})
}
