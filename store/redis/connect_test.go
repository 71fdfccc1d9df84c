package redis_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"heddle/internal/errtest"
	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

func TestAddressesThatAreRead(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"redis://localhost", "redis://user:pa%20ss@localhost:6380/3", "rediss://localhost:6379?skip_verify=true",
		"unix:///run/redis.sock?db=2",
		"redis+cluster://a:1?addr=b:2&addr=c:3", "rediss+cluster://user:pass@a:1",
		"redis+sentinel://a:1?addr=b:2&master_name=main", "rediss+sentinel://user:pass@a:1/2?master_name=main",
	} {
		db, err := redis.Open(redis.Options{URL: address})
		if err != nil {
			t.Errorf("%s is refused: %v, want no error", address, err)
			continue
		}
		errtest.None(t, db.Close())
	}
}

func TestAddressesThatAreRefusedWithoutTheirPassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "localhost:6379", "http://u:hunter2@localhost", "redis+ring://u:hunter2@localhost",
		"redis://u:hunter2@localhost/zero", "redis://u:hunter2@localhost?nonsense=1", "redis://u:hunter2@[::1",
		"redis+sentinel://u:hunter2@localhost", "redis://u:hunter2@localhost?nonsense=hunter2", "\x00hunter2",
	} {
		db, err := redis.Open(redis.Options{URL: address})
		if err == nil {
			t.Errorf("the address %q is accepted, want an error", address)
			errtest.None(t, db.Close())
			continue
		}
		if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "redis://") {
			t.Errorf("the error for %q is %s, want one without the password that shows the form", address, text)
		}
	}
}

// TestAnOldServerIsRefusedInASentence asks servers that tell different versions. Those that
// are not refused know no other command, and say so.
func TestAnOldServerIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	for version, refused := range map[string]bool{
		"2.8.24": true, "5.0.14": true, "6.0.8": true,
		"6.0.9": false, "6.0.16": false, "6.2.0": false, "7.4.1": false, "10.0.0": false, "": false,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			old, err := server.NewServer("127.0.0.1:0")
			errtest.None(t, err)
			t.Cleanup(old.Close)
			errtest.None(t, old.Register("INFO", func(c *server.Peer, _ string, _ []string) {
				c.WriteBulk("# Server\r\nredis_version:" + version + "\r\nos:Linux\r\n")
			}))
			err = readOne(t, open(t, redis.Options{URL: "redis://" + old.Addr().String()}))
			const want = "the server is too old; heddle needs Redis 6.0.9 or newer, or Valkey: it is Redis "
			if !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), want+version) != refused {
				t.Errorf("Redis %q answers with %v, want it refused: %t", version, err, refused)
			}
		})
	}
}

// TestALateAnswerIsNotReadAsAnother has a server tell its version only with the answer to the next
// command, when the client has given up waiting for it.
func TestALateAnswerIsNotReadAsAnother(t *testing.T) {
	t.Parallel()
	slow, err := server.NewServer("127.0.0.1:0")
	errtest.None(t, err)
	t.Cleanup(slow.Close)
	errtest.None(t, slow.Register("INFO", func(*server.Peer, string, []string) {}))
	errtest.None(t, slow.Register("GET", func(c *server.Peer, _ string, _ []string) {
		c.WriteBulk("# Server\r\nredis_version:7.4.1\r\n")
		c.WriteNull()
	}))
	db := open(t, redis.Options{URL: "redis://" + slow.Addr().String(), Timeout: 100 * time.Millisecond})
	if err := readOne(t, db); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the read returns %v, want %v", err, store.ErrUnavailable)
	}
}

// keeps fails the test if a store cannot save a response and find it again.
func keeps(t *testing.T, url string) {
	t.Helper()
	s := store.New(open(t, redis.Options{URL: url}), store.Options{})
	r := storetest.Example("g1", 1)
	errtest.None(t, s.Ping(t.Context()))
	errtest.None(t, s.Responses.Save(t.Context(), r))
	if found, err := storetest.ByPath(t.Context(), s, r); err != nil || len(found) != 1 {
		t.Errorf("%d responses are found, want 1; the error is %v", len(found), err)
	}
}

func TestASentinelLeadsToTheServer(t *testing.T) {
	t.Parallel()
	sentinel := redistest.Started(redistest.StartSentinel(t.Context()))(t)
	keeps(t, sentinel.URL())
	unknown := strings.Replace(sentinel.URL(), "master_name=main", "master_name=other", 1)
	if err := readOne(t, open(t, redis.Options{URL: unknown})); err == nil || !strings.Contains(err.Error(), "know no such master") {
		t.Errorf("a read by way of a master that the Sentinel does not know returns %v, want an error that says so", err)
	}
	if answer, err := sentinel.Watched().Do(t.Context(), "DBSIZE"); err != nil || answer == "0" {
		t.Errorf("the server has %q entries, %v, want some", answer, err)
	}
}

func TestTLSAndPasswords(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	server := miniredis.NewMiniRedis()
	errtest.None(t, server.StartTLS(certified.TLS))
	t.Cleanup(server.Close)
	server.RequireUserAuth("heddle", "hunter2")
	keeps(t, "rediss://heddle:hunter2@"+server.Addr()+"?skip_verify=true")
	for _, wrong := range []string{
		"rediss://heddle:hunter2@" + server.Addr(), // the certificate is not trusted
		"rediss://heddle:hunter3@" + server.Addr() + "?skip_verify=true",
		"redis://heddle:hunter2@" + server.Addr(),
	} {
		s := store.New(open(t, redis.Options{URL: wrong, Timeout: 500 * time.Millisecond}), store.Options{})
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("with the address %s the ping returns %v, want %v without the password", wrong, err, store.ErrUnavailable)
		}
	}
}
