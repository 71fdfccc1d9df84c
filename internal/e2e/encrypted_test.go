package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
	"heddle/store/bolt"
	"heddle/store/encrypted"
)

// newKey is what the log says when heddle makes a key.
const newKey = "what is stored is encrypted with a new key"

// keyFile returns the name of the file with the key that heddle makes.
func (o *operator) keyFile() string { return filepath.Join(o.data, "heddle.key") }

// nowhereIn fails the test if a file below a folder contains one of the texts.
func (o *operator) nowhereIn(dir string, texts ...string) {
	o.t.Helper()
	before := o.data
	o.data = dir
	o.nowhere(texts...)
	o.data = before
}

// TestWhatIsStoredIsEncrypted looks for what people wrote in every file of the store,
// while heddle runs and afterwards.
func TestWhatIsStoredIsEncrypted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	const asked, told = "What is canary-in-a-question?", "It is canary-in-an-answer."
	s.model.Queue(openaitest.Answer(told))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention(asked)})
	answer := s.answer(s.channel, question, told)
	r.settled(s, question)
	s.nowhere("canary", "friendly member") // the latter is from the system prompt
	r.end()
	s.nowhere("canary", "friendly member")

	info, err := os.Stat(s.keyFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v: %v, want Perm() 0o600 and no error", info.Mode(), err)
	}
	if logs := r.logs.String(); strings.Count(logs, newKey) != 1 || !strings.Contains(logs, s.keyFile()) {
		t.Error("the log does not say once that there is a key, and where")
	}
	key, err := os.ReadFile(s.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	s.model.Queue(openaitest.Answer("No more."))
	r = s.start("SYSTEM_PROMPT=Be kind.")
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("and now?"), ReplyTo: answer.ID}), "No more.")
	r.end()
	if strings.Contains(r.logs.String(), newKey) {
		t.Errorf("the log says %q, want the key of before in use", newKey)
	}
	if again, err := os.ReadFile(s.keyFile()); err != nil || !bytes.Equal(again, key) {
		t.Errorf("the key is another one now: %v", err)
	}
	if strings.Contains(r.logs.String(), strings.TrimSpace(string(key))) {
		t.Error("the key is in the log, want no secret there")
	}
	if listed, _ := s.must(nil, "tree"); !strings.Contains(listed, "canary-in-an-answer") {
		t.Errorf("a command does not read what is stored: %s, want %q in it", listed, "canary-in-an-answer")
	}
}

// TestAStoreWithAnotherKeyIsRefusedInASentence is about keys that are wrong or missing.
func TestAStoreWithAnotherKeyIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	talked := func(s *scene) {
		s.model.Queue(openaitest.Answer("Yes."))
		r := s.start()
		s.sums(r, "Yes.")
		r.end()
	}
	other := func(s *scene) []string { talked(s); return []string{storeKey} }
	missing := func(s *scene) []string {
		talked(s)
		if err := os.Remove(s.keyFile()); err != nil {
			s.t.Fatal(err)
		}
		return nil
	}
	spoilt := func(s *scene) []string { talked(s); s.write(s.keyFile(), "swordfish"); return nil }
	changing := func(s *scene) []string {
		talked(s)
		s.write(s.keyFile()+".new", encrypted.NewMaster().Text())
		return nil
	}
	without := func(s *scene) []string {
		server := s.redis()
		r := s.start("REDIS_URL=" + server.URL())
		r.end()
		return []string{"REDIS_URL=" + server.URL(), "STORE_KEY="}
	}
	for name, test := range map[string]refused{
		"another key":               {other, cli.StatusMisuse, "STORE_KEY: the key does not fit the store: it was encrypted with the key "},
		"its file is missing":       {missing, cli.StatusMisuse, "put the file back, or move "},
		"its file holds no key":     {spoilt, cli.StatusMisuse, "it must be 32 random bytes in base64 or hexadecimal"},
		"STORE_KEY holds none":      {set("STORE_KEY", func(*scene) string { return "swordfish" }), cli.StatusMisuse, "it must be 32 random bytes in base64 or hexadecimal"},
		"it is being changed":       {changing, cli.StatusMisuse, `run "heddle rekey" again to complete it`},
		"no key for what Redis has": {without, cli.StatusMisuse, "STORE_KEY: the key does not fit the store: it is encrypted, and no key is given"},
	} {
		t.Run(name, test.holds)
	}
}

