package redis_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"heddle/store"
	"heddle/store/redis"
)

// TestARefusedConnectionSaysWhy has a real server refuse one client too many, and
// something that speaks as Redis does in protected mode.
func TestARefusedConnectionSaysWhy(t *testing.T) {
	t.Parallel()
	t.Run("too many clients", func(t *testing.T) {
		t.Parallel()
		server := start(t)
		if server == nil {
			return
		}
		held, err := new(net.Dialer).DialContext(t.Context(), "unix", server.Socket())
		must(t, err)
		defer held.Close()
		_, err = io.WriteString(held, "CONFIG SET maxclients 1\r\n")
		must(t, err)
		_, err = io.ReadFull(held, make([]byte, len("+OK\r\n")))
		must(t, err)
		wantRefusal(t, server.URL(), "ERR max number of clients reached")
	})
	t.Run("protected mode", func(t *testing.T) {
		t.Parallel()
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		must(t, err)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				c, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, "-DENIED Redis is running in protected mode because no password is set. In this mode…\r\n")
				_ = c.Close()
			}
		}()
		t.Cleanup(func() {
			_ = listener.Close()
			<-ended
		})
		wantRefusal(t, "redis://"+listener.Addr().String(), "DENIED Redis is running in protected mode because no password is set")
	})
}

// wantRefusal checks that a call fails with what Redis said.
func wantRefusal(t *testing.T, url, said string) {
	t.Helper()
	_, err := open(t, redis.Options{URL: url}).Get(t.Context(), store.Key{Scope: store.ScopeMeta, Name: store.SchemaName})
	if err == nil || !strings.HasSuffix(err.Error(), "it refuses connections: "+said) {
		t.Errorf("the error is %v, want one that ends in what Redis said: %s", err, said)
	}
}
