package e2e_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/golden"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/internal/terminal"
)

// aModel is a model that can do everything that doctor tests, except what its fields take
// away.
type aModel struct{ noStream, noTools, noLogprobs, strict, cuts bool }

// answers returns the script of a model.
func (m aModel) answers(r openaitest.Request) *openaitest.Reply {
	if m.strict {
		for _, rule := range openaitest.Strictest() {
			if reply, refused := rule.Refuse(r); refused {
				return &reply
			}
		}
	}
	reply := openaitest.Answer("one, two, ", "three")
	switch {
	case len(r.Chat.Tools) > 0 && m.noTools:
		reply = openaitest.Fail(openaitest.Failure{Status: http.StatusBadRequest, Message: "This model does not support tools."})
		reply.Status = http.StatusBadRequest
	case len(r.Chat.Tools) > 0:
		reply = openaitest.Call(openaitest.ToolCall{ID: "1", Name: "note", Arguments: `{"word":"warp"}`})
	case m.noStream:
		reply = openaitest.Answer("one, two, three")
	}
	if reply.Usage != nil {
		reply.Usage.Prompt = len(r.Body) / 5
		if m.cuts {
			reply.Usage.Prompt = min(reply.Usage.Prompt, 4096)
		}
	}
	if !m.noLogprobs && len(reply.Chunks) > 0 {
		reply.Chunks[0].Logprobs = []openaitest.Logprob{{Token: "one", Logprob: -0.1}}
	}
	return &reply
}

// examined is a setup in which heddle doctor runs, with the exit status that is wanted.
type examined struct {
	name    string
	model   aModel
	arrange func(*scene) []string // returns settings; nil changes nothing
	args    []string
	status  int
}

// rewritten changes what a route answers.
func rewritten(route string, change func(object map[string]any)) func(*scene) []string {
	return func(s *scene) []string {
		s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(route), Times: -1, Rewrite: discordtest.Rewritten(change)})
		return nil
	}
}

// misconnected returns setups in which a connection of heddle's is faulty.
func misconnected() []examined {
	refusing := func(route string, status int) func(*scene) []string {
		return func(s *scene) []string {
			s.discord.Faults.Inject(discordtest.Fault{Match: discordtest.On(route), Times: -1, Status: status, Body: "{}"})
			return nil
		}
	}
	return []examined{
		{name: "all is well", arrange: func(s *scene) []string {
			s.must(nil, "opt-out", "1") // this creates the store
			return nil
		}, status: cli.StatusDone},
		{name: "settings are missing", arrange: set("DISCORD_TOKEN", none), status: cli.StatusFaulted},
		{name: "a setting is misspelt", arrange: set("MIN_LINAER", func(*scene) string { return "3" }), status: cli.StatusWarned},
		{name: "the token is wrong", arrange: set("DISCORD_TOKEN", func(*scene) string { return "swordfish" }), status: cli.StatusFaulted},
		{name: "nothing listens", arrange: set("DISCORD_API_URL", func(*scene) string { return "http://127.0.0.1:1" }), status: cli.StatusFaulted},
		{name: "a web server listens", arrange: set("DISCORD_API_URL", func(s *scene) string { return s.page(http.StatusOK) }), status: cli.StatusFaulted},
		{name: "Discord fails", arrange: refusing(discordtest.RouteMe, http.StatusServiceUnavailable), status: cli.StatusFaulted},
		{name: "the address is blocked", arrange: refusing(discordtest.RouteMe, http.StatusForbidden), status: cli.StatusFaulted},
	}
}

