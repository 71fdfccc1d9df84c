package discordtest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/internal/discordtest"
)

// BenchmarkBackfill puts back-dated messages into a channel, one an iteration.
func BenchmarkBackfill(b *testing.B) {
	server := discordtest.New(discordtest.Options{})
	defer server.Close()
	guild := server.World.AddGuild("weavers")
	channel := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	ann := server.People.AddUser("ann", guild)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	drafts := make([]discordtest.Draft, b.N)
	for i := range drafts {
		drafts[i] = discordtest.Draft{Author: ann, Content: "a line of talk", At: start.Add(time.Duration(i) * time.Second)}
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := server.Chat.Backfill(channel, drafts); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCreate sends messages over the wire, one at a time.
func BenchmarkCreate(b *testing.B) {
	server := discordtest.New(discordtest.Options{Limits: discordtest.NoLimits()})
	defer server.Close()
	guild := server.World.AddGuild("weavers")
	channel := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	bot := server.People.AddBot("heddle", guild)
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
			server.URL()+"/v9/channels/"+channel.String()+"/messages", strings.NewReader(`{"content":"x"}`))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bot "+bot.Token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close()
	}
}