// TestAKeyThatIsNotThereIsNotChanged asks for another key before heddle has made one, and
// where its file is gone.
func TestAKeyThatIsNotThereIsNotChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	refused := func(want string) {
		t.Helper()
		if status, _, told := s.command(nil, "rekey"); status != cli.StatusMisuse || !strings.Contains(told, want) || strings.Contains(told, "no such file") {
			t.Errorf("changing the key ends with %d: %s; want %d: %s", status, told, cli.StatusMisuse, want)
		}
	}
	s.must(nil, "opt-out", "1") // this creates the store
	refused("heddle makes one when it starts")
	s.model.Queue(openaitest.Answer("Yes."))
	r := s.start()
	s.sums(r, "Yes.")
	r.end()
	if err := os.Rename(s.keyFile(), s.keyFile()+".away"); err != nil {
		t.Fatal(err)
	}
	refused("put the file back, or move ")
	if err := os.Rename(s.keyFile()+".away", s.keyFile()); err != nil {
		t.Fatal(err)
	}
	s.must(nil, "rekey")
}

// TestRedisIsEncryptedOnceThereIsAKey starts heddle without a key, and then with one.
func TestRedisIsEncryptedOnceThereIsAKey(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server, err := redistest.StartDurable(s.ctx)
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	const warning = "what is stored in Redis is not encrypted"
	disk := filepath.Dir(filepath.Dir(server.Log()))
	s.model.Queue(openaitest.Answer("It is canary-of-old."))
	r := s.start("REDIS_URL=" + server.URL())
	s.sums(r, "It is canary-of-old.")
	r.end()
	if n := strings.Count(r.logs.String(), warning); n != 1 {
		t.Errorf("the log warns %d times, want 1", n)
	}
	if !s.written(disk, "canary-of-old") {
		t.Fatal("what is not encrypted is not found either")
	}

	r = s.start("REDIS_URL="+server.URL(), storeKey)
	s.sums(r, "It is canary-of-old.") // the stored answer is given again
	s.model.Queue(openaitest.Answer("It is canary-of-late."))
	late := s.post(s.ann, discordtest.Draft{Content: s.mention("and what is canary-too?")})
	s.answer(s.channel, late, "It is canary-of-late.")
	r.settled(s, late)
	s.rewritten(disk, "canary-of-old")
	s.nowhereIn(disk, "canary")
	r.end()
	if logs := r.logs.String(); strings.Contains(logs, warning) || strings.Count(logs, "the entries that were stored unencrypted are encrypted now") != 1 {
		t.Error("the log does not say once that what was stored is now encrypted")
	}
}

// rewritten waits until Redis has rewritten its log without a text.
func (o *operator) rewritten(dir, text string) {
	o.t.Helper()
	for tick := time.NewTicker(10 * time.Millisecond); o.written(dir, text); {
		select {
		case <-tick.C:
		case <-o.ctx.Done():
			o.t.Fatalf("%q is still on disk, want it gone", text)
		}
	}
}

// written reports whether a file below a folder contains a text.
func (o *operator) written(dir, text string) (found bool) {
	o.t.Helper()
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, _ := os.ReadFile(name) // the server may have removed it
			found = found || bytes.Contains(content, []byte(text))
		}
		return nil
	})
	return found
}

