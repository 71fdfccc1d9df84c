package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
)

// newKey is what the log says when heddle makes a key.
const newKey = "what is stored is encrypted with a new key"

// keyFile returns the name of the file with the key that heddle makes.
func (o *operator) keyFile() string { return filepath.Join(o.data, "heddle.key") }

// TestWhatIsStoredIsEncrypted looks for what people wrote in every file of the store,
// while heddle runs and afterwards. An earlier heddle was killed while it made the key.
func TestWhatIsStoredIsEncrypted(t *testing.T) {
	s := newScene(t)
	const asked, told = "What is canary-in-a-question?", "It is canary-in-an-answer."
	s.model.Queue(openaitest.Answer(told))
	s.write(s.keyFile(), "")
	r := s.start()
	answer := r.answer(s, s.channel, s.ask(s.ann, asked), told)
	s.unreadable(s.data, "canary", "friendly member") // the latter is from the system prompt
	r.end()
	s.unreadable(s.data, "canary", "friendly member")

	info, err := os.Stat(s.keyFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v: %v, want Perm() 0o600 and no error", info.Mode(), err)
	}
	s.same("how often the log tells of a new key", strings.Count(r.logs.String(), newKey), 1)
	s.contains(r.logs.String(), s.keyFile())
	key := s.read(s.keyFile())
	s.model.Queue(openaitest.Answer("No more."))
	r = s.start("SYSTEM_PROMPT=Be kind.")
	s.answer(s.channel, s.askBelow(answer.ID, s.bob, "and now?"), "No more.")
	r.end()
	s.lacks(r.logs.String(), newKey)
	s.same("the key", s.read(s.keyFile()), key)
	s.lacks(r.logs.String(), strings.TrimSpace(key))
	s.contains(s.prints(nil, "tree"), "canary-in-an-answer")
}

// TestAStoreWithAnotherKeyIsRefusedInASentence is about keys that are wrong or missing.
func TestAStoreWithAnotherKeyIsRefusedInASentence(t *testing.T) {
	talked := func(s *scene) {
		s.model.Queue(openaitest.Answer("Yes."))
		r := s.start()
		s.sums(r, "Yes.")
		r.end()
	}
	other := func(s *scene) []string { talked(s); return []string{storeKey} }
	missing := func(s *scene) []string {
		talked(s)
		s.ok(os.Remove(s.keyFile()))
		return nil
	}
	spoilt := func(s *scene) []string { talked(s); s.write(s.keyFile(), "swordfish"); return nil }
	emptied := func(s *scene) []string { talked(s); s.write(s.keyFile(), ""); return nil }
	onRedis := func(before, after string) func(*scene) []string {
		return func(s *scene) []string {
			url := "REDIS_URL=" + s.redis().URL()
			s.start(url, before).end()
			return []string{url, after}
		}
	}
	inScenes(t, map[string]refused{
		"another key":               {other, cli.StatusMisuse, "STORE_KEY: the key does not fit the store: it was encrypted with the key "},
		"its file is missing":       {missing, cli.StatusMisuse, "put the file back, or move "},
		"its file holds no key":     {spoilt, cli.StatusMisuse, "it must be 32 random bytes in base64 or hexadecimal"},
		"its file is empty":         {emptied, cli.StatusMisuse, `" prints; put a copy of the file there, or move `},
		"STORE_KEY holds none":      {set("STORE_KEY", func(*scene) string { return "swordfish" }), cli.StatusMisuse, "it must be 32 random bytes in base64 or hexadecimal"},
		"a key that Redis had not":  {onRedis("STORE_KEY=", storeKey), cli.StatusMisuse, "STORE_KEY: the key does not fit the store: it is not encrypted; to encrypt it, back it up and restore it with the key"},
		"no key for what Redis has": {onRedis(storeKey, "STORE_KEY="), cli.StatusMisuse, "STORE_KEY: the key does not fit the store: it is encrypted, and no key is given"},
	}, (*scene).isRefused)
}

// TestRedisIsEncryptedByABackupRestoredWithAKey runs heddle on Redis without a key, of
// which it warns, and then on another Redis with one, into which a backup is restored.
func TestRedisIsEncryptedByABackupRestoredWithAKey(t *testing.T) {
	s := newScene(t)
	server := redistest.Started(redistest.StartDurable(s.ctx))(t)
	const warning = "what is stored in Redis is not encrypted"
	open := "REDIS_URL=" + s.redis().URL()
	s.model.Queue(openaitest.Answer("It is canary-of-old."))
	r := s.start(open, "STORE_KEY=")
	s.sums(r, "It is canary-of-old.")
	r.end()
	s.same("warnings", strings.Count(r.logs.String(), warning), 1)
	file := filepath.Join(t.TempDir(), "backup")
	s.contains(s.prints([]string{open, "STORE_KEY="}, "backup", file), "They are not encrypted")

	disk := filepath.Dir(filepath.Dir(server.Log()))
	sealed := []string{"REDIS_URL=" + server.URL()}
	s.must(sealed, "restore", file)
	r = s.start(sealed...)
	s.sums(r, "It is canary-of-old.") // the stored answer is given again
	s.model.Queue(openaitest.Answer("It is canary-of-late."))
	r.answers(s, s.ann, "and what is canary-too?", "It is canary-of-late.")
	s.unreadable(disk, "canary")
	r.end()
	s.lacks(r.logs.String(), warning)
}