// limited returns setups in which Discord limits what heddle can do.
func limited() []examined {
	denied := func(p discordtest.Permission) func(*scene) []string {
		return func(s *scene) []string {
			s.discord.World.SetOverwrites(s.channel, discordtest.Overwrite{Member: s.heddle.User, Deny: p})
			return nil
		}
	}
	return []examined{
		{name: "the gateway is hidden", arrange: rewritten(discordtest.RouteGatewayBot, func(o map[string]any) {
			if _, ok := o["url"]; ok {
				o["url"] = "ws://127.0.0.1:1"
			}
		}), status: cli.StatusFaulted},
		{name: "an intent is off", arrange: func(s *scene) []string {
			s.discord.People.DenyMessageContent(s.heddle.User)
			return nil
		}, status: cli.StatusFaulted},
		{name: "Discord reviews the intent", arrange: rewritten(discordtest.RouteMyGuilds, func(o map[string]any) {
			if _, ok := o["approximate_member_count"]; ok {
				o["approximate_member_count"] = 12_000
			}
		}), status: cli.StatusWarned},
		{name: "a channel is hidden", arrange: func(s *scene) []string {
			for _, kind := range []discordtest.ChannelKind{discordtest.Text, discordtest.Forum, discordtest.Voice} {
				s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Kind: kind, Private: true})
			}
			return nil
		}, status: cli.StatusDone},
		{name: "heddle may not answer", arrange: denied(discordtest.SendMessages | discordtest.ReadMessageHistory), status: cli.StatusWarned},
		{name: "all channels are hidden", arrange: denied(discordtest.ViewChannel), status: cli.StatusWarned},
		{name: "heddle is elsewhere", args: []string{"--guild", "81384788765712384"}, status: cli.StatusFaulted},
		{name: "heddle is nowhere", arrange: func(s *scene) []string {
			s.discord.People.Leave(s.guild, s.heddle.User)
			return nil
		}, status: cli.StatusWarned},
	}
}

// without returns setups in which something other than Discord is faulty.
func without() []examined {
	return []examined{
		{name: "the model is away", arrange: set("OPENAI_BASE_URL", func(*scene) string { return "http://127.0.0.1:1/v1" }), status: cli.StatusFaulted},
		{name: "the model's address is wrong", arrange: set("OPENAI_BASE_URL", func(s *scene) string { return s.page(http.StatusNotFound) }), status: cli.StatusFaulted},
		{name: "the model answers at once, or not at all", model: aModel{noStream: true, noTools: true, noLogprobs: true}, status: cli.StatusWarned},
		{name: "the provider refuses everything it can", model: aModel{strict: true}, status: cli.StatusWarned},
		{name: "the server cuts prompts", model: aModel{cuts: true}, status: cli.StatusWarned},
		{name: "voice messages are heard", arrange: func(s *scene) []string {
			s.hears("")
			return nil
		}, status: cli.StatusDone},
		{name: "no voice message is heard", arrange: func(s *scene) []string {
			s.hears("")
			s.model.Hears(always(openaitest.Deaf()["no Opus"]))
			return nil
		}, status: cli.StatusWarned},
		{name: "Redis is away", arrange: set("REDIS_URL", func(*scene) string { return "redis://127.0.0.1:1/0" }), status: cli.StatusWarned},
		{name: "the store is damaged", arrange: func(s *scene) []string {
			s.write(s.data+"/heddle.db", strings.Repeat("not a database ", 1000))
			return nil
		}, status: cli.StatusWarned},
	}
}

