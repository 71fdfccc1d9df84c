package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"heddle/internal/redistest"
)

// link is the network between one process and its Redis.
type link struct {
	proxy *toxiproxy.Proxy
}

func newLink(t *testing.T, to *redistest.Server) (*link, error) {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", to.Address())
	if err := proxy.Start(); err != nil {
		return nil, fmt.Errorf("stand between heddle and Redis: %w", err)
	}
	t.Cleanup(proxy.Stop)
	return &link{proxy}, nil
}

// url is where the process finds its Redis.
func (l *link) url() string { return "redis://" + l.proxy.Listen }

// toxic is something that is wrong with a link, in the words of toxiproxy. It concerns
// what heddle sends (upstream) or what it receives (downstream).
type toxic struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Attributes map[string]int `json:"attributes"`
}

// add makes a link worse until the returned function is called. What was lost meanwhile
// stays lost.
func (l *link) add(ctx context.Context, toxics ...toxic) (remove func(), err error) {
	for _, one := range toxics {
		text, err := json.Marshal(one)
		if err == nil {
			_, err = l.proxy.Toxics.AddToxicJson(strings.NewReader(string(text)))
		}
		if err != nil {
			return nil, fmt.Errorf("add %s: %w", one.Type, err)
		}
	}
	return func() { l.proxy.Toxics.ResetToxics(context.WithoutCancel(ctx)) }, nil
}

// both returns a toxic for what is sent and one for what is received.
func both(kind string, attributes map[string]int) []toxic {
	return []toxic{{kind, "upstream", attributes}, {kind, "downstream", attributes}}
}

// trouble returns something that can be wrong with a link. Times are in milliseconds; the
// processes wait for 300 of them for an answer of Redis.
func trouble(random *rand.Rand) []toxic {
	switch random.IntN(7) {
	case 0: // slow, and now and then too slow
		return both("latency", map[string]int{"latency": 20 + random.IntN(140), "jitter": 20})
	case 1: // cut
		return both("reset_peer", map[string]int{"timeout": 0})
	case 2: // half open: requests take effect, nothing is heard of them
		return []toxic{{"timeout", "downstream", map[string]int{"timeout": 0}}}
	case 3: // half open: requests are swallowed
		return []toxic{{"timeout", "upstream", map[string]int{"timeout": 0}}}
	case 4: // silent, then closed
		return both("timeout", map[string]int{"timeout": 100 + random.IntN(900)})
	case 5: // cut, which is noticed late
		return []toxic{{"slow_close", "downstream", map[string]int{"delay": 1000}}, {"limit_data", "upstream", map[string]int{"bytes": random.IntN(4096)}}}
	default: // cut in the middle of an answer
		return []toxic{{"limit_data", "downstream", map[string]int{"bytes": random.IntN(4096)}}}
	}
}
