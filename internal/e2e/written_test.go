package e2e_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/store"
)

// inEverything is in everything that people, the model and the operator write in the
// tests below, and in every error.
const inEverything = "canary"

// panicking is an observer that panics with what somebody wrote.
type panicking struct{}

func (panicking) Begins(_ graph.MessageID, g *graph.Graph, _ path.Built) {
	if strings.Contains(g.Trigger.Text, "panic") {
		panic("observe " + g.Trigger.Text)
	}
}
func (panicking) Made(*store.Response, *graph.Graph, path.Built) {}
func (panicking) Shows([]graph.MessageID, store.ResponseID)      {}
func (panicking) Recorded(store.ResponseID)                      {}

// TestNothingThatHeddleWritesHoldsTextOrSecrets runs the whole program with canaries in
// names, messages, files, answers, calls of tools, errors, panics, payloads and secrets,
// and looks for them in its log at its most verbose, in its metrics, in its files and in
// what Redis writes to disk.
func TestNothingThatHeddleWritesHoldsTextOrSecrets(t *testing.T) {
	t.Parallel()
	for name, inRedis := range map[string]bool{"in a file": false, "in Redis": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.observer = panicking{}
			environ := []string{"HEALTH_ADDR=127.0.0.1:0", "OPENAI_API_KEY=sk-canary", "SYSTEM_PROMPT=You are a canary.", "LLM_RETRIES=0", "EMBEDDING_MODEL=test-embedding"}
			disk := s.data
			if inRedis {
				server, err := redistest.StartDurable(s.ctx)
				if err != nil && !redistest.Required() {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = server.Close() })
				disk = filepath.Dir(filepath.Dir(server.Log()))
				environ = append(environ, "REDIS_URL="+server.URL(), storeKey)
			}
			r := s.start(environ...)
			s.provoke(r)
			status, metrics := s.visit(r.healthOf(s), "/metrics")
			if status != http.StatusOK {
				t.Errorf("the metrics have status %d, want %d", status, http.StatusOK)
			}
			s.silent("the metrics", metrics, inEverything)
			_, ready := s.visit(r.healthOf(s), "/readyz")
			s.nowhereIn(disk, inEverything)
			r.end()
			s.nowhereIn(disk, inEverything, s.heddle.Token)
			shown, _ := s.must(environ, "config")
			s.silent("the log", r.logs.String(), inEverything)
			s.silent("readiness", ready, inEverything)
			s.silent("the list of settings", shown, "sk-canary")
			if n := strings.Count(r.logs.String(), "level=DEBUG"); n < 5 {
				t.Errorf("the log holds %d lines for debugging, want at least 5", n)
			}
		})
	}
}

// silent fails the test if a line of a text contains a canary, the token or the store's
// key.
func (s *screen) silent(what, text, canary string) {
	s.t.Helper()
	key := strings.TrimPrefix(storeKey, "STORE_KEY=")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, canary) || strings.Contains(line, s.heddle.Token) || strings.Contains(line, key) {
			s.t.Errorf("%s holds %q, want no %q in it, no %q in it and no %q in it", what, line, canary, s.heddle.Token, key)
		}
	}
}

// provoke makes everything happen that heddle could write text about.
func (s *scene) provoke(r *running) {
	s.t.Helper()
	bird := s.discord.People.AddUser("canary-name", s.guild)
	notes := discordtest.Attachment{Name: "canary.txt", Type: "text/plain", Data: []byte("canary in a file"), Description: "a canary"}
	told := s.post(bird, discordtest.Draft{Content: "a canary", Attachments: []discordtest.Attachment{notes}, Embeds: json.RawMessage(`[{"type":"rich","title":"canary"}]`)})
	s.post(4711, discordtest.Draft{Webhook: "canary", Content: "canary"})
	ask := func(text string) graph.MessageID { return s.post(bird, discordtest.Draft{Content: s.mention(text)}) }

	s.model.Queue(call("search_channel", `{"words":"canary"}`), call("canary_tool", `{"canary":`), openaitest.Answer("A canary sang."))
	sung := s.answer(s.channel, ask("what canary?"), "A canary sang.")
	r.settled(s, sung.Reference.Message)
	s.reacts(s.channel, sung.ID, bird, "👍")
	s.model.Queue(openaitest.Answer("Another canary."))
	again := s.post(bird, discordtest.Draft{Content: s.mention("again"), ReplyTo: sung.ID})
	s.answer(s.channel, again, "Another canary.")
	for _, reply := range []openaitest.Reply{
		{Status: http.StatusBadRequest, Body: `{"error":{"message":"the canary is refused: a canary","code":"a canary!","param":"a canary"}}`},
		{Status: http.StatusInternalServerError, Body: `<html>canary</html>`},
		{Chunks: []openaitest.Chunk{{Raw: "data: {canary\n\n"}}},
	} {
		s.model.Queue(reply)
		s.replied(ask("a canary that fails?"))
	}
	ask("panic, canary")
	if err := r.logs.await(s.ctx, "panicked"); err != nil {
		s.t.Fatal(err)
	}
	s.discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), http.StatusBadRequest, 50035, "canary"))
	s.model.Queue(openaitest.Answer("A canary that cannot be sent."))
	ask("a canary?")
	if err := r.logs.await(s.ctx, "code 50035"); err != nil {
		s.t.Fatal(err)
	}
	for _, payload := range []string{
		`{"op":0,"t":"MESSAGE_CREATE","d":["canary"]}`, `{"op":0,"t":"canary","d":{"canary":1}}`, `{"op":0,"t":"MESSAGE_DELETE","d":"canary"}`,
		`{"op":0,"t":"INTERACTION_CREATE","d":{"id":"7","data":{"custom_id":"canary"}}}`, `{"op":0,"t":"GUILD_CREATE","d":"canary"}`, `{"canary`,
	} {
		s.discord.Gateway.SendRaw(json.RawMessage(payload))
	}
	s.model.Embeddings.Refuse(http.StatusBadRequest) // the error quotes what the provider was sent
	s.edit(told, "an edited canary")
	s.discord.Chat.Delete(s.channel, told)
	s.model.Queue(openaitest.Answer("The last canary."))
	in := s.thread("canary")
	last := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("are you a canary?")})
	s.answer(in, last, "The last canary.")
	r.settled(s, last)
	s.privately(s.shows(in, last), "would answer this from")
	if err := r.logs.await(s.ctx, "older messages could not be embedded"); err != nil {
		s.t.Fatal(err)
	}
}

// replied waits until heddle has said anything in reply to a message.
func (s *screen) replied(to graph.MessageID) {
	s.t.Helper()
	if _, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool {
		return m.Author == s.heddle.User && m.Reference != nil && m.Reference.Message == to
	}); err != nil {
		s.t.Fatal(err)
	}
}