// TestDoctorWritesToTheStore has stores that take no writes, or none of heddle's, and one that
// is as it should be. Whatever doctor writes it removes.
func TestDoctorWritesToTheStore(t *testing.T) {
	server := redistest.Started(redistest.Start(t.Context()))(t)
	aside := redistest.Started(redistest.Start(t.Context()))(t)
	for _, command := range [][]string{{"REPLICAOF", "127.0.0.1", "1"}, {"ACL", "SETUSER", "reader", "on", ">right", "+@read", "+@connection", "~*"}} {
		errtest.Must(aside.Do(t.Context(), command...))(t)
	}
	as := func(account string) string { return strings.Replace(aside.URL(), "://", "://"+account+"@", 1) }
	type setup struct {
		url     string
		bounded bool // no file can grow
		begun   bool // the embedded store
		want    string
	}
	inScenes(t, map[string]setup{
		"a server in order":   {url: server.URL(), want: "Redis keeps what is written"},
		"a replica":           {url: aside.URL(), want: "the server is a replica: name the one that takes writes in REDIS_URL"},
		"a wrong password":    {url: as("reader:wrong"), want: "check the user and the password in REDIS_URL"},
		"a reader":            {url: as("reader:right"), want: "the user in REDIS_URL lacks a right"},
		"a full disk":         {bounded: true, want: "make room on the disk of DATA_DIR"},
		"a full disk of late": {bounded: true, begun: true, want: "make room on the disk of DATA_DIR"},
	}, func(s *scene, test setup) {
		s.scripted(aModel{}.answers)
		if test.begun {
			s.must(nil, "opt-out", "1")
		}
		by := `exec "$0" doctor`
		if test.bounded {
			by = "ulimit -S -f 0 && " + by
		}
		c := s.child([]string{"sh", "-c", by}, "REDIS_URL="+test.url)
		_ = c.command.Run() // its status is that of its findings
		s.contains(strings.Join(strings.Fields(c.logs.String()), " "), test.want)
	})
	t.Cleanup(func() {
		if answer, err := server.Do(context.Background(), "DBSIZE"); err != nil || answer != "0" {
			t.Errorf("doctor leaves %q entries, %v, want none", answer, err)
		}
	})
}

func none(*scene) string { return "" }

// TestDoctorFindsEachFault compares what doctor prints in each setup with
// testdata/doctor.golden, which "go test ./internal/e2e -run Doctor -update" writes.
func TestDoctorFindsEachFault(t *testing.T) {
	t.Parallel()
	all := slices.Concat(misconnected(), limited(), without())
	printed := make([]string, len(all))
	t.Cleanup(func() { golden.Check(t, "testdata/doctor.golden", strings.Join(printed, "\n")) }) // after all of them
	for i, e := range all {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			printed[i] = e.print(t)
		})
	}
}

// print runs doctor and returns what it prints: each finding in one line, with addresses
// and ids replaced. If there are faults, it leaves out the findings that are fine.
func (e examined) print(t *testing.T) string {
	t.Helper()
	s := sceneOn(t, discordtest.Options{})
	answers := e.model.answers
	s.script.Store(&answers)
	var environ []string
	if e.arrange != nil {
		environ = e.arrange(s)
	}
	status, stdout, stderr := s.command(environ, append([]string{"doctor"}, e.args...)...)
	if status != e.status {
		t.Errorf("it ended with status %d, want %d", status, e.status)
	}
	for line := range strings.Lines(stdout) {
		said := regexp.MustCompile(`^.*  (→ )?`).ReplaceAllString(line, "")
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > terminal.Width && len(strings.Fields(said)) > 1 {
			t.Errorf("a line is wider than %d columns: %q", terminal.Width, line)
		}
	}
	if strings.Contains(stdout+stderr, s.heddle.Token) || strings.Contains(stdout+stderr, "swordfish") {
		t.Errorf("the token or the key is in what the doctor says, want neither:\n%s%s", stdout, stderr)
	}
	names := []string{
		s.discord.URL(), "http://discord/api", s.discord.GatewayURL(), "ws://discord/gateway", s.heddle.User.String(), "HEDDLE", s.data, "DATA",
	}
	for _, setting := range append(environ, s.environ...) {
		_, value, _ := strings.Cut(setting, "=")
		address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(value, "http://"), "https://"), "/v1")
		host, port, err := net.SplitHostPort(address)
		if number, notNumber := strconv.Atoi(port); err == nil && notNumber == nil && number > 1 {
			names = append(names, net.JoinHostPort(host, port), "HOST:PORT")
		}
	}
	whole := regexp.MustCompile(`\n +([^ →])`).ReplaceAllString(stdout+stderr, " $1") // where lines break depends on the length of addresses
	text := strings.NewReplacer(names...).Replace(whole)
	if e.name != "all is well" && e.name != "a channel is hidden" && !e.model.strict {
		text = regexp.MustCompile(`(?m)^ok  .*\n`).ReplaceAllString(text, "")
	}
	return "# " + e.name + "\n" + text
}
