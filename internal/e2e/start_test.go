package e2e_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// closedAlways returns an arrangement in which the gateway closes every connection with
// a code.
func closedAlways(code int) func(*scene) []string {
	return func(s *scene) []string {
		s.discord.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: code, Times: -1})
		return nil
	}
}

// closed returns an arrangement in which the gateway closes the first connection with a
// code.
func closed(code int) func(*scene) []string {
	return func(s *scene) []string {
		s.discord.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: code})
		return nil
	}
}

func TestWhatDiscordRefusesIsToldInASentence(t *testing.T) {
	t.Parallel()
	secret := func(*scene) string { return "swordfish" }
	found := func(s *scene) string { return s.page(http.StatusOK) }
	notFound := func(s *scene) string { return s.page(http.StatusNotFound) }
	oddly := func(s *scene) []string { // as on a server that resembles Discord
		s.discord.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: 4000})
		s.discord.Faults.Inject(discordtest.Refused(func(r discordtest.Request) bool { return strings.HasSuffix(r.Path, "/users/@me") }, http.StatusBadRequest, 40001, "Unauthorized"))
		return nil
	}
	unheard := func(s *scene) []string { s.discord.People.DenyMessageContent(s.heddle.User); return nil }
	for name, test := range map[string]refused{
		"a wrong token":                    {set("DISCORD_TOKEN", secret), cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"a token that the gateway refuses": {closed(4004), cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"a token refused by other codes":   {oddly, cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"no Message Content intent":        {unheard, cli.StatusMisuse, `switch on "Message Content Intent" on the Bot page`},
		"too many servers for any shard":   {closedAlways(4011), cli.StatusMisuse, "wants this bot to be sharded"},
		"a web page at DISCORD_API_URL":    {set("DISCORD_API_URL", found), cli.StatusMisuse, "the server at DISCORD_API_URL is not Discord's API"},
		"no page at DISCORD_API_URL":       {set("DISCORD_API_URL", notFound), cli.StatusMisuse, "the server at DISCORD_API_URL is not Discord's API"},
	} {
		t.Run(name, test.holds)
	}
}

func TestAStoreThatCannotBeUsedIsToldInASentence(t *testing.T) {
	t.Parallel()
	file := func(s *scene) string { return s.file("data") }
	below := func(s *scene) string { return filepath.Join(s.file("data"), "data") }
	held := func(s *scene) []string { s.stored(); return nil }
	page := func(*scene) string { return "http://user:swordfish@localhost" }
	for name, test := range map[string]refused{
		"a file in place of DATA_DIR":         {set("DATA_DIR", file), cli.StatusMisuse, "name a folder that heddle may write in"},
		"a DATA_DIR that cannot be made":      {set("DATA_DIR", below), cli.StatusMisuse, "name a folder that heddle may write in"},
		"a store that another process holds":  {held, cli.StatusFailed, "end the other heddle or give this one another DATA_DIR"},
		"a REDIS_URL that is none of Redis's": {set("REDIS_URL", page), cli.StatusMisuse, "REDIS_URL"},
	} {
		t.Run(name, test.holds)
	}
}

func TestADiscordThatIsNotThereYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(*scene) *discordtest.Injection{
		"an overloaded one": func(s *scene) *discordtest.Injection {
			return s.discord.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusBadGateway, Body: "<html>"})
		},
		"one that cuts connections": func(s *scene) *discordtest.Injection {
			return s.discord.Faults.Inject(discordtest.Fault{Times: -1, Cut: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("Good morning."))
			fault := strike(s)
			r := s.launch()
			if err := r.logs.await(s.ctx, "Discord cannot be reached, trying again; check DISCORD_API_URL"); err != nil {
				t.Fatal(err)
			}
			fault.Remove()
			if err := s.discord.Gateway.AwaitReady(s.ctx, s.heddle.User); err != nil {
				t.Fatal(err)
			}
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("awake?")}), "Good morning.")
		})
	}
}

func TestAnAddressWhereNobodyListensEndsWhenAsked(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	r := s.launch("DISCORD_API_URL=http://127.0.0.1:1/api")
	if err := r.logs.await(s.ctx, "Discord cannot be reached"); err != nil {
		t.Fatal(err)
	}
	r.end()
	if r.status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", r.status, cli.StatusDone)
	}
}

// TestAModelThatIsNoneIsToldInASentence covers wrong addresses. For faults of a model's
// API see TestAFaultOfTheModelIsToldInASentence.
func TestAModelThatIsNoneIsToldInASentence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url  func(*scene) string
		want string
	}{
		"nobody listens":   {func(*scene) string { return "http://127.0.0.1:1/v1" }, "I can't reach my language model"},
		"no such host":     {func(*scene) string { return "http://model.invalid/v1" }, "I can't reach my language model"},
		"a web page":       {func(s *scene) string { return s.page(http.StatusOK) }, "check the model's name, address and key"},
		"a page not found": {func(s *scene) string { return s.page(http.StatusNotFound) }, "check the model's name, address and key"},
		"a bad gateway":    {func(s *scene) string { return s.page(http.StatusBadGateway) }, "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.start("OPENAI_BASE_URL=" + test.url(s))
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("there?")}), test.want)
		})
	}
}
