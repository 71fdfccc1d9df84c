package e2e_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// spread adds guilds with heddle and Ann in them, so that each of the shards has one,
// and returns a channel of each.
func (p *people) spread(shards int) []graph.ChannelID {
	p.t.Helper()
	channels := make(map[int]graph.ChannelID)
	for n := 0; len(channels) < shards; n++ {
		guild := p.discord.World.AddGuild(fmt.Sprintf("guild %d", n))
		shard := int(uint64(guild) >> 22 % uint64(shards))
		if _, has := channels[shard]; has {
			continue
		}
		p.discord.People.Join(guild, p.ann)
		p.discord.People.Join(guild, p.heddle.User)
		channels[shard] = p.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	}
	var all []graph.ChannelID
	for shard := range shards {
		all = append(all, channels[shard])
	}
	return all
}

// eachOnce waits until each of this many shards is connected once.
func (s *screen) eachOnce(shards int) {
	s.t.Helper()
	want := make(map[[2]int]int)
	for id := range shards {
		want[[2]int{id, shards}] = 1
	}
	if err := s.discord.Gateway.AwaitShards(s.ctx, func(ready map[[2]int]int) bool { return maps.Equal(ready, want) }); err != nil {
		s.t.Fatalf("%v; connected are %v, want %v", err, s.discord.Gateway.ShardsReady(), want)
	}
}

// answersIn asks in each of some channels and waits for the answers.
func (p *people) answersIn(channels []graph.ChannelID, words string) {
	p.t.Helper()
	for _, channel := range channels {
		p.answer(channel, p.postIn(channel, p.ann, discordtest.Draft{Content: p.mention(words)}), "Yes.")
	}
}

func TestOneProcessAnswersOnAllShards(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{Shards: 3, MaxConcurrency: 3})
	channels := s.spread(3)
	s.always(openaitest.Answer("Yes."))
	s.start()
	s.eachOnce(3)
	s.answersIn(channels, "here?")
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "and here?"}), "Yes.")
}

// TestTheShardsOfAKilledProcessAreTakenOver kills one of two processes that divide the
// shards. What is asked meanwhile is answered, once.
func TestTheShardsOfAKilledProcessAreTakenOver(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{Shards: 4, MaxConcurrency: 4})
	s.takeTime()
	channels := s.spread(4)
	s.always(openaitest.Answer("Yes."))
	settings := []string{"SHARDS=leased", "REDIS_URL=" + s.redis().URL()}
	first := s.spawn(settings...)
	s.eachOnce(4)
	second := s.spawn(settings...)
	if err := second.logs.await(s.ctx, `msg="a shard was taken over"`); err != nil {
		t.Fatal(err)
	}
	s.eachOnce(4)
	s.answersIn(channels, "before?")
	first.kill()
	killed := time.Now()
	var asked []graph.MessageID
	for _, channel := range channels {
		asked = append(asked, s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("and after?")}))
	}
	if err := s.discord.Gateway.AwaitShards(s.ctx, func(ready map[[2]int]int) bool { return len(ready) < 4 }); err != nil {
		t.Fatal(err)
	}
	s.eachOnce(4)
	t.Logf("its shards were connected again after %s", time.Since(killed).Round(100*time.Millisecond))
	for i, channel := range channels {
		s.answer(channel, asked[i], "Yes.")
	}
}
