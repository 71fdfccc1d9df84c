package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/clitest"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// closed returns an arrangement in which the gateway closes so many connections with a code,
// or all of them.
func closed(code, times int) func(*scene) []string {
	return func(s *scene) []string {
		s.discord.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: code, Times: times})
		return nil
	}
}

func TestWhatDiscordRefusesIsToldInASentence(t *testing.T) {
	secret := func(*scene) string { return "swordfish" }
	found := func(s *scene) string { return s.page(http.StatusOK) }
	notFound := func(s *scene) string { return s.page(http.StatusNotFound) }
	oddly := func(s *scene) []string { // as on a server that resembles Discord
		s.discord.Gateway.InjectHandshake(discordtest.HandshakeFault{Close: 4000})
		s.discord.Faults.Inject(discordtest.Refused(func(r discordtest.Request) bool { return strings.HasSuffix(r.Path, "/users/@me") }, http.StatusBadRequest, 40001, "Unauthorized"))
		return nil
	}
	unheard := func(s *scene) []string { s.discord.People.DenyMessageContent(s.heddle.User); return nil }
	inScenes(t, map[string]refused{
		"a wrong token":                    {set("DISCORD_TOKEN", secret), cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"a token that the gateway refuses": {closed(4004, 1), cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"a token refused by other codes":   {oddly, cli.StatusMisuse, "check DISCORD_TOKEN, or reset the token"},
		"no Message Content intent":        {unheard, cli.StatusMisuse, `switch on "Message Content Intent" on the Bot page`},
		"more shards than were begun":      {closed(4011, -1), cli.StatusFailed, "start it again, and it asks how many"},
		"a web page at DISCORD_API_URL":    {set("DISCORD_API_URL", found), cli.StatusMisuse, "the server at DISCORD_API_URL is not Discord's API"},
		"no page at DISCORD_API_URL":       {set("DISCORD_API_URL", notFound), cli.StatusMisuse, "the server at DISCORD_API_URL is not Discord's API"},
	}, (*scene).isRefused)
}

func TestAStoreThatCannotBeUsedIsToldInASentence(t *testing.T) {
	file := func(s *scene) string { return s.file("data") }
	below := func(s *scene) string { return filepath.Join(s.file("data"), "data") }
	held := func(s *scene) []string { s.stored(); return nil }
	page := func(*scene) string { return "http://user:swordfish@localhost" }
	inScenes(t, map[string]refused{
		"a file in place of DATA_DIR":         {set("DATA_DIR", file), cli.StatusMisuse, "name a folder that heddle may write in"},
		"a DATA_DIR that cannot be made":      {set("DATA_DIR", below), cli.StatusMisuse, "name a folder that heddle may write in"},
		"a store that another process holds":  {held, cli.StatusFailed, "end the other heddle or give this one another DATA_DIR"},
		"a REDIS_URL that is none of Redis's": {set("REDIS_URL", page), cli.StatusMisuse, "REDIS_URL"},
	}, (*scene).isRefused)
}

func TestADiscordThatIsNotThereYetIsWaitedFor(t *testing.T) {
	inScenes(t, map[string]func(*scene) *discordtest.Injection{
		"an overloaded one": func(s *scene) *discordtest.Injection {
			return s.discord.Faults.Inject(discordtest.Fault{Times: -1, Status: http.StatusBadGateway, Body: "<html>"})
		},
		"one that cuts connections": func(s *scene) *discordtest.Injection {
			return s.discord.Faults.Inject(discordtest.Fault{Times: -1, Cut: true})
		},
	}, func(s *scene, strike func(*scene) *discordtest.Injection) {
		s.model.Queue(openaitest.Answer("Good morning."))
		fault := strike(s)
		r := s.launch()
		s.awaits(&r.logs, "Discord cannot be reached, trying again; check DISCORD_API_URL")
		fault.Remove()
		s.ok(s.discord.Gateway.Await(s.ctx, func(g discordtest.GatewayState) bool { return g.Ready > 0 }))
		s.answered(s.channel, "awake?", "Good morning.")
	})
}

func TestAnAddressWhereNobodyListensEndsWhenAsked(t *testing.T) {
	s := newScene(t)
	r := s.launch("DISCORD_API_URL=http://127.0.0.1:1/api")
	s.awaits(&r.logs, "Discord cannot be reached")
	r.end()
	s.same("the status", r.status, cli.StatusDone)
}

func TestAProcessKilledInMidAnswerAnswersOnceAndWholeAfterwards(t *testing.T) {
	s := newScene(t)
	s.pauses("The warp is what runs lengthwise in a loom, ", "and the weft ", "across it.")
	first := s.spawn()
	trigger := s.ask(s.ann, "what is a warp?")
	s.begun(s.channel, trigger, "The warp is what runs lengthwise")
	first.kill()

	s.model.Queue(openaitest.Answer("The warp is what runs lengthwise. ", "The weft runs across it."))
	next := s.start("HEALTH_ADDR=127.0.0.1:0")
	s.wholeAnswer(trigger, "The warp is what runs lengthwise. The weft runs across it.")
	_, metrics := s.visit(next.healthOf(s), "/metrics")
	s.contains(metrics, `heddle_mentions_total{event="taken_over"} 1`, `heddle_mentions_total{event="half_ended"} 1`)
	s.model.Queue(openaitest.Answer("Indeed."))
	s.wholeAnswer(s.ask(s.bob, "really?"), "Indeed.")
}

// TestAStartSaysWhatStartsAndWhetherTheModelIsThere starts heddle beside a model that is
// there, and then with the address of one that is not.
func TestAStartSaysWhatStartsAndWhetherTheModelIsThere(t *testing.T) {
	s := newScene(t)
	first := s.start()
	s.awaits(&first.logs, `msg="heddle starts" version=`)
	first.end()
	s.lacks(first.logs.String(), "the model cannot be reached")
	second := s.start("OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	s.awaits(&second.logs, `msg="the model cannot be reached`)
}

// TestAnAnswerThatAShutdownCutsIsFinishedByTheNextProcess ends heddle while it answers a
// question for the first time, or in place of an earlier answer, and another question waits.
func TestAnAnswerThatAShutdownCutsIsFinishedByTheNextProcess(t *testing.T) {
	inScenes(t, map[string]bool{"to a question": false, "to an edited question": true}, func(s *scene, edited bool) {
		c := s.spawn("SHUTDOWN_GRACE=1s", "LOG_LEVEL=info")
		var question graph.MessageID
		if edited {
			s.model.Queue(openaitest.Answer("Which one?"))
			question = s.ask(s.ann, "tell me one")
			s.wholeAnswer(question, "Which one?")
		}
		s.pauses("Once upon a time, in a village of weavers", " there was")
		if edited {
			s.edit(question, s.mention("tell me a story"))
		} else {
			question = s.ask(s.ann, "tell me a story")
		}
		s.begun(s.channel, question, "Once upon a time")
		waiting := s.ask(s.bob, "and me?")
		s.same("the status", c.terminate(), cli.StatusDone)
		cut := s.begun(s.channel, question, "Once upon a time, in a village of weavers\n"+phrases.English("doing_restart"))
		s.same("the buttons below the answer that was cut", labels(cut), "")
		s.lacks(c.logs.String(), "panic", "level=ERROR")

		s.always(openaitest.Answer("There was a loom."))
		s.spawn()
		s.wholeAnswer(question, "There was a loom.")
		s.wholeAnswer(waiting, "There was a loom.")
		s.hasSaid(2)
	})
}

// TestALogThatCannotBeWrittenCostsNoAnswer has heddle log to a pipe that nobody reads, and to a
// full disk.
func TestALogThatCannotBeWrittenCostsNoAnswer(t *testing.T) {
	unread, log, err := os.Pipe()
	if err = errors.Join(err, unread.Close()); err != nil {
		t.Fatal(err)
	}
	logs := map[string]*os.File{"nobody reads it": log}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // only Linux has it
		logs["the disk is full"] = full
	}
	inScenes(t, logs, func(s *scene, log *os.File) {
		s.always(openaitest.Answer("Still here."))
		c := s.child(nil)
		c.command.Stdout, c.command.Stderr = log, log
		c.start()
		_ = log.Close() // the process has its own
		s.wholeAnswer(s.ask(s.ann, "are you there?"), "Still here.")
	})
}

// TestOutputThatDoesNotFitIsAFailure has commands write to a full disk.
func TestOutputThatDoesNotFitIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no file that is always full")
	}
	defer full.Close()
	s := talked(t)
	for _, args := range [][]string{
		{"help"}, {"help", "export"}, {"config"}, {"version"}, {"tree"}, {"verify"}, {"export", "--format", "raw"},
	} {
		var told bytes.Buffer
		status := cli.Run(context.Background(), args, clitest.Process(append(consent(s.ann, s.bob), s.environ...), full, &told))
		if status != cli.StatusFailed || strings.Count(told.String(), "no space left on device") != 1 {
			t.Errorf("heddle %v ends with %d and says %q, want a failure that names the full disk once", args, status, told.String())
		}
	}
}
