package discordtest

import (
	"encoding/json"
	"maps"
	"time"

	"heddle/graph"
)

// nonceLife is how long a nonce sent with enforce_nonce is remembered. Discord
// documents it as "the past few minutes".
const nonceLife = 5 * time.Minute

// maxNonces is the number of nonces at which a channel drops the old ones.
const maxNonces = 10_000

// nonces remembers the messages of a channel that were created with a nonce. The zero
// value is empty.
type nonces struct{ used map[nonceKey]nonceUse }

type nonceKey struct {
	author graph.UserID
	nonce  string
}

type nonceUse struct {
	message graph.MessageID
	at      time.Time
}

// find returns the message that was made with a nonce and reports whether there is one.
func (n *nonces) find(key nonceKey, now time.Time) (graph.MessageID, bool) {
	use, used := n.used[key]
	return use.message, used && now.Sub(use.at) <= nonceLife
}

// remember records the message that was made with a nonce. If there are many nonces, it drops
// those that have expired.
func (n *nonces) remember(key nonceKey, m graph.MessageID, now time.Time) {
	if n.used == nil {
		n.used = map[nonceKey]nonceUse{}
	}
	if len(n.used) >= maxNonces {
		maps.DeleteFunc(n.used, func(_ nonceKey, use nonceUse) bool { return now.Sub(use.at) > nonceLife })
	}
	n.used[key] = nonceUse{m, now}
}

// nonceText returns a nonce, a JSON string or number, as text.
func nonceText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
