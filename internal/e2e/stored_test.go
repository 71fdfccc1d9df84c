package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/seal"
)

// redis starts a Redis server, and sets the key of what is stored there.
func (o *operator) redis() *redistest.Server {
	o.t.Helper()
	o.environ = append(o.environ, storeKey)
	return redistest.Started(redistest.Start(o.ctx))(o.t)
}

// storeKey is the setting with which what is stored in Redis is encrypted.
const storeKey = "STORE_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// refusing returns the URL of a Redis inside this process, and a function that has it answer
// with an error from then on, unless that is empty. Commands with which connections begin and
// end are never refused.
func (s *scene) refusing() (url string, refuse func(string)) {
	s.environ = append(s.environ, storeKey)
	redis, at := miniredis.RunT(s.t), time.Now()
	var mu sync.Mutex // guards at and refused
	var refused string
	redis.Server().SetPreHook(func(to *server.Peer, command string, _ ...string) bool {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		redis.FastForward(now.Sub(at)) // its own clock stands still
		at = now
		if refused == "" || command == "HELLO" || command == "CLIENT" || command == "QUIT" {
			return false
		}
		to.WriteError(refused)
		return true
	})
	return "redis://" + redis.Addr() + "?read_timeout=10m", func(refusal string) {
		mu.Lock()
		defer mu.Unlock()
		refused = refusal
	}
}

// stored opens the store of a run that has ended.
func (o *operator) stored() *store.Store {
	o.t.Helper()
	engine := errtest.Must(bolt.Open(bolt.Options{Dir: o.data}))(o.t)
	key, _, err := seal.MakeFile(filepath.Join(o.data, "heddle.key"))
	o.ok(err)
	stored := store.New(engine, store.Options{Key: key})
	o.t.Cleanup(func() { _ = stored.Close() })
	return stored
}

// scope returns the scope of the scene's channel.
func (w *world) scope() store.Scope { return store.GuildScope(w.guild) }

// consent returns the settings that permit the export of what people wrote.
func consent(people ...graph.UserID) []string {
	ids := make([]string, len(people))
	for i, id := range people {
		ids[i] = id.String()
	}
	return []string{"EXPORT_CONSENT=" + strings.Join(ids, ", ")}
}

// unreadable fails the test if a file below a folder contains one of the texts, which must be
// encrypted.
func (o *operator) unreadable(dir string, texts ...string) {
	o.t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				o.t.Errorf("%q is in %s, want it encrypted", text, filepath.Base(name))
			}
		}
		return nil
	})
	o.ok(err)
}

// nowhere fails the test if the store of a run that has ended holds one of the texts in
// anything that it can decrypt: in an answer or a summary, or in what it was made from.
func (o *operator) nowhere(texts ...string) {
	o.t.Helper()
	held := o.held()
	for _, text := range texts {
		if at := strings.Index(held, text); at >= 0 {
			o.t.Errorf("%q is still stored, want it gone: …%s…", text, held[max(0, at-200):min(len(held), at+200)])
		}
	}
}

// held returns all texts in the store of a run that has ended, decrypted.
func (o *operator) held() string {
	o.t.Helper()
	stored := o.stored()
	defer stored.Close()
	scopes := errtest.Must(stored.Archive.Scopes(o.ctx))(o.t)
	var all strings.Builder
	for _, scope := range scopes {
		for response, err := range stored.Archive.All(o.ctx, scope) {
			o.ok(err)
			fmt.Fprintf(&all, "%+v\n", response)
			if response.Gone() {
				continue
			}
			turns := errtest.Must(stored.Responses.Turns(o.ctx, response))(o.t)
			for _, turn := range turns {
				fmt.Fprintf(&all, "%+v\n", turn)
			}
		}
	}
	return all.String()
}

// sums has Ann ask the same question in a fresh thread and waits until it is settled.
func (s *scene) sums(r *running, want string) {
	s.t.Helper()
	in := s.thread("sums")
	r.answer(s, in, s.askIn(in, s.ann, "2 + 2?"), want)
}

// cut truncates the file of the embedded store to size bytes and returns them. A running
// heddle may give the file another name at any time from then on.
func (o *operator) cut(size int64) (left []byte) {
	o.t.Helper()
	file := errtest.Must(os.OpenFile(filepath.Join(o.data, bolt.FileName), os.O_RDWR, 0))(o.t)
	defer file.Close()
	o.ok(file.Truncate(size))
	return errtest.Must(io.ReadAll(file))(o.t)
}
