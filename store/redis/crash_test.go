package redis_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

// deployment is a single Redis or the nodes of a Cluster, with a client for each.
type deployment struct {
	url     string
	servers []*redistest.Server
	clients []*goredis.Client
	ahead   time.Duration
}

func newDeployment(url string, servers ...*redistest.Server) *deployment {
	d := &deployment{url: url, servers: servers}
	for _, server := range servers {
		d.clients = append(d.clients, goredis.NewClient(&goredis.Options{Network: "unix", Addr: server.Socket()}))
	}
	return d
}

// writes reports whether a command may change something. The script that applies
// changes has an argument that says so.
func writes(words []string) bool {
	return slices.ContainsFunc([]string{"put", "raise", "add", "remove", "delete", "hold", "free"}, func(kind string) bool {
		return slices.Contains(words, kind)
	})
}

// relayed returns a function that starts a process which uses the deployment through a
// relay.
func (d *deployment) relayed(relay func(context.Context, redistest.Break, ...*redistest.Server) (*redistest.Relay, error)) func(*testing.T, int) store.Engine {
	return func(t *testing.T, steps int) store.Engine {
		t.Helper()
		r, err := relay(t.Context(), redistest.Break{After: steps, Counts: writes}, d.servers...)
		must(t, err)
		t.Cleanup(func() { must(t, r.Close()) })
		return open(t, redis.Options{URL: r.URL()})
	}
}

// mortal makes processes use the deployment.
func (d *deployment) mortal(t *testing.T) storetest.Mortal {
	t.Helper()
	living := open(t, redis.Options{URL: d.url})
	return storetest.Mortal{
		Empty: func(t *testing.T) {
			t.Helper()
			for _, client := range d.clients {
				must(t, client.FlushAll(t.Context()).Err())
			}
		},
		Lives: func(t *testing.T) store.Engine {
			t.Helper()
			d.dangles(t)
			return living
		},
		Ends: d.relayed(redistest.EndAt),
		Now:  func() time.Time { return time.Now().Add(d.ahead) },
		Pass: func(t *testing.T, passed time.Duration) {
			t.Helper()
			d.ahead += passed
			for _, client := range d.clients {
				advance(t, client, passed)
			}
		},
	}
}

// dangling is a script that lists members of sets that name a missing record or node.
// All keys of a scope are on the node that runs it.
const dangling = `
local found = {}
for _, key in ipairs(redis.call('KEYS', 'heddle:1:*')) do
  local scope = string.match(key, '^heddle:1:{[^}]*}:')
  if redis.call('TYPE', key).ok == 'zset' then
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      local kind = string.sub(member, 1, 1)
      if (kind == 'r' and #member == 17 or kind == 'n' and #member == 33) and redis.call('EXISTS', scope .. member) == 0 then
        found[#found + 1] = key .. ' names ' .. member
      end
    end
  end
end
return found`

// dangles fails the test if a set names a record or node that does not exist.
func (d *deployment) dangles(t *testing.T) {
	t.Helper()
	for _, client := range d.clients {
		found, err := client.Eval(t.Context(), dangling, nil).StringSlice()
		must(t, err)
		for _, name := range found {
			t.Errorf("a set names %q, which is not stored, want only what is", name)
		}
	}
}

// TestAProcessThatEndsBetweenTwoCommands ends a process after every command that it
// sends.
func TestAProcessThatEndsBetweenTwoCommands(t *testing.T) {
	t.Parallel()
	server := start(t)
	if server == nil {
		return
	}
	d := newDeployment(server.URL(), server)
	m := d.mortal(t)
	m.Loses = d.relayed(redistest.LoseAnswerAt)
	storetest.Interrupted(t, m)
}

// TestAProcessThatEndsBetweenTwoNodes ends a process after every command over a
// Cluster, on which one operation changes several nodes.
func TestAProcessThatEndsBetweenTwoNodes(t *testing.T) {
	t.Parallel()
	cluster, ok := startCluster(t)
	if !ok {
		return
	}
	storetest.InterruptedAcross(t, newDeployment(cluster.URL(), cluster.Nodes()...).mortal(t))
}

// torn is a durable server that is killed while it writes. Its append-only file is
// truncated, as after an unfinished write.
type torn struct {
	server       *redistest.Server
	began, ended int64 // sizes of the append-only file before and after the write
	cut          int   // how many of the parts of that write remain; negative: all
}

// parts is the number of parts into which a write is divided.
const parts = 12

func (s *torn) size(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(s.server.Log())
	must(t, err)
	return info.Size()
}

// restart kills the server, truncates its append-only file unless cut is negative, and
// starts it again.
func (s *torn) restart(t *testing.T) {
	t.Helper()
	s.ended = s.size(t)
	s.server.Kill()
	must(t, os.Truncate(s.server.Log(), s.began+(s.ended-s.began)*int64(s.cut)/parts))
	must(t, s.server.Restart(t.Context()))
	s.cut = -1
}

// TestAServerThatIsKilledInAWrite kills the server. A write that is not completely in
// the append-only file must have no effect.
func TestAServerThatIsKilledInAWrite(t *testing.T) {
	t.Parallel()
	server, err := redistest.StartDurable(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Logf("left out: %v", err)
		return
	}
	must(t, err)
	t.Cleanup(func() { must(t, server.Close()) })
	d := newDeployment(server.URL(), server)
	s, m := &torn{server: server, cut: -1}, d.mortal(t)
	m.Lives = func(t *testing.T) store.Engine {
		t.Helper()
		if s.cut >= 0 {
			s.restart(t)
		}
		d.dangles(t)
		return open(t, redis.Options{URL: d.url})
	}
	var last bool
	m.Ends = func(t *testing.T, steps int) store.Engine {
		t.Helper()
		s.began, s.cut, last = s.size(t), steps, steps == parts
		return open(t, redis.Options{URL: d.url})
	}
	m.More = func(err error) bool { return err == nil && !last }
	storetest.InterruptedAcross(t, m)
}
