package discordtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// linkLife is how long an attachment's address works.
const linkLife = 24 * time.Hour

// secret signs attachment addresses and interaction tokens.
const secret = "discordtest"

// links signs the addresses of attachments. It may be used by several goroutines.
type links struct {
	base  string // what addresses begin with, up to the path
	clock func() time.Time
	salt  atomic.Uint32 // makes every address another one
}

// sign returns an address for a path that works for a day, another one every time.
func (l *links) sign(path string) string {
	now := l.clock()
	query := "ex=" + strconv.FormatInt(now.Add(linkLife).Unix(), 16) + "&is=" + strconv.FormatInt(now.Unix(), 16)
	return l.base + path + "?" + query + "&hm=" + signature(path, query, strconv.FormatUint(uint64(l.salt.Add(1)), 16)) + "&"
}

// signature returns an HMAC that ends with the salt that went into it.
func signature(path, query, salt string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%s?%s %s", path, query, salt)
	return hex.EncodeToString(mac.Sum(nil)) + salt
}

// signed reports whether a request carries a valid signature that has not expired.
func (l *links) signed(r *http.Request) bool {
	q := r.URL.Query()
	signed := q.Get("hm")
	salt := signed[min(2*sha256.Size, len(signed)):]
	want := signature(r.URL.EscapedPath(), "ex="+q.Get("ex")+"&is="+q.Get("is"), salt)
	until, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	return hmac.Equal([]byte(want), []byte(signed)) && err == nil && l.clock().Unix() < until
}
