package cli

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"heddle/config"
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
	t.Parallel()
	server := discordtest.New(discordtest.Options{Limits: &discordtest.Limits{Global: 50}})
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("weavers")
	bot := server.World.AddBot("heddle", guild)
	var channels []graph.ChannelID
	for range 100 {
		channels = append(channels, server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"}))
	}
	shared, err := redistest.Start(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	var all sync.WaitGroup
	for range 3 {
		engine, err := redis.Open(redis.Options{URL: shared.URL(), Timeout: discordtest.Patience})
		if err != nil {
			t.Fatal(err)
		}
		stored := store.New(engine, store.Options{})
		t.Cleanup(func() { _ = stored.Close() })
		rest, err := discord.NewREST(discord.RESTConfig{
			BaseURL: server.URL(), Token: bot.Token, Shared: newSharedLimit(config.Config{RedisURL: config.Secret(shared.URL())}, stored),
		})
		if err != nil {
			t.Fatal(err)
		}
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
