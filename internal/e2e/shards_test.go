package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
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
	if err := s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return maps.Equal(g.Shards, want) }); err != nil {
		s.t.Fatalf("%v, want %v", err, want)
	}
}

// answersIn asks in each of some channels and waits for the answers.
func (p *people) answersIn(channels []graph.ChannelID, words string) {
	p.t.Helper()
	for _, channel := range channels {
		p.answer(channel, p.askIn(channel, p.ann, words), "Yes.")
	}
}

// TestTheShardsOfAKilledProcessAreTakenOver lets a process come to one that runs all
// shards, and then kills that one. What is asked while a shard moves is answered, once.
func TestTheShardsOfAKilledProcessAreTakenOver(t *testing.T) {
	t.Parallel()
	s := sceneOn(t, discordtest.Options{Shards: 4, MaxConcurrency: 4})
	channels := s.spread(4)
	s.always(openaitest.Answer("Yes."))
	settings := []string{"SHARDS=leased", "REDIS_URL=" + s.redis().URL()}
	first := s.spawn(settings...)
	s.eachOnce(4)
	second := s.spawn(settings...)
	s.awaits(&first.logs, `msg="a shard is freed for another process"`)
	s.answersIn(channels, "while shards move?")
	s.awaits(&second.logs, `msg="a shard was taken"`)
	s.eachOnce(4)
	s.answersIn(channels, "before?")
	first.kill()
	killed := time.Now()
	var asked []graph.MessageID
	for _, channel := range channels {
		asked = append(asked, s.askIn(channel, s.ann, "and after?"))
	}
	s.ok(s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return len(g.Shards) < 4 }))
	s.eachOnce(4)
	t.Logf("its shards were connected again after %s", time.Since(killed).Round(100*time.Millisecond))
	for i, channel := range channels {
		s.answer(channel, asked[i], "Yes.")
	}
}

// emulator starts a server that only resembles Discord and returns its address. It
// serves plain HTTP below a path, with numbers as strings and unknown fields, without
// applications, and without gateway limits.
func (p *people) emulator() string {
	p.t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(errtest.Must(url.Parse(strings.TrimSuffix(p.discord.URL(), "/api")))(p.t))
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients that leave
	server := httptest.NewServer(http.StripPrefix("/chat/backend", proxy))
	p.t.Cleanup(server.CloseClientConnections)
	p.t.Cleanup(server.Close)
	front := strings.Replace(server.URL, "http", "ws", 1) + "/chat/backend/gateway"
	p.discord.Faults.Inject(discordtest.Fault{Match: func(q discordtest.Request) bool {
		return q.Route == discordtest.RouteGatewayBot || strings.Contains(q.Path, "/applications/")
	}, Status: http.StatusNotFound, Body: "404 page not found", Times: -1})
	p.discord.Faults.Inject(discordtest.Fault{Times: -1, Rewrite: func(body []byte) []byte {
		body = bytes.ReplaceAll(discordtest.NumbersAsStrings(body), []byte(p.discord.GatewayURL()), []byte(front))
		return bytes.Replace(body, []byte(`{`), []byte(`{"an_emulators_own":[{"x":1}],`), 1)
	}})
	p.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		e.Data = discordtest.NumbersAsStrings(e.Data)
		return []discordtest.Event{e}
	})
	return server.URL + "/chat/backend"
}

func TestAServerThatOnlyResemblesDiscordWorks(t *testing.T) {
	inScenes(t, map[string]string{"a prefix": "", "the API's path": "/api", "a version": "/api/v10", "a slash": "/api/v10/"}, func(s *scene, path string) {
		s.said(time.Minute, "bob: the loom is stuck", "bob: what now?")
		long := strings.Repeat("Oil the treadles, then the reed. ", 100) + "That is all."
		s.model.Queue(openaitest.Answer(strings.SplitAfter(long, " ")...), openaitest.Answer("Gladly."))
		s.start("DISCORD_API_URL="+s.emulator()+path, "AFFINITY=off")
		s.ask(s.ann, "say it all")
		last := s.says(s.channel, "That is all.")
		s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: "thank you", ReplyTo: last.ID}), "Gladly.")
		got := s.conversation(2)
		s.contains(got, "the loom is stuck", "assistant: "+strings.TrimSpace(long), "thank you")
		direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
		s.always(openaitest.Answer("Here, too."))
		s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: "and here?"}), "Here, too.")
		s.oneEach(s.channel)
	})
}