// TestTheKeyIsChangedByOneCommand changes the key that heddle made, and then one that
// was given.
func TestTheKeyIsChangedByOneCommand(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four, as ever."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	r.end()
	old, err := os.ReadFile(s.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := s.must(nil, "rekey"); !strings.Contains(said, s.keyFile()) {
		t.Errorf("it says %q, want the name of the key file %q", said, s.keyFile())
	}
	reuses := func(environ ...string) {
		t.Helper()
		before := len(s.model.Requests())
		r := s.start(environ...)
		s.sums(r, "Four, as ever.")
		r.end()
		if asked := len(s.model.Requests()) - before; asked != 0 {
			t.Errorf("the model was asked %d times, want 0", asked)
		}
	}
	reuses()
	if status, _, _ := s.command([]string{"STORE_KEY=" + string(old)}, "verify"); status != cli.StatusMisuse {
		t.Errorf("with the old key, verify ends with %d, want %d", status, cli.StatusMisuse)
	}

	key, err := os.ReadFile(s.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	given := "STORE_KEY=" + string(key)
	if status, _, told := s.command([]string{given}, "rekey"); status != cli.StatusMisuse || !strings.Contains(told, "name a file for the new one") {
		t.Errorf("without a file for the new key, it ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, "name a file for the new one")
	}
	next := filepath.Join(t.TempDir(), "next.key")
	s.must([]string{given}, "rekey", next)
	reuses("STORE_KEY_FILE=" + next)
}

// TestAnInterruptedChangeOfTheKeyIsCompleted ends a change of the key right before the
// new key's file takes the place of the old one.
func TestAnInterruptedChangeOfTheKeyIsCompleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four, as ever."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	r.end()
	from, err := encrypted.ReadFile(s.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	to, _, err := encrypted.MakeFile(s.keyFile() + ".new")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := bolt.Open(bolt.Options{Dir: s.data})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(encrypted.Rekey(s.ctx, engine, from, to, func(context.Context) error { return nil }), engine.Close()); err != nil {
		t.Fatal(err)
	}
	if status, _, told := s.command(nil, "verify"); status != cli.StatusMisuse || !strings.Contains(told, `run "heddle rekey" again`) {
		t.Errorf("before it is completed, verify ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, `run "heddle rekey" again`)
	}
	s.must(nil, "rekey")
	if now, err := encrypted.ReadFile(s.keyFile()); err != nil || now.Text() != to.Text() {
		t.Errorf("the key is not the one that the store has: %v", err)
	}
	r = s.start()
	s.sums(r, "Four, as ever.") // the stored answer is given again
	r.end()
}

// TestTheKeyOfAStoreInUseIsNotChanged runs two processes on one Redis while somebody tries
// to change its key.
func TestTheKeyOfAStoreInUseIsNotChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four, as ever."))
	environ := []string{"REDIS_URL=" + s.redis().URL()}
	first := s.start(environ...)
	s.sums(first, "Four, as ever.")
	second := s.start(environ...)
	next := filepath.Join(t.TempDir(), "next.key")
	refuses := func(processes int) {
		t.Helper()
		status, _, told := s.command(environ, "rekey", next)
		if status != cli.StatusFailed || strings.Count(told, fmt.Sprintf("process %d on ", os.Getpid())) != processes {
			t.Errorf("beside %d processes it ends with %d: %s, want %d and each of them named", processes, status, told, cli.StatusFailed)
		}
		if _, err := os.Stat(next); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a key was made that the store does not have: %v, want %v", err, fs.ErrNotExist)
		}
	}
	refuses(2)
	second.end()
	refuses(1)
	s.sums(first, "Four, as ever.") // the stored answer is given again
	first.end()
	s.must(environ, "rekey", next)
	r := s.start(append(environ, "STORE_KEY=", "STORE_KEY_FILE="+next)...)
	s.sums(r, "Four, as ever.")
	r.end()
}

// TestDoctorKnowsOfTheKey has doctor look at a Redis without a key, and at a store that
// was encrypted with another key.
func TestDoctorKnowsOfTheKey(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	finds := func(want string, environ ...string) {
		t.Helper()
		status, found, _ := s.command(environ, "doctor")
		whole := strings.Join(strings.Fields(found), " ") // without its line breaks
		if status == cli.StatusDone || !strings.Contains(whole, want) {
			t.Errorf("it ends with %d and finds\n%s, want %q", status, found, want)
		}
	}
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	s.sums(r, "Four.")
	r.end()
	finds("set STORE_KEY to the key that the store was encrypted with", storeKey)
	finds("set STORE_KEY to have it encrypted", "REDIS_URL="+s.redis().URL(), "STORE_KEY=")
}

// TestCommandsBeside runs commands on an embedded store that a running heddle has open.
func TestCommandsBeside(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.shortData()
	s.model.Queue(openaitest.Answer("Four, as ever."), openaitest.Answer("Five, for once."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	if shown, _ := s.must(nil, "tree"); !strings.Contains(shown, "Four, as ever.") {
		t.Errorf("the tree is %s, want %q in it", shown, "Four, as ever.")
	}
	s.must(nil, "verify")
	if status, _, told := s.command(nil, "rekey"); status != cli.StatusFailed || !strings.Contains(told, bolt.FileName+" is held") {
		t.Errorf("changing the key ends with %d: %s, want %d and %q in it", status, told, cli.StatusFailed, bolt.FileName+" is held")
	}
	r.end()
	if shown, _ := s.must(nil, "tree"); !strings.Contains(shown, "Four, as ever.") {
		t.Errorf("afterwards, the tree is %s, want %q in it", shown, "Four, as ever.")
	}
}
