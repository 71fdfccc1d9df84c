package questions

import (
	"context"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

// listening bounds the request by which a silent shard is checked.
const listening = 15 * time.Second

// Listen checks shards that have been silent for longer than ever before, and for longer than
// least, until ctx ends. If something was said that was not heard, the shard begins another
// session, and what was missed is caught up.
func Listen(ctx context.Context, qs *Questions, shards *gateway.Shards, least time.Duration) {
	for wait.For(ctx, least/10) == nil {
		for _, shard := range shards.Silent(time.Now(), least) {
			if isDeaf(ctx, qs, shard) {
				telemetry.Count(ctx, telemetry.Deaf)
				qs.Log.WarnContext(ctx, "the gateway answers heartbeats and sends no events, beginning another session", "shard", shard.ID)
				shards.Renew(shard)
			}
		}
	}
}

// isDeaf reads the page after the last message that was heard in the busiest channel of a shard,
// and reports whether it holds any.
func isDeaf(ctx context.Context, qs *Questions, shard gateway.Shard) bool {
	ctx, cancel := context.WithTimeout(ctx, listening)
	defer cancel()
	var busiest graph.ChannelID
	var most heard
	for _, channel := range qs.unread.heard.Keys() {
		if one, _ := qs.unread.heard.Peek(channel); one.count > most.count && shard.Has(qs.Guilds.GuildOf(channel)) {
			busiest, most = channel, one
		}
	}
	if busiest == 0 {
		return false
	}
	page, err := discord.ReadPage(ctx, qs.REST, busiest, "after", most.last)
	if err != nil {
		qs.Log.DebugContext(ctx, "a silent shard could not be checked", "shard", shard.ID, "channel", busiest, "error", err)
	}
	now, _ := qs.unread.heard.Peek(busiest)
	return err == nil && len(page.Messages) > 0 && now.last == most.last // else it was heard meanwhile
}
