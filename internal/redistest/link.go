package redistest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Link simulates the network between one process and a server that StartDurable
// started. It can be slow, cut or half open.
type Link struct{ proxy *toxiproxy.Proxy }

// NewLink returns a Link that works. The caller must close it.
func NewLink(to *Server) (*Link, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "", "127.0.0.1:0", to.Address())
	if err := proxy.Start(); err != nil {
		return nil, fmt.Errorf("start a proxy for Redis: %w", err)
	}
	return &Link{proxy}, nil
}

// URL returns the address for REDIS_URL.
func (l *Link) URL() string { return "redis://" + l.proxy.Listen + patient }

// Close cuts the Link for good.
func (l *Link) Close() { l.proxy.Stop() }

// Trouble disturbs the Link in a random way until mend is called. Data that is lost
// meanwhile stays lost.
func (l *Link) Trouble(ctx context.Context, random *rand.Rand) (mend func(), err error) {
	for _, one := range trouble(random) {
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

// toxic is a disturbance of a Link, in toxiproxy's terms. It affects what the process
// sends (upstream) or what it receives (downstream). There must not be two in the same
// direction, because toxiproxy may then hang when it removes them.
type toxic struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Attributes map[string]int `json:"attributes"`
}

// both returns a toxic for each direction.
func both(kind string, attributes map[string]int) []toxic {
	return []toxic{{kind, "upstream", attributes}, {kind, "downstream", attributes}}
}

// trouble returns a random disturbance of a Link. Times are in milliseconds. They suit
// processes that wait 300 ms for an answer of Redis.
func trouble(random *rand.Rand) []toxic {
	switch random.IntN(7) {
	case 0: // slow, and now and then too slow
		return both("latency", map[string]int{"latency": 20 + random.IntN(140), "jitter": 20})
	case 1: // cut
		return both("reset_peer", map[string]int{"timeout": 0})
	case 2: // half open: requests take effect, and the answers are lost
		return []toxic{{"timeout", "downstream", map[string]int{"timeout": 0}}}
	case 3: // half open: requests are lost
		return []toxic{{"timeout", "upstream", map[string]int{"timeout": 0}}}
	case 4: // silent, then closed
		return both("timeout", map[string]int{"timeout": 100 + random.IntN(900)})
	case 5: // cut, which is noticed late
		return []toxic{{"slow_close", "downstream", map[string]int{"delay": 1000}}, {"limit_data", "upstream", map[string]int{"bytes": random.IntN(4096)}}}
	default: // cut in the middle of an answer
		return []toxic{{"limit_data", "downstream", map[string]int{"bytes": random.IntN(4096)}}}
	}
}