// read returns the content of a file.
func (o *operator) read(name string) string {
	o.t.Helper()
	content := errtest.Must(os.ReadFile(name))(o.t)
	return string(content)
}

// inEverything is in everything that people, the model and the operator write in the
// tests below, and in every error.
const inEverything = "canary"

// TestNothingThatHeddleWritesHoldsTextOrSecrets runs the whole program with canaries in
// names, messages, files, answers, calls of tools, errors, panics, payloads and secrets,
// and looks for them in its log at its most verbose, in its metrics, in its files and in
// what Redis writes to disk.
func TestNothingThatHeddleWritesHoldsTextOrSecrets(t *testing.T) {
	inScenes(t, map[string]bool{"in a file": false, "in Redis": true}, func(s *scene, inRedis bool) {
		environ := []string{"HEALTH_ADDR=127.0.0.1:0", "OPENAI_API_KEY=sk-canary", "SYSTEM_PROMPT=You are a canary.", "LLM_RETRIES=0"}
		disk := s.data
		if inRedis {
			server := redistest.Started(redistest.StartDurable(s.ctx))(s.t)
			disk = filepath.Dir(filepath.Dir(server.Log()))
			environ = append(environ, "REDIS_URL="+server.URL(), storeKey)
		}
		r := s.start(environ...)
		s.provoke(r)
		status, metrics := s.visit(r.healthOf(s), "/metrics")
		s.same("the status of the metrics", status, http.StatusOK)
		s.silent(metrics, inEverything)
		_, ready := s.visit(r.healthOf(s), "/readyz")
		s.unreadable(disk, inEverything)
		r.end()
		s.unreadable(disk, inEverything, s.heddle.Token)
		shown, _ := s.must(environ, "config")
		s.silent(r.logs.String(), inEverything)
		s.silent(ready, inEverything)
		s.silent(shown, "sk-canary")
		s.same("that the log holds lines for debugging", strings.Count(r.logs.String(), "level=DEBUG") >= 5, true)
	})
}

// silent fails the test if a line of a text contains a canary, the token or the store's
// key.
func (s *screen) silent(text, canary string) {
	s.t.Helper()
	key := strings.TrimPrefix(storeKey, "STORE_KEY=")
	for line := range strings.SplitSeq(text, "\n") {
		s.lacks(line, canary, s.heddle.Token, key)
	}
}

// provoke makes everything happen that heddle could write text about.
func (s *scene) provoke(r *running) {
	s.t.Helper()
	bird := s.discord.People.AddUser("canary-name", s.guild)
	notes := discordtest.Attachment{Name: "canary.txt", Type: "text/plain", Data: []byte("canary in a file"), Description: "a canary"}
	told := s.post(bird, discordtest.Draft{Content: "a canary", Attachments: []discordtest.Attachment{notes}, Embeds: json.RawMessage(`[{"type":"rich","title":"canary"}]`)})
	s.post(4711, discordtest.Draft{Webhook: "canary", Content: "canary"})
	ask := func(text string) graph.MessageID { return s.ask(bird, text) }

	s.model.Queue(call("search_channel", `{"words":"canary"}`), call("canary_tool", `{"canary":`), openaitest.Answer("A canary sang."))
	sung := s.answer(s.channel, ask("what canary?"), "A canary sang.")
	r.settled(s, sung.Reference.Message)
	s.reacts(s.channel, sung.ID, bird, "👍")
	s.model.Queue(openaitest.Answer("Another canary."))
	s.answer(s.channel, s.askBelow(sung.ID, bird, "again"), "Another canary.")
	for _, reply := range []openaitest.Reply{
		{Status: http.StatusBadRequest, Body: `{"error":{"message":"the canary is refused: a canary","code":"a canary!","param":"a canary"}}`},
		{Status: http.StatusInternalServerError, Body: `<html>canary</html>`},
		{Chunks: []openaitest.Chunk{{Raw: "data: {canary\n\n"}}},
	} {
		s.model.Queue(reply)
		s.answerThat(s.channel, ask("a canary that fails?"), "", func(discordtest.Message) bool { return true })
	}
	s.discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteCreateMessage), http.StatusBadRequest, 50035, "canary"))
	s.model.Queue(openaitest.Answer("A canary that cannot be sent."))
	ask("a canary?")
	s.awaits(&r.logs, "code 50035")
	for _, payload := range []string{
		`{"op":0,"t":"MESSAGE_CREATE","d":["canary"]}`, `{"op":0,"t":"canary","d":{"canary":1}}`, `{"op":0,"t":"MESSAGE_DELETE","d":"canary"}`,
		`{"op":0,"t":"INTERACTION_CREATE","d":{"id":"7","data":{"custom_id":"canary"}}}`, `{"op":0,"t":"GUILD_CREATE","d":"canary"}`, `{"canary`,
	} {
		s.discord.Gateway.SendRaw(json.RawMessage(payload))
	}
	s.edit(told, "an edited canary")
	s.discord.Chat.Delete(s.channel, told)
	s.model.Queue(openaitest.Answer("The last canary."))
	in := s.thread("canary")
	last := s.askIn(in, s.ann, "are you a canary?")
	r.answer(s, in, last, "The last canary.")
	s.privately(s.shows(in, last), "would answer this from")
}
